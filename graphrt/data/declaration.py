"""What the declarations of ops that give datasets have in common.

The handle of a dataset is a tensor of dtype variant whose element is a `Source`; that of an iterator a tensor of dtype
resource whose element is an `IteratorState`. Kernels only put sources together: elements are made when somebody
iterates.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from graphrt import errors
from graphrt.ir.op import OPAQUE, READS, STATEFUL, FileAccess, define
from graphrt.types.dtype import DType, variant
from graphrt.types.likes import Array
from graphrt.types.nesting import shown
from graphrt.types.shape import compatible

if TYPE_CHECKING:
    from graphrt.ir.graph import InferContext
    from graphrt.ir.op import OpDef
    from graphrt.types.shape import Dims

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
    described: bool = True, metadata: bool = True, file_access: FileAccess | None = None, vectors: tuple[str, ...] = (),
) -> OpDef:  # fmt: skip
    """Declares an op that gives a dataset. What it takes are scalars, but for lists; `vectors` may have an axis."""
    parts = [attrs, DESCRIBED if described else "", METADATA if metadata else ""]

    def infer(c: InferContext) -> tuple[()]:
        for arg, given in zip(c.op.inputs, c.op.group(c.inputs, c.attrs)):
            if not arg.is_list and given.dims is not None:
                _check_rank(arg.name, given.dims, vectors)
        return ()

    @functools.wraps(kernel)  # whose attributes it takes
    def checked(*arrays: Any, **attributes: Any) -> Any:
        for arg, array in zip(op.inputs, arrays):
            if not arg.is_list and np.ndim(array):
                _check_rank(arg.name, array.shape, vectors)
        return kernel(*arrays, **attributes)

    op = define(
        type_, f"{schema} -> handle: variant", attrs="; ".join(p for p in parts if p), infer=infer, kernel=checked,
        traits=traits, file_access=file_access,
    )  # fmt: skip
    return op


def _check_rank(name: str, dims: tuple[int | None, ...], vectors: tuple[str, ...]) -> None:
    if len(dims) > (name in vectors):
        wanted = "a scalar or a vector" if name in vectors else "a scalar"
        raise errors.ShapeError(f"{name} must be {wanted}, found the shape {list(dims)}")


def invalid(message: str) -> errors.OpError:
    return errors.InvalidArgumentError(None, None, message)


def as_declared(values: Sequence[Any], types: list[DType], shapes: Sequence[Dims] = ()) -> list[Any]:
    """The components of an element, which have the types and shapes that an op says they have.

    Raises:
      InvalidArgumentError: there are more or fewer, or one has another type or shape.
    """
    if len(values) != len(types):
        raise invalid(f"There are {len(values)} components, {len(types)} are asked for.")
    for at, (value, wanted) in enumerate(zip(values, types)):
        found = getattr(value, "dtype", None)
        if wanted is variant or found is None:
            continue
        if found != wanted.as_numpy_dtype or (found.kind == "O" and wanted.kind != "S"):
            raise invalid(f"Component {at} has the type {found}, {wanted.name} is asked for.")
    for at, (value, dims) in enumerate(zip(values, shapes)):
        if dims is not None and (shape := getattr(value, "shape", ())) != dims and not compatible(shape, dims):
            raise invalid(f"Component {at} has the shape {list(shape)}, {list(dims)} is asked for.")
    return list(values)


def order_of(deterministic: Any) -> bool | None:
    if deterministic not in _ORDER:
        raise invalid(f"deterministic must be 'true', 'false' or 'default' but is {shown(deterministic)}")
    return _ORDER[deterministic]


def at_least_one(value: Array, name: str) -> int:
    if value < 1 and value != -1:
        raise invalid(f"{name} must be greater than zero.")
    return int(value)


def positive_size(size: Any) -> int:
    if np.ndim(size):
        raise invalid(f"batch_size must be a scalar, found the shape {list(np.shape(size))}")
    if size < 1:
        raise invalid("Batch size must be greater than zero.")
    return int(size)
