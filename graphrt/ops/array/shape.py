"""Ops on shapes: asking for them, changing them, moving dimensions. The elements stay as they are.

While tracing, shapes are values too: `partial` rules say what is known of them, entry by entry, so that
`reshape(x, [shape(x)[0], -1])` has the static shape it should.
"""

# long: ops on shapes, whose rules share what is known of a shape entry by entry
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from graphrt.errors import ShapeError
from graphrt.ir.code import Code, Template
from graphrt.ir.graph import InferContext, Node, static_value
from graphrt.ir.op import ALIASES, KEEPS_KIND, MEASURES, QUIET, OpDef, define, ops, provide  # late: a circle
from graphrt.ops.support.kernel_helpers import bad, entries, of_now, plain_ints, text_of
from graphrt.ops.support.never_fails import always, constant_tail
from graphrt.ops.support.shape_rules import as_tensor, known, require_rank, runs_now, unbroadcast_to
from graphrt.tensor.context import current_graph, scope
from graphrt.tensor.tensor import EagerTensor, Tensor, TensorLike, raw_of
from graphrt.types.dtype import INDEX, DType, as_dtype
from graphrt.types.likes import Array, DTypeLike, ShapeLike
from graphrt.types.shape import Dims, TensorShape, broadcast, dims_of, num_elements

__all__ = [
    "broadcast_dynamic_shape", "broadcast_static_shape", "broadcast_to", "expand_dims", "rank", "reshape", "shape",
    "shape_n", "size", "squeeze", "transpose",
]  # fmt: skip


# --- questions -------------------------------------------------------------------------------------------------------
def _vector_of_rank(c: InferContext) -> tuple[int | None]:
    return (c.rank(0),)


def _known_dims(c: Any) -> list[int | None] | None:
    return None if c.dims(0) is None else list(c.dims(0))


def _numpy_type(out_type: Any) -> type:
    return np.int64 if out_type.name == "int64" else np.int32


Shape = define(
    "Shape", "input: T -> output: out_type", attrs="out_type: type = int32", allowed={"out_type": INDEX},
    infer=_vector_of_rank, kernel=lambda x, *, out_type: np.array(np.shape(x), _numpy_type(out_type)),
    partial=_known_dims, vjp=lambda call, g: [None],
    never_fails=always, traits=(MEASURES, QUIET),
)  # fmt: skip
ShapeN = define(
    "ShapeN", "input: N * T -> output: N * out_type", attrs="N: int >= 1; out_type: type = int32",
    allowed={"out_type": INDEX}, infer=lambda c: [(c.rank(i),) for i in range(c.attrs["N"])],
    kernel=lambda xs, *, out_type: [np.array(np.shape(x), _numpy_type(out_type)) for x in xs],
    vjp=lambda call, *gs: [None] * len(call.inputs),
    traits=(QUIET,),
)  # fmt: skip
Size = define(
    "Size", "input: T -> output: out_type", attrs="out_type: type = int32", allowed={"out_type": INDEX},
    infer=lambda c: (), kernel=lambda x, *, out_type: _numpy_type(out_type)(np.size(x)),
    partial=lambda c: num_elements(c.dims(0)), vjp=lambda call, g: [None],
    never_fails=always, traits=(MEASURES, QUIET),
)  # fmt: skip
Rank = define(
    "Rank", "input: T -> output: int32",
    infer=lambda c: (), kernel=lambda x: np.int32(np.ndim(x)), partial=lambda c: c.rank(0), vjp=lambda call, g: [None],
    never_fails=always, traits=(MEASURES, QUIET),
)  # fmt: skip


def _constant(value: Any, name: str | None) -> Tensor:
    graph = current_graph()
    return EagerTensor(value) if graph is None else graph.constant(value, name)


def _fits(dims: tuple[Any, ...], out: DType) -> bool:
    return max(dims, default=0) <= out.max


