"""Parts of tensors by position: `x[...]` and slices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.errors import ShapeError
from graphrt.ir.graph import InferContext
from graphrt.ir.op import ALIASES, KEEPS_KIND, define, ops, provide  # late: what it calls imports this file
from graphrt.ops.array.concat_split import Pack, concat
from graphrt.ops.array.creation import ones_like
from graphrt.ops.array.selection import Where
from graphrt.ops.array.shape import Reshape, squeeze
from graphrt.ops.array.shape import shape as shape_
from graphrt.ops.array.slice_spec import SliceSpec, static_spec
from graphrt.ops.math.arithmetic import Sub
from graphrt.ops.math.casting import cast
from graphrt.ops.math.reduction import Prod
from graphrt.ops.support.kernel_helpers import bad, const_ints, entries, ints, text_of, unwrapped
from graphrt.ops.support.shape_rules import as_tensor, known
from graphrt.tensor.context import current_graph, recorders, scope
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.promotion import conversion
from graphrt.tensor.tensor import EagerTensor, Tensor, TensorLike, alike, raw_of
from graphrt.types.dtype import DType, as_dtype, bool_, int16, int32, int64
from graphrt.types.likes import Array
from graphrt.types.shape import Dims, TensorShape

__all__ = ["boolean_mask", "newaxis", "slice", "strided_slice"]

newaxis = None
"""An index that inserts a dimension of size 1."""

_SLICE_INDEX = (int16, int32, int64)
_MASKS = (
    "begin_mask: int = 0; end_mask: int = 0; ellipsis_mask: int = 0; new_axis_mask: int = 0; shrink_axis_mask: int = 0"
)
_slice = slice


def _strided_dims(c: InferContext) -> Dims:
    dims, spec = c.dims(0), static_spec(c)
    if dims is None or spec is None:
        return None
    out: list[int | None] = []
    axis = 0
    for kind, i in spec.kinds(len(dims), ShapeError):
        if kind == "new":
            out.append(1)
            continue
        size = dims[axis]
        if kind == "all":
            out.append(size)
        elif kind == "shrink":
            if size is not None and spec.begin[i] is not None:
                spec.check_index(i, axis, size, ShapeError)
        else:
            out.append(_slice_size(spec, i, size))
        axis += 1
    return tuple(out)


def _slice_size(spec: SliceSpec, i: int, size: int | None) -> int | None:
    begin, end, stride = spec.bounds(i)
    if stride == 0:
        raise ShapeError(f"strides[{i}] must be non-zero")
    begin_known = bool(spec.masks[0] >> i & 1) or begin is not None
    end_known = bool(spec.masks[1] >> i & 1) or end is not None
    if size is None or stride is None:
        return None
    if begin_known and end_known:
        return len(range(*_slice(begin, end, stride).indices(size)))
    return None


def _strided_kernel(
    x: Array, begin: Array, end: Array, strides: Array, *, begin_mask: int, end_mask: int, ellipsis_mask: int,
    new_axis_mask: int, shrink_axis_mask: int,
) -> Any:  # fmt: skip
    if shrink_axis_mask == 1 and len(begin) == 1 and not new_axis_mask and not ellipsis_mask:
        at, dims = begin[0], np.shape(x)  # x[i], by far the most frequent
        if dims:
            if -dims[0] <= at < dims[0]:
                found = x[at]
                return found if isinstance(found, (np.ndarray, np.generic)) else unwrapped(found)
            raise bad(f"slice index {at} of dimension 0 out of bounds.")
    masks = (begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)
    spec = SliceSpec(len(begin), begin.tolist(), end.tolist(), strides.tolist(), masks)
    return unwrapped(np.asarray(x)[spec.key(np.shape(x), bad)])


def _strided_partial(c: InferContext) -> int | list[int | None] | None:
    dims = c.dims(0)
    if dims is None or len(dims) != 1 or c.dtype(0).kind not in "iu":
        return None
    known, spec = entries(c.inputs[0]), static_spec(c)
    if known is None or spec is None or any(v is None for v in spec.strides):
        return None
    for i in range(spec.size):
        begin, end, _ = spec.bounds(i)
        if (begin is None and not spec.masks[0] >> i & 1) or (end is None and not spec.masks[1] >> i & 1):
            if not (spec.masks[2] | spec.masks[3]) >> i & 1:
                return None
    array = np.empty(len(known), object)
    array[:] = known
    try:
        found = array[spec.key(dims, ShapeError)]
    except (ShapeError, IndexError):
        return None
    if isinstance(found, np.ndarray):
        return found.tolist() if found.ndim == 1 else None
    return found


def _strided_vjp(call: Any, g: object) -> list[Any]:
    x, begin, end, strides = call.inputs
    masks = {k: call.attrs[k] for k in _MASK_NAMES}
    return [StridedSliceGrad(shape_of(x, begin.dtype), begin, end, strides, g, **masks), None, None, None]


def shape_of(x: Any, dtype: Any) -> Tensor:
    """The shape of `x` as a tensor of the index type `dtype`."""
    return shape_(x, out_type=dtype) if dtype in (int32, int64) else cast(shape_(x), dtype)


_MASK_NAMES = ("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask")

StridedSlice = define(
    "StridedSlice", "input: T, begin: Index[1], end: Index[1], strides: Index[1] -> output: T", attrs=_MASKS,
    allowed={"Index": _SLICE_INDEX}, infer=_strided_dims, kernel=_strided_kernel, vjp=_strided_vjp,
    partial=_strided_partial, traits=(ALIASES, KEEPS_KIND),
)  # fmt: skip


def _strided_grad_kernel(
    shape: Array, begin: Array, end: Array, strides: Array, dy: Array, *, begin_mask: int, end_mask: int,
    ellipsis_mask: int, new_axis_mask: int, shrink_axis_mask: int
) -> Array:  # fmt: skip
    out = np.zeros(shape.tolist(), np.asarray(dy).dtype)
    masks = (begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)
    spec = SliceSpec(len(begin), begin.tolist(), end.tolist(), strides.tolist(), masks)
    out[spec.key(out.shape, bad)] = dy
    return unwrapped(out)


def _strided_grad_vjp(call: Any, g: object) -> list[Any]:
    _, begin, end, strides, _ = call.inputs
    masks = {k: call.attrs[k] for k in _MASK_NAMES}
    return [None, None, None, None, StridedSlice(g, begin, end, strides, **masks)]


StridedSliceGrad = define(
    "StridedSliceGrad", "shape: Index[1], begin: Index, end: Index, strides: Index, dy: T -> output: T", attrs=_MASKS,
    allowed={"Index": _SLICE_INDEX}, infer=lambda c: c.shape_from(0), kernel=_strided_grad_kernel,
    vjp=_strided_grad_vjp,
)  # fmt: skip


# --- x[...] ----------------------------------------------------------------------------------------------------------
def _refuse_index(found: object) -> TypeError | IndexError:
    kind = TypeError if conversion() is None else IndexError
    return kind(
        errors.at_user_line(
            "Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar tf.int32/tf.int64 tensors "
            f"are valid indices, got {found!r}"
        )
    )


def _index(value: Any) -> Tensor | int:
    """An index as a Python int, or as a scalar integer tensor; TypeError when it is neither."""
    if type(value) is int:
        return value
    if hasattr(value, "__tf_tensor__") and not isinstance(value, Tensor):
        value = convert_to_tensor(value)
    if isinstance(value, EagerTensor):
        if value.dims != () or value.dtype not in _SLICE_INDEX:
            raise _refuse_index(value)
        return int(raw_of(value)) if current_graph() is None else value
    if isinstance(value, Tensor):
        if value.dtype not in _SLICE_INDEX or (value.dims is not None and value.dims != ()):
            raise _refuse_index(value)
        return value
    if isinstance(value, (bool, np.bool_)):
        raise _refuse_index(value)
    if isinstance(value, np.ndarray) and (value.ndim or value.dtype.kind not in "iu"):
        raise _refuse_index(value)
    try:
        return int(value.__index__())
    except (AttributeError, TypeError):
        raise _refuse_index(value) from None


def _is_mask(key: Any) -> bool:
    if isinstance(key, (bool, np.bool_)):
        return True
    if isinstance(key, np.ndarray):
        return key.dtype == np.bool_
    if hasattr(key, "__tf_tensor__") or isinstance(key, Tensor):
        return as_dtype(key.dtype) is bool_
    return isinstance(key, list) and bool(key) and _all_bool(key)


def _all_bool(key: Sequence[object]) -> bool:
    return all(_all_bool(k) if isinstance(k, list) else isinstance(k, (bool, np.bool_)) for k in key)


_SIMPLE = frozenset({int, _slice, type(None), type(Ellipsis), bool})


@provide
def getitem(tensor: Any, key: Any) -> Tensor:
    """`tensor[key]` as NumPy has it: integers, slices, `...`, `tf.newaxis`, masks, and arrays of positions.

    Raises:
      TypeError: an index is none of these.
      InvalidArgumentError: a position is out of range (ValueError too, where it is known while tracing).
    """
    kind = type(key)
    if kind is not int and kind is not tuple and kind is not _slice and _is_mask(key):
        return boolean_mask(tensor, key)
    as_tuple = kind is list and not (conversion() is not None and ops.is_array(key))  # `x[[0, 1]]` is `x[0, 1]`
    items = key if kind is tuple else tuple(key) if as_tuple else (key,)
    for item in items:
        if type(item) not in _SIMPLE and ops.is_array(item):
            return ops.gather_items(tensor, items)
    indices = [_normal(item) for item in items]
    if type(tensor) is EagerTensor and current_graph() is None and not recorders():
        return alike(_eager_item(raw_of(tensor), indices), tensor)
    return _record_slice(tensor, indices)


def _normal(item: object) -> Any:
    if item is None or item is Ellipsis:
        return item
    if type(item) is _slice:
        return _slice(*[None if part is None else _bound(_index(part)) for part in (item.start, item.stop, item.step)])
    found = _index(item)
    if type(found) is int and not _LEAST <= found < _MOST:
        raise ValueError(errors.at_user_line(f"the index {found} is no int64"))
    return found


_LEAST, _MOST = -(2**63), 2**63 - 1


def _bound(value: Any) -> Any:
    """What a slice ends at; nothing lies beyond an int64."""
    return min(max(value, _LEAST), _MOST) if type(value) is int else value


def _eager_item(value: Any, indices: list[Any]) -> Array:
    try:
        if indices.count(Ellipsis) > 1:
            raise IndexError
        return unwrapped(np.asarray(value)[tuple(indices)])
    except (IndexError, ValueError):
        size = len(indices)
        begin, end, strides, masks = _vectors(indices)
        spec = SliceSpec(size, begin, end, strides, masks)

        def fail(message: str) -> errors.OpError:
            return bad(errors.at_user_line(f"{message} [Op:StridedSlice]"))

        return unwrapped(np.asarray(value)[spec.key(np.shape(value), fail)])


def _vectors(indices: list[Any]) -> tuple[list[Any], list[Any], list[Any], tuple[int, ...]]:
    begin: list[Any] = []
    end: list[Any] = []
    strides: list[Any] = []
    masks = [0, 0, 0, 0, 0]
    for i, item in enumerate(indices):
        bit = 1 << i
        if type(item) is _slice:
            zero, one = _fillers(item)
            begin.append(zero() if item.start is None else item.start)
            end.append(zero() if item.stop is None else item.stop)
            strides.append(one() if item.step is None else item.step)
            masks[0] |= bit if item.start is None else 0
            masks[1] |= bit if item.stop is None else 0
            continue
        if item is Ellipsis or item is None:
            masks[2 if item is Ellipsis else 3] |= bit
            begin.append(0)
            end.append(0)
        else:
            masks[4] |= bit
            begin.append(item)
            end.append(item + 1)
            if isinstance(item, Tensor) and item.dtype is not int32:
                strides.append(convert_to_tensor(1, item.dtype, name="Const"))
                continue
        strides.append(1)
    return begin, end, strides, tuple(masks)


def _fillers(item: Any) -> tuple[Any, Any]:
    """What makes the 0 and the 1 for the parts that a slice leaves out: constants of the dtype of a tensor part."""
    dtype = next((v.dtype for v in (item.start, item.stop, item.step) if isinstance(v, Tensor)), None)
    if dtype is None:
        return int, lambda: 1
    return (lambda: convert_to_tensor(0, dtype, name="Const"), lambda: convert_to_tensor(1, dtype, name="Const"))


def _record_slice(tensor: object, indices: list[Any]) -> Tensor:
    begin, end, strides, masks = _vectors(indices)
    found = {v.dtype for v in (*begin, *end, *strides) if isinstance(v, Tensor)}
    dtype = max(found, key=_SLICE_INDEX.index) if found else int32
    if dtype is int16 and any(type(v) is int and not -(2**15) <= v < 2**15 for v in (*begin, *end, *strides)):
        dtype = int32
    if dtype is int32 and any(type(v) is int and not -(2**31) <= v < 2**31 for v in (*begin, *end, *strides)):
        dtype = int64
    with scope(None, "strided_slice") as own:
        vectors = [_vector(v, dtype, n) for v, n in ((begin, "stack"), (end, "stack_1"), (strides, "stack_2"))]
        return StridedSlice(tensor, *vectors, name=own, **dict(zip(_MASK_NAMES, masks)))


def _vector(values: list[Any], dtype: DType, name: str) -> Tensor:
    if not any(isinstance(v, Tensor) for v in values):
        return convert_to_tensor(np.array(values, dtype.as_numpy_dtype).reshape(-1), name=name)
    parts = [cast(v, dtype) if isinstance(v, Tensor) and v.dtype is not dtype else v for v in values]
    return convert_to_tensor(parts, dtype, name=name)


def strided_slice(
    input_: TensorLike, begin: Any, end: TensorLike, strides: TensorLike | None = None, begin_mask: int = 0,
    end_mask: int = 0, ellipsis_mask: int = 0, new_axis_mask: int = 0, shrink_axis_mask: int = 0, var: Any = None,
    name: str | None = None
) -> Tensor:  # fmt: skip
    """The elements of `input_` from `begin` to `end` in steps of `strides`; bit i of a mask changes entry i.

    >>> import graphrt as tf
    >>> tf.strided_slice([1, 2, 3, 4], [0], [4], [2]).numpy().tolist()
    [1, 3]

    Raises:
      InvalidArgumentError: a position is out of range, or a stride is zero.
    """
    if strides is None:
        strides = np.ones(np.shape(begin), np.int32) if not isinstance(begin, Tensor) else ones_like(begin)
    masks = (begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)
    return StridedSlice(input_, begin, end, strides, name=name, **dict(zip(_MASK_NAMES, masks)))


# --- Slice -----------------------------------------------------------------------------------------------------------
def _sliced_dims(c: InferContext) -> Dims:
    dims = c.dims(0)
    begin, size = entries(c.inputs[1]), entries(c.inputs[2])
    rank = len(dims) if dims is not None else len(size) if size is not None else len(begin) if begin else None
    if rank is None:
        return None
    for found, name in ((begin, "begin"), (size, "size")):
        if found is not None and len(found) != rank:
            raise ShapeError(f"Expected begin and size arguments to be 1-D tensors of size {rank}, but got {name} "
                             f"of size {len(found)}.")  # fmt: skip
    begin, size = begin or [None] * rank, size or [None] * rank
    out: list[int | None] = []
    for i in range(rank):
        have = None if dims is None else dims[i]
        b, s = begin[i], size[i]
        if have is not None and b is not None and not 0 <= b <= have:
            raise ShapeError(f"Expected begin[{i}] in [0, {have}], but got {b}")
        if s == -1:
            out.append(have - b if have is not None and b is not None else None)
        else:
            if have is not None and b is not None and s is not None and not 0 <= s <= have - b:
                raise ShapeError(f"Expected size[{i}] in [0, {have - b}], but got {s}")
            out.append(s)
    return tuple(out)


def _slice_kernel(x: Array, begin: Array, size: Array) -> Array:
    starts, sizes, dims = ints(begin), ints(size), np.shape(x)
    if np.ndim(begin) != 1 or np.ndim(size) != 1 or len(starts) != len(dims) or len(sizes) != len(dims):
        raise bad(
            f"Expected begin and size arguments to be 1-D tensors of size {len(dims)}, but got shapes "
            f"{text_of(np.shape(begin))} and {text_of(np.shape(size))} instead."
        )
    key = []
    for i, (b, s, d) in enumerate(zip(starts, sizes, dims)):
        if not 0 <= b <= d:
            raise bad(f"Expected begin[{i}] in [0, {d}], but got {b}")
        s = d - b if s == -1 else s
        if not 0 <= s <= d - b:
            raise bad(f"Expected size[{i}] in [0, {d - b}], but got {s}")
        key.append(_slice(b, b + s))
    return unwrapped(np.asarray(x)[tuple(key)])


def _slice_vjp(call: Any, g: object) -> list[Any]:
    x, begin, _ = call.inputs
    after = Sub(Sub(shape_of(x, begin.dtype), shape_of(g, begin.dtype)), begin)
    return [ops.Pad(g, Pack([begin, after], axis=1)), None, None]


def _slice_partial(c: InferContext) -> Any:
    dims = c.dims(0)
    begin, size = const_ints(c, 1), const_ints(c, 2)
    if dims is None or len(dims) != 1 or begin is None or size is None or c.dtype(0).kind not in "iu":
        return None
    known = entries(c.inputs[0])
    return None if known is None else known[begin[0] :] if size[0] == -1 else known[begin[0] : begin[0] + size[0]]


Slice = define(
    "Slice", "input: T, begin: Index[1], size: Index[1] -> output: T", allowed={"Index": (int32, int64)},
    infer=_sliced_dims, kernel=_slice_kernel, vjp=_slice_vjp, partial=_slice_partial, traits=(ALIASES,),
)  # fmt: skip


def slice(input_: TensorLike, begin: TensorLike, size: TensorLike, name: str | None = None) -> Tensor:
    """The block of `input_` that starts at `begin` and has `size` elements per dimension (-1: all that are left).

    >>> import graphrt as tf
    >>> tf.slice([[1, 2, 3], [4, 5, 6]], [0, 1], [2, -1]).numpy().tolist()
    [[2, 3], [5, 6]]

    Raises:
      InvalidArgumentError: the block does not lie in the tensor.
    """
    return Slice(input_, begin, size, name=name)


@provide
def boolean_mask(
    tensor: TensorLike, mask: TensorLike, axis: int | None = None, name: str | None = "boolean_mask"
) -> Tensor:
    """The elements (rows, ...) of `tensor` for which `mask` is True; the mask covers dimensions from `axis` on.

    >>> import graphrt as tf
    >>> tf.boolean_mask([1, 2, 3], [True, False, True]).numpy().tolist()
    [1, 3]

    Raises:
      ValueError: `mask` is a scalar, has unknown rank, or does not fit the dimensions it covers.
    """
    with scope(name, "boolean_mask"):
        value = as_tensor(tensor, name="tensor")
        chosen = as_tensor(mask, name="mask")
        if chosen.dims == ():
            raise ValueError(errors.at_user_line("mask cannot be scalar."))
        if chosen.dims is None:
            raise ValueError(
                errors.at_user_line(
                    "Number of mask dimensions must be specified, even if some dimensions are None. "
                    "E.g. shape=[None] is ok, but shape=None is not."
                )
            )
        at = 0 if axis is None else int(known(axis, "axis"))
        if at < 0 and value.dims is not None:
            at += len(value.dims)
        count = len(chosen.dims)
        if value.dims is not None:
            _check_mask(value.dims[at : at + count], chosen.dims)
        shape = shape_(value)
        behind = at + count or None  # None is the end: a negative `at` counts from one that nobody knows
        leading = Prod(getitem(shape, _slice(at, behind)), [0])
        first = getitem(shape_(value), _slice(None, at))
        rest = getitem(shape_(value), _slice(0, 0) if behind is None else _slice(behind, None))
        merged = concat([first, [leading], rest], 0)
        rows = Reshape(value, merged)
        if value.dims is not None:
            middle: int | None = 1
            for d in value.dims[at : at + count]:
                middle = None if d is None or middle is None else middle * d
            rows = _with_dims(rows, value.dims[:at] + (middle,) + value.dims[at + count :])
        index = squeeze(Where(Reshape(chosen, [-1])), [1])
        return ops.GatherV2(rows, index, at if at >= 0 else at + count - 1)


def _check_mask(dims: tuple[int | None, ...], mask: tuple[int | None, ...]) -> None:
    fits = len(dims) == len(mask) and all(a is None or b is None or a == b for a, b in zip(dims, mask))
    if not fits:
        raise ValueError(errors.at_user_line(f"Shapes {TensorShape(dims)} and {TensorShape(mask)} are incompatible"))


def _with_dims(tensor: Tensor, dims: tuple[int | None, ...]) -> Tensor:
    if not isinstance(tensor, EagerTensor):
        tensor.set_shape(dims)
    return tensor
