"""Numbers of few bits that stand for others: x = (q - zero point) * scale."""

# names of another format: those of ONNX's ops

from __future__ import annotations

import numpy as np

from graphrt.export.onnx import schema
from graphrt.export.onnx.reader import Reading, Use
from graphrt.export.onnx.readings.elementwise import number
from graphrt.ops.array.shape import ExpandDims, Reshape
from graphrt.ops.linalg.matmul import matmul
from graphrt.ops.math.arithmetic import Maximum, Minimum
from graphrt.ops.math.casting import cast
from graphrt.ops.math.elementwise import Round
from graphrt.ops.math.reduction import Max, Min
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import Tensor
from graphrt.types.dtype import DType, float32, int8, int16, int32, uint8, uint16

_KINDS = (int8, int16, uint8, uint16)


def _along(c: Use, index: int, default: Tensor | None = None) -> Tensor:
    """A scale or a zero point: one number, or one for each place along the axis that is told."""
    found = c.given(index)
    if found is None:
        if default is None:
            raise ValueError(f"its input {index} is missing")
        return default
    if c.whole("block_size", 0):
        raise ValueError("scales of blocks cannot be read")
    rank = c.rank(index)
    if rank == 0:
        return found
    if rank != 1:
        raise ValueError(f"its input {index} has rank {rank}, expected 0 or 1")
    if found.shape[0] == 1:
        return Reshape(found, np.zeros(0, np.int32))
    outer, axis = c.rank(), c.whole("axis", 1)
    if not -outer <= axis < outer:
        raise ValueError(f"the axis {axis} of a tensor of rank {outer}")
    shape = [1] * outer
    shape[axis] = -1
    return Reshape(found, np.asarray(shape, np.int32))


def _kept(x: Tensor, dtype: DType) -> Tensor:
    """Whole numbers in the range of `dtype`: what lies beyond becomes its ends."""
    low, high = (np.asarray(v, x.dtype.as_numpy_dtype) for v in (dtype.min, dtype.max))
    return cast(Maximum(Minimum(x, convert_to_tensor(high)), convert_to_tensor(low)), dtype)


def _quantize(c: Use) -> Tensor:
    told = c.whole("output_dtype", 0)
    dtype = c[2].dtype if c.given(2) is not None else schema.DTYPES.get(told) if told else uint8
    if dtype not in _KINDS:
        raise ValueError(f"numbers of dtype {getattr(dtype, 'name', told)} cannot be made")
    x = cast(c[0], float32)
    zero = cast(_along(c, 2, convert_to_tensor(np.float32(0))), float32)
    return _kept(Round(x / cast(_along(c, 1), float32)) + zero, dtype)


def _dequantize(c: Use) -> Tensor:
    if c.dtype not in (*_KINDS, int32):
        raise ValueError(f"numbers of dtype {c.dtype.name} cannot be read")
    scale = _along(c, 1)
    zero = cast(_along(c, 2, convert_to_tensor(np.int32(0))), int32)
    return cast(cast(c[0], int32) - zero, scale.dtype) * scale


def _dynamic(c: Use) -> list[Tensor]:
    """To uint8, by a scale that takes in all numbers there are, and 0."""
    x, nothing = c[0], number(c, 0.0)
    axes = np.arange(c.rank(), dtype=np.int32)
    low, high = Minimum(Min(x, axes), nothing), Maximum(Max(x, axes), nothing)
    scale = (high - low) / number(c, 255.0)
    zero = Round(Maximum(Minimum(-low / scale, number(c, 255.0)), nothing))
    return [_kept(Round(x / scale) + zero, uint8), scale, cast(zero, uint8)]


def _less(c: Use, index: int) -> Tensor:
    """An operand without its zero point: one number, or one for each row of the left one, or column of the right one."""
    found, away = cast(c[index], int32), c.given(2 + index)
    if away is None:
        return found
    away = cast(away, int32)
    is_of_rows = index == 0 and c.rank(2) == 1 and away.shape[0] != 1
    return found - (ExpandDims(away, np.int32(1)) if is_of_rows else away)


def _matmul_integer(c: Use) -> Tensor:
    return matmul(_less(c, 0), _less(c, 1))


READINGS: dict[str, Reading] = {
    "DequantizeLinear": _dequantize,
    "DynamicQuantizeLinear": _dynamic,
    "MatMulInteger": _matmul_integer,
    "QuantizeLinear": _quantize,
}