@provide
def shape(input: TensorLike, out_type: DTypeLike | None = None, name: str | None = None) -> Tensor:
    """The shape of `input` as a 1-D int32 tensor (int64 on request).

    >>> import graphrt as tf
    >>> tf.shape([[1, 2, 3]]).numpy().tolist()
    [1, 3]
    """
    out = as_dtype(out_type or "int32")
    tensor = as_tensor(input)
    dims = tensor.dims
    if out in INDEX and dims is not None and None not in dims and tensor.dtype.kind != "O" and _fits(dims, out):
        return _constant(np.array(dims, _numpy_type(out)), name or "Shape")
    return Shape(tensor, out_type=out, name=name)


def shape_n(input: Any, out_type: DTypeLike | None = None, name: str | None = None) -> list[Tensor]:
    """The shapes of several tensors.

    >>> import graphrt as tf
    >>> [s.numpy().tolist() for s in tf.shape_n([[1, 2], [3]])]
    [[2], [1]]
    """
    return ShapeN(list(input), out_type=as_dtype(out_type or "int32"), name=name)


@provide
def size(input: TensorLike, out_type: DTypeLike | None = None, name: str | None = None) -> Tensor:
    """The number of elements of `input`.

    >>> import graphrt as tf
    >>> tf.size([[1, 2, 3]]).numpy().item()
    3
    """
    out = as_dtype(out_type or "int32")
    tensor = as_tensor(input)
    count = num_elements(tensor.dims)
    if count is not None:
        return _constant(out.as_numpy_dtype(count), name or "Size")
    return Size(tensor, out_type=out, name=name)


@provide
def rank(input: TensorLike, name: str | None = None) -> Tensor:
    """The number of dimensions of `input`.

    >>> import graphrt as tf
    >>> tf.rank([[1, 2, 3]]).numpy().item()
    2
    """
    tensor = as_tensor(input)
    if tensor.dims is not None:
        return _constant(np.int32(len(tensor.dims)), name or "Rank")
    return Rank(tensor, name=name)


# --- Reshape ---------------------------------------------------------------------------------------------------------
_SIZES = "sizes input must be a list of numbers, found {} dimensions"


def _reshape_dims(c: InferContext) -> Dims:
    require_rank(c, 1, 1)
    have = c.dims(0)
    array = c.const(1)
    wanted: list[int | None] | None
    if array is not None:
        wanted = [int(v) for v in np.ravel(array)]
        if wanted.count(-1) > 1:
            raise ShapeError(_two_unknown(wanted))
        negative = next((d for d in wanted if d is not None and d < -1), None)
        if negative is not None:
            raise ShapeError(f"Size {wanted.index(negative)} must be non-negative, not {negative}")
        free = wanted.index(-1) if -1 in wanted else None
        wanted = [None if d == -1 else d for d in wanted]
    else:
        wanted = entries(c.inputs[1])
        if wanted is None:
            return None
        wanted = [None if d is not None and d < 0 else d for d in wanted]
        free = wanted.index(None) if wanted.count(None) == 1 else None
    total = num_elements(have)
    known = 1
    for d in wanted:
        known *= 1 if d is None else d
    if total is not None:
        if None not in wanted:
            if known != total:
                raise ShapeError(_wrong_size(total, known))
        elif free is not None and wanted.count(None) == 1 and known:
            if total % known:
                raise ShapeError(_not_multiple(total, known))
            wanted[free] = total // known
    elif have is not None and wanted.count(None) == 1 and have.count(None) == 1 and known:
        rest = 1
        for d in have:
            rest *= 1 if d is None else d
        if rest == 0:
            wanted[wanted.index(None)] = 0
    return tuple(wanted)


def _two_unknown(shape: Any) -> str:
    first = list(shape).index(-1)
    return f"Only one input size may be -1, not both {first} and {list(shape).index(-1, first + 1)}"


