"""What the declarations of ops that give datasets have in common.

The handle of a dataset is a tensor of dtype variant whose element is a `Source`; that of an iterator a tensor of dtype
resource whose element is an `IteratorState`. Kernels only put sources together: elements are made when somebody
iterates.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from graphrt import errors
from graphrt.ir.op import OPAQUE, READS, STATEFUL, FileAccess, define
from graphrt.types.likes import Array

if TYPE_CHECKING:
    from graphrt.ir.graph import InferContext
    from graphrt.ir.op import OpDef

DESCRIBED = "output_types: list(type) >= 1; output_shapes: list(shape) >= 1"
METADATA = "metadata: string = ''"
INPUT = "input_dataset: variant, other_arguments: Targuments..."
PREDICATE = "predicate: func; Targuments: list(type)"
PLANNED = "plan: string; output_types: list(type); output_shapes: list(shape)"
READING = (STATEFUL, READS, OPAQUE)
PURE = (OPAQUE,)
_ORDER = {"true": True, "false": False, "default": None}


def scalar_dims(c: InferContext) -> tuple[()]:
    return ()


def described_dims(c: InferContext) -> list[tuple[()] | tuple[int, ...]]:
    return list(c.attrs["output_shapes"])


def dataset_op(
    type_: str, schema: str, kernel: Callable[..., Any], attrs: str = "", traits: tuple[str, ...] = PURE,
    described: bool = True, metadata: bool = True, file_access: FileAccess | None = None,
) -> OpDef:  # fmt: skip
    parts = [attrs, DESCRIBED if described else "", METADATA if metadata else ""]
    return define(
        type_, f"{schema} -> handle: variant", attrs="; ".join(p for p in parts if p), infer=scalar_dims, kernel=kernel,
        traits=traits, file_access=file_access,
    )  # fmt: skip


def invalid(message: str) -> errors.OpError:
    return errors.InvalidArgumentError(None, None, message)


def order_of(deterministic: Any) -> bool | None:
    return _ORDER[deterministic]


def at_least_one(value: Array, name: str) -> int:
    if value < 1 and value != -1:
        raise invalid(f"{name} must be greater than zero.")
    return int(value)


def positive_size(size: Any) -> int:
    if size < 1:
        raise invalid("Batch size must be greater than zero.")
    return int(size)
