"""Positions moved from one layout of images to another."""

from __future__ import annotations

import numpy as np

from graphrt.ir.op import define
from graphrt.ops.legacy.replacements import NO_GRADIENTS
from graphrt.ops.support.kernel_helpers import bad, text_of
from graphrt.types.dtype import (
    INDEX,
)
from graphrt.types.likes import Array

__all__: list[str] = []


# --- layouts of images -----------------------------------------------------------------------------------------------
def _places(source: str, target: str) -> list[int]:
    if sorted(source) != sorted(target):
        raise bad(f"Destination format must be a permutation of the source: {source} and {target}")
    return [source.index(letter) for letter in target]


def _dim_map(x: Array, *, src_format: str, dst_format: str) -> Array:
    order = _places(dst_format, src_format)  # where each dimension of the source went
    if (np.asarray(x) < -len(order)).any() or (np.asarray(x) >= len(order)).any():
        raise bad(f"dimensions must be in [{-len(order)}, {len(order)})")
    return np.asarray(order, np.asarray(x).dtype)[np.asarray(x) % len(order)]


def _permuted(x: Array, *, src_format: str, dst_format: str) -> Array:
    order = _places(src_format, dst_format)
    rows = np.shape(x)[0] if np.ndim(x) in (1, 2) else -1
    if rows == len(order) - 2:  # the sizes of height and width alone
        spatial = [i for i, letter in enumerate(src_format) if letter not in "NC"]
        order = [spatial.index(i) for i in order if i in spatial]
    if rows != len(order) or (np.ndim(x) == 2 and np.shape(x)[1] != 2):
        raise bad(
            f"x must be a vector of size {len(order)} or a matrix of so many rows of 2, got {text_of(np.shape(x))}"
        )
    return x[order]


_FORMATS = "T: type = int32; src_format: string = 'NHWC'; dst_format: string = 'NCHW'"
DataFormatDimMap = define(
    "DataFormatDimMap", "x: T -> y: T", attrs=_FORMATS, allowed={"T": INDEX}, infer=lambda c: c.dims(0),
    kernel=_dim_map, vjp=NO_GRADIENTS,
)  # fmt: skip
DataFormatVecPermute = define(
    "DataFormatVecPermute", "x: T -> y: T", attrs=_FORMATS, allowed={"T": INDEX}, infer=lambda c: c.dims(0),
    kernel=_permuted, vjp=NO_GRADIENTS,
)  # fmt: skip