def _wrong_size(total: int, wanted: int) -> str:
    return f"Input to reshape is a tensor with {total} values, but the requested shape has {wanted}"


def _not_multiple(total: int, known: int) -> str:
    return f"Input to reshape is a tensor with {total} values, but the requested shape requires a multiple of {known}"


def _reshape_kernel(x: Array, shape: Array) -> Array:
    if np.ndim(shape) > 1:
        raise bad(_SIZES.format(np.ndim(shape)))
    target = tuple(np.ravel(shape).tolist())
    try:
        if target and min(target) < -1:
            raise ValueError
        if isinstance(x, np.ndarray) and (target or x.dtype == object):
            return x.reshape(target)
        return np.reshape(x, target)[()] if x.dtype != object else np.asarray(x).reshape(target)
    except ValueError:
        if target.count(-1) > 1:
            raise bad(_two_unknown(target)) from None
        negative = next((i for i, d in enumerate(target) if d < -1), None)
        if negative is not None:
            raise bad(f"Size {negative} must be non-negative, not {target[negative]}") from None
        known = 1
        for d in target:
            known *= 1 if d == -1 else d
        if -1 not in target:
            raise bad(_wrong_size(np.size(x), known)) from None
        if known == 0 and not np.size(x):
            return np.reshape(x, [_left_over(np.shape(x), target) if d == -1 else d for d in target])
        raise bad(_not_multiple(np.size(x), known)) from None


_RESHAPED = Template("{}.reshape({})")


def _emit_reshape(emitter: Any, node: Node, inputs: list[Code]) -> list[Code] | None:
    """A method's call, a fifth of the kernel's time, where the input is an array and the target a constant."""
    x, target = node.inputs
    if not x.dims or x.dtype.kind not in "fiucb" or not target.node.is_constant or target.dims == ():
        return None
    dims = tuple(static_value(target).tolist())  # type: ignore[union-attr]  # of a constant it is known
    if not dims or min(dims) < -1 or dims.count(-1) > 1 or 0 in dims:
        return None
    return [_RESHAPED(inputs[0], emitter.literal(dims, f"{node.name}_shape"))]


def _left_over(dims: tuple[int, ...], target: tuple[int, ...]) -> int:
    """What -1 stands for where there are no elements: what the sizes other than 0 leave over."""
    have = int(np.prod([d for d in dims if d], dtype=np.int64))
    return have // int(np.prod([d for d in target if d > 0], dtype=np.int64))


Reshape: OpDef = define(
    "Reshape", "tensor: T, shape: Tshape -> output: T", attrs="T: type; Tshape: type = int32",
    allowed={"Tshape": INDEX}, infer=_reshape_dims, kernel=_reshape_kernel,
    vjp=lambda call, g: [Reshape(g, shape(call.inputs[0])), None], traits=(KEEPS_KIND, ALIASES, QUIET),
    partial=lambda c: _reshaped_entries(c),
    never_fails=constant_tail, emit=_emit_reshape,
)  # fmt: skip


def _reshaped_entries(c: Any) -> int | list[int | None] | None:
    if c.rank(0) is None or c.rank(0) > 1 or c.dtype(0).kind not in "iu":
        return None
    target = c.shape_from(1)
    if target is None or len(target) > 1:
        return None
    known = entries(c.inputs[0])
    if known is None:
        return None
    return known[0] if not target and len(known) == 1 else known if target else None


@provide
def reshape(tensor: TensorLike, shape: Any, name: str | None = None) -> Tensor:
    """The elements of `tensor`, in row-major order, in the shape `shape`; one -1 stands for what is left over.

    >>> import graphrt as tf
    >>> tf.reshape([1, 2, 3, 4], [2, -1]).numpy().tolist()
    [[1, 2], [3, 4]]

    Raises:
      InvalidArgumentError: the number of elements does not fit (ValueError too, where it is known while tracing).
    """
    if type(tensor) is EagerTensor and runs_now() and tensor.dtype.kind != "O":
        wanted = plain_ints(shape)
        if wanted is not None and min(wanted, default=0) >= -1:
            try:
                return of_now(np.reshape(raw_of(tensor), wanted), tensor)
            except ValueError:
                pass  # the long way finds the message
    if isinstance(shape, (int, np.integer)) and runs_now():  # a graph's shape is a vector
        shape = [shape]
    if isinstance(shape, TensorShape):
        shape = [-1 if d is None else d for d in shape.as_list()]
    return Reshape(tensor, shape, name=name)


# --- ExpandDims, Squeeze ---------------------------------------------------------------------------------------------
def _expanded(c: InferContext) -> Dims:
    dims, axis = c.dims(0), c.const(1)
    if dims is None:
        return None
    if axis is None:
        return (None,) * (len(dims) + 1)
    at = int(np.ravel(axis)[0])
    if not -len(dims) - 1 <= at <= len(dims):
        raise ShapeError(f"dim {at} not in the interval [{-len(dims) - 1}, {len(dims)}].")
    at += len(dims) + 1 if at < 0 else 0
    return dims[:at] + (1,) + dims[at:]


def _expand_kernel(x: Array, dim: Array) -> Array:
    rank_, at = np.ndim(x), int(np.ravel(dim)[0])
    if not -rank_ - 1 <= at <= rank_:
        raise bad(f"Tried to expand dim index {at} for tensor with {rank_} dimensions.")
    return np.expand_dims(x, at)


ExpandDims = define(
    "ExpandDims", "input: T, dim: Tdim -> output: T", attrs="T: type; Tdim: type = int32", allowed={"Tdim": INDEX},
    infer=_expanded, kernel=_expand_kernel, traits=(KEEPS_KIND, ALIASES, QUIET),
    vjp=lambda call, g: [Reshape(g, shape(call.inputs[0])), None],
    partial=lambda c: entries(c.inputs[0]) if c.rank(0) == 0 and c.dtype(0).kind in "iu" else None,
    never_fails=constant_tail,
)  # fmt: skip


def _squeezed(c: InferContext) -> Dims:
    dims, axes = c.dims(0), c.attrs["squeeze_dims"]
    if dims is None:
        return None
    if not axes:
        return None if None in dims else tuple(d for d in dims if d != 1)
    gone = set()
    for a in axes:
        if not -len(dims) <= a < len(dims):
            raise ShapeError(f"Tried to squeeze dim index {a} for tensor with {len(dims)} dimensions.")
        a += len(dims) if a < 0 else 0
        if dims[a] not in (1, None):
            raise ShapeError(f"Can not squeeze dim[{a}], expected a dimension of 1, got {dims[a]}")
        gone.add(a)
    return tuple(d for i, d in enumerate(dims) if i not in gone)


def _squeeze_kernel(x: Array, *, squeeze_dims: list[int]) -> Array:
    dims = np.shape(x)
    if not squeeze_dims:
        return np.reshape(x, tuple(d for d in dims if d != 1))
    gone = set()
    for a in squeeze_dims:
        if not -len(dims) <= a < len(dims):
            raise bad(f"Tried to squeeze dim index {a} for tensor with {len(dims)} dimensions.")
        a += len(dims) if a < 0 else 0
        if dims[a] != 1:
            raise bad(f"Can not squeeze dim[{a}], expected a dimension of 1, got {dims[a]}")
        gone.add(a)
    out = np.reshape(x, tuple(d for i, d in enumerate(dims) if i not in gone))
    return out if out.ndim or out.dtype == object else out[()]


_SQUEEZED = Template("{}.squeeze({})")


def _emit_squeeze(emitter: Any, node: Node, inputs: list[Code]) -> list[Code] | None:
    x, axes = node.inputs[0], tuple(node.attrs["squeeze_dims"])
    if x.dims is None or x.dtype.kind not in "fiucb" or not 0 < len(axes) < len(x.dims):
        return None
    return [_SQUEEZED(inputs[0], emitter.literal(axes, f"{node.name}_axes"))]


Squeeze = define(
    "Squeeze", "input: T -> output: T", attrs="squeeze_dims: list(int) = []",
    infer=_squeezed, kernel=_squeeze_kernel, emit=_emit_squeeze, traits=(KEEPS_KIND, ALIASES, QUIET),
    vjp=lambda call, g: [Reshape(g, shape(call.inputs[0]))],
    partial=lambda c: _squeezed_entry(c),
)  # fmt: skip


def _squeezed_entry(c: InferContext) -> Any:
    known = entries(c.inputs[0]) if c.rank(0) == 1 and c.dtype(0).kind in "iu" else None
    return known[0] if known is not None and len(known) == 1 else None


@provide
def expand_dims(input: TensorLike, axis: Any, name: str | None = None) -> Tensor:
    """`input` with a new dimension of size 1 at position `axis` (negative counts from the end).

    >>> import graphrt as tf
    >>> tf.expand_dims([1, 2], -1).shape
    TensorShape([2, 1])

    Raises:
      InvalidArgumentError: `axis` is out of range.
    """
    if type(input) is EagerTensor and type(axis) is int and runs_now() and input.dtype.kind != "O":
        try:
            return of_now(np.expand_dims(raw_of(input), axis), input)
        except ValueError:
            pass  # the long way finds the message
    return ExpandDims(input, axis, name=name)


@provide
def squeeze(input: TensorLike, axis: Any = None, name: str | None = None) -> Tensor:
    """`input` without its dimensions of size 1, or without those that `axis` names.

    >>> import graphrt as tf
    >>> tf.squeeze([[[1], [2]]]).shape
    TensorShape([2])

    Raises:
      InvalidArgumentError: a named dimension has another size.
    """
    if axis is None:
        axes: list[int] = []
    else:
        axes = [int(a) for a in np.ravel(known(axis, "axis"))]
    return Squeeze(input, squeeze_dims=axes, name=name)


# --- Transpose -------------------------------------------------------------------------------------------------------
def _transposed(c: InferContext) -> Dims:
    dims, perm = c.dims(0), c.const(1)
    if dims is None:
        if perm is not None:
            return (None,) * np.size(perm)
        length = c.dims(1)
        return (None,) * length[0] if length is not None and len(length) == 1 and length[0] is not None else None
    if perm is None:
        return (None,) * len(dims)
    axes = _checked_perm(len(dims), [int(p) for p in np.ravel(perm)], ShapeError)
    return tuple(dims[p] for p in axes)


def _checked_perm(rank_: int, axes: list[int], fail: Callable[..., Any] | type) -> list[int]:
    if len(axes) != rank_:
        raise fail(f"transpose expects a vector of size {rank_}. But input(1) is a vector of size {len(axes)}")
    found = []
    for a in axes:
        if not -rank_ <= a < rank_:
            raise fail(f"{a} is out of range [0 .. {rank_})")
        found.append(a + rank_ if a < 0 else a)
    for i in range(rank_):
        if i not in found:
            raise fail(f"{i} is missing from {{{','.join(map(str, found))}}}.")
    return found


def _transpose_kernel(x: Array, perm: Array) -> Array:
    axes = perm.tolist()
    try:
        return np.transpose(x, axes)
    except (ValueError, TypeError):
        _checked_perm(np.ndim(x), [int(p) for p in np.ravel(perm)], bad)
        raise


def _transpose_vjp(call: Any, g: Any) -> list[Any]:
    return [call.op(g, invert_permutation(call.inputs[1])), None]


Transpose = define(
    "Transpose", "x: T, perm: Tperm -> y: T", attrs="T: type; Tperm: type = int32", allowed={"Tperm": INDEX},
    infer=_transposed, kernel=_transpose_kernel, vjp=_transpose_vjp, traits=(ALIASES, QUIET),
    never_fails=constant_tail,
)  # fmt: skip
ConjugateTranspose = define(
    "ConjugateTranspose", "x: T, perm: Tperm -> y: T", attrs="T: type; Tperm: type = int32",
    allowed={"Tperm": INDEX}, infer=_transposed, kernel=lambda x, perm: np.conj(_transpose_kernel(x, perm)),
    vjp=_transpose_vjp,
)  # fmt: skip


def _inverse_dims(c: InferContext) -> Dims:
    require_rank(c, 0, 1)
    return c.dims(0) or (None,)


def _inverse(x: Array) -> Array:
    n = len(x)
    out = np.full(n, -1, x.dtype)
    if n and x.min() >= 0 and x.max() < n:
        out[x] = np.arange(n)
        if out.min() >= 0:  # each is there
            return out
        out[:] = -1
    for i, p in enumerate(x.tolist()):
        if not 0 <= p < n:
            raise bad(f"{p} is not between 0 and {n}")
        if out[p] != -1:
            raise bad(f"{p} is duplicated in the input.")
        out[p] = i
    return out


InvertPermutation = define(
    "InvertPermutation", "x: T -> y: T", attrs="T: type = int32", allowed={"T": INDEX},
    infer=_inverse_dims, kernel=_inverse, vjp=lambda call, g: [None],
)  # fmt: skip


@provide
def invert_permutation(x: TensorLike, name: str | None = None) -> Tensor:
    """The permutation that undoes the permutation `x`.

    >>> import graphrt as tf
    >>> tf.math.invert_permutation([2, 0, 1]).numpy().tolist()
    [1, 2, 0]

    Raises:
      InvalidArgumentError: `x` is no permutation.
    """
    return InvertPermutation(x, name=name)


@provide
def transpose(a: TensorLike, perm: Any = None, conjugate: bool = False, name: str | None = "transpose") -> Tensor:
    """`a` with its dimensions in the order `perm` (reversed when None), conjugated on request.

    >>> import graphrt as tf
    >>> tf.transpose([[1, 2, 3], [4, 5, 6]]).numpy().tolist()
    [[1, 4], [2, 5], [3, 6]]

    Raises:
      InvalidArgumentError: `perm` is no permutation of the dimensions.
    """
    if type(a) is EagerTensor and not conjugate and runs_now() and a.dtype.kind != "O":
        order = None if perm is None else plain_ints(perm)
        if perm is None or order is not None:
            try:
                return of_now(np.transpose(raw_of(a), order), a)
            except ValueError:
                pass  # the long way finds the message
    with scope(name, "transpose") as own:
        tensor = as_tensor(a)
        op = ConjugateTranspose if conjugate and tensor.dtype.is_complex else Transpose
        if perm is None:
            if tensor.dims is not None:
                perm = np.arange(len(tensor.dims) - 1, -1, -1, dtype=np.int32)
            else:
                perm = ops.Range(ops.Sub(rank(tensor), 1, name="sub"), -1, -1)
        elif isinstance(perm, (list, tuple, np.ndarray)) and tensor.dims is not None:
            flat = list(np.ravel(perm)) if not any(isinstance(p, Tensor) for p in perm) else []
            if any(p < 0 for p in flat):
                perm = [int(p) + len(tensor.dims) if p < 0 else int(p) for p in flat]
        return op(tensor, perm, name=own)


# --- broadcasting ----------------------------------------------------------------------------------------------------
def _target_dims(c: InferContext) -> Dims:
    require_rank(c, 1, 1)
    found = c.shape_from(1)
    have = c.dims(0)
    if found is not None and have is not None:
        if len(have) > len(found):
            raise ShapeError(
                f"Rank of input ({len(have)}) must be no greater than rank of output shape ({len(found)})."
            )
        for d, w in zip(have[::-1], found[::-1]):
            if d is not None and w is not None and d not in (1, w):
                raise ShapeError(f"Incompatible shapes: {text_of(have)} vs. {text_of(found)}")
    return found


def _broadcast_kernel(x: Array, shape: Array) -> Array:
    if shape.ndim != 1:
        raise bad(f"shape must be 1-D, not {shape.ndim}-D")
    target = tuple(shape.tolist())
    try:
        out = np.broadcast_to(x, target)
    except ValueError:
        raise bad(f"Incompatible shapes: {text_of(np.shape(x))} vs. {text_of(target)}") from None
    return out.copy() if out.ndim else out[()] if out.dtype != object else out


BroadcastTo = define(
    "BroadcastTo", "input: T, shape: Tidx -> output: T", attrs="T: type; Tidx: type = int32", allowed={"Tidx": INDEX},
    infer=_target_dims, kernel=_broadcast_kernel, vjp=lambda call, g: [unbroadcast_to(g, call.inputs[0]), None],
)  # fmt: skip


def _broadcast_args_kernel(a: Array, b: Array) -> Array:
    try:
        return np.array(np.broadcast_shapes(tuple(a.tolist()), tuple(b.tolist())), a.dtype)
    except ValueError:
        raise bad(f"Incompatible shapes for broadcasting: {text_of(a.tolist())} and {text_of(b.tolist())}") from None


def _longer(c: InferContext) -> Dims:
    a, b = c.dims(0), c.dims(1)
    if a is None or b is None or a[0] is None or b[0] is None:
        return (None,)
    return (max(a[0], b[0]),)


def _broadcast_entries(c: InferContext) -> tuple[int | None, ...] | None:
    a, b = entries(c.inputs[0]), entries(c.inputs[1])
    return None if a is None or b is None else broadcast(tuple(a), tuple(b))


BroadcastArgs = define(
    "BroadcastArgs", "s0: T[1], s1: T[1] -> r0: T", attrs="T: type = int32", allowed={"T": INDEX},
    infer=_longer, kernel=_broadcast_args_kernel, partial=_broadcast_entries, vjp=lambda call, g: [None, None],
)  # fmt: skip


@provide
def broadcast_to(input: TensorLike, shape: object, name: str | None = None) -> Tensor:
    """`input` repeated along new dimensions and those of size 1 until it has shape `shape`.

    >>> import graphrt as tf
    >>> tf.broadcast_to([1, 2], [2, 2]).numpy().tolist()
    [[1, 2], [1, 2]]

    Raises:
      InvalidArgumentError: the shapes do not fit.
    """
    return BroadcastTo(input, shape, name=name)


@provide
def broadcast_dynamic_shape(shape_x: TensorLike, shape_y: TensorLike) -> Tensor:
    """The shape of `x + y` as a tensor, from the shapes of both as tensors.

    >>> import graphrt as tf
    >>> tf.broadcast_dynamic_shape([2, 1], [3]).numpy().tolist()
    [2, 3]

    Raises:
      InvalidArgumentError: the shapes do not broadcast.
    """
    return BroadcastArgs(shape_x, shape_y)


def broadcast_static_shape(shape_x: ShapeLike, shape_y: ShapeLike) -> TensorShape:
    """The static shape of `x + y`, from the static shapes of both.

    >>> import graphrt as tf
    >>> tf.broadcast_static_shape(tf.TensorShape([2, 1]), tf.TensorShape([3]))
    TensorShape([2, 3])

    Raises:
      ValueError: the shapes do not broadcast.
    """
    x, y = TensorShape(shape_x), TensorShape(shape_y)
    try:
        return TensorShape(broadcast(dims_of(x), dims_of(y)))
    except ShapeError:
        raise ValueError(f"Incompatible shapes for broadcasting: {x} and {y}.") from None
