"""Numbers of Python that have become symbolic tensors: they take the dtype of the tensors that they meet.

    if x > 0:  c = 4
    else:      c = 5          c: int32, as long as nothing asks for more
    y + c                     y is int64: now the conditional gives int64, of constants made of the numbers 4 and 5

Such a tensor is *weak*. Where a branch, a loop or arithmetic makes weak tensors of weak ones, all of them share a
`WeakType`, which has one dtype. The first use that needs 64 bits gives all of them 64 bits, in the nodes recorded so
far, too; what has taken one of them for a tensor of its dtype gets it through a `Cast`. Narrower uses cast, as do
those of another kind. The kinds are those of Python: what is a float never becomes an integer.

A list of tensors whose elements are weak is weak by its handle, which is a member, too.

A weak type that something outside of this graph relies on is *final*: it keeps its dtype.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NoReturn

import numpy as np

from graphrt import errors
from graphrt.ir.graph import Graph, Value, static_value
from graphrt.ir.op import ops, provide  # late: ops stand above tensors
from graphrt.ir.weak_type import NATURAL, RANKS, WIDER, WeakType, leave, weak_type_of
from graphrt.tensor.context import building, stop_recording
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import SymbolicTensor, Tensor, tensor_of
from graphrt.tensor.values import scalar_to_numpy
from graphrt.types.dtype import DType, as_dtype, complex128, float32, float64, from_numpy, int32, int64, uint32
from graphrt.types.likes import TensorLike

_NUMBERS = (bool, int, float, complex)


# --- which tensors are weak ------------------------------------------------------------------------------------------
def weak_type(value: object) -> WeakType | None:
    """The weak type of a tensor; None of other tensors, and of anything else."""
    return weak_type_of(value.value) if type(value) is SymbolicTensor else None


def is_number(value: Tensor | float) -> bool:
    """Whether `value` is a number of Python (not of NumPy, and no tensor)."""
    return type(value) in _NUMBERS


def is_flexible(value: object) -> bool:
    """Whether `value` may take another dtype: a number of Python or a weak tensor."""
    return type(value) in _NUMBERS or (type(value) is SymbolicTensor and value.value.weak is not None)


def has_weak(args: Sequence[Any]) -> bool:
    """Whether there is a weak tensor among the arguments of an op."""
    for value in args:
        if type(value) is SymbolicTensor:
            if value.value.weak is not None:
                return True
        elif isinstance(value, (list, tuple)) and has_weak(value):
            return True
    return False


def rank_of(value: Tensor | float) -> int:
    """The place of the kind of a number of Python, or of a weak tensor, in bool, int, float, complex."""
    weak = weak_type(value)
    return weak.rank if weak is not None else _NUMBERS.index(type(value))


def common_rank(values: Iterable[Any]) -> int:
    """The most general kind among numbers of Python and weak tensors."""
    return max(map(rank_of, values))


# --- making them -----------------------------------------------------------------------------------------------------
def weak_tensor(value: TensorLike, name: str = "", label: str | None = None) -> Tensor:
    """`value` as a tensor: weak if it is a number of Python, or a list of such, which the user calls `name`.

    `label` names the node.
    """
    tensor = convert_to_tensor(value, name=label)
    return as_number(tensor, value, name) if _is_plain(value) else tensor


def _is_plain(value: TensorLike) -> bool:
    """Whether `value` is a number of Python or a list of such."""
    if isinstance(value, (list, tuple)):
        return bool(value) and all(map(_is_plain, value))
    return type(value) in _NUMBERS


def as_number(tensor: TensorLike, number: TensorLike, name: str = "") -> Any:
    """Makes a constant that holds `number` weak; returns it. What is not a constant stays as it is."""
    if type(tensor) is SymbolicTensor and tensor.value.node.op is ops.Const:
        WeakType(tensor.dtype, name).enter(tensor.value, number)
    return tensor


@provide
def weak_number(value: Any, dtype: DType | None, name: str | None = None) -> Any:
    """A number of Python as a weak tensor of `dtype`."""
    return as_number(convert_to_tensor(value, dtype, name=name), value)


def weak_cast(value: TensorLike, dtype: DType, name: str = "") -> Any:
    """`value` as a weak tensor of `dtype`: what Python makes a number of, as in `int(x)`."""
    tensor = ops.Cast(value, DstT=dtype)
    return weakened(tensor, name=name)


def weakened(tensor: Any, *sources: Any, dtype: DType | None = None, name: str = "") -> Any:
    """Makes a tensor weak whose op gives what it gives in either width, and `sources` that it is made of; returns it.

    `dtype` is that of the elements when the tensor is the handle of a list.
    """
    if type(tensor) is SymbolicTensor:
        weak = WeakType(dtype or tensor.dtype, name)
        for member in (*sources, tensor):
            weak.enter(member.value)
    return tensor


def copied_type(value: TensorLike, name: str = "") -> WeakType | None:
    """A new type like that of a weak tensor: that of a loop's variable, say, which starts with it."""
    found = weak_type(value)
    return None if found is None else WeakType(found.dtype, found.name or name)


def like(tensor: Any, other: TensorLike) -> Any:
    """Makes `tensor` as weak as `other`, of which it has the dtype; returns it."""
    weak = weak_type(other)
    if weak is not None and weak_type(tensor) is None:
        weak.enter(tensor.value)
    return tensor


def relied_on(tensor: Any) -> Any:
    """Makes the dtype of a weak tensor final: others that cannot follow its changes rely on it; returns it."""
    weak = weak_type(tensor)
    if weak is not None:
        weak.final = True
    return tensor


def numbers_among(results: Sequence[Any], flexible: Sequence[bool]) -> list[Any]:
    """The results of a call with those weak that the called function makes of numbers of Python alone."""
    return [relied_on(weakened(v)) if number else v for v, number in zip(results, flexible)]


def followed(outer: TensorLike, inner: SymbolicTensor, follows: bool) -> None:
    """Makes `inner`, the placeholder that stands for `outer` in another graph, as weak as that.

    The dtype of `outer` becomes final when the other graph cannot follow its changes.
    """
    weak = weak_type(outer)
    if weak is not None and follows:
        weak.enter(inner.value)
    else:
        relied_on(outer)


# --- what they meet --------------------------------------------------------------------------------------------------
def needed(dtype: DType, weak: DType) -> DType:
    """The dtype that a weak type of dtype `weak` needs, so that its numbers can be given as `dtype` without a loss."""
    if weak is int32 and (dtype is uint32 or dtype.size > (8 if dtype.is_complex else 4)):
        return int64
    if weak is float32 and dtype in (float64, complex128):
        return float64
    return weak


@provide
def meeting(tensor: Tensor, dtype: DType) -> Tensor:
    """A weak tensor as a tensor of `dtype`, which something else determines.

    Raises:
      DTypeMismatchError: `dtype` cannot hold such numbers.
    """
    assert isinstance(tensor, SymbolicTensor)
    weak = weak_type_of(tensor.value)
    assert weak is not None
    if weak.dtype is dtype:
        return tensor
    if not weak.fits(dtype):
        _refuse(tensor, weak, dtype)
    if tensor.value in weak.numbers:
        try:
            return convert_to_tensor(weak.numbers[tensor.value], dtype)
        except errors.ConversionError as error:
            raise errors.DTypeMismatchError(str(error)) from None
    wanted = needed(dtype, weak.dtype)
    if wanted is not weak.dtype:
        if not weak.final:
            weak.change(wanted)
        elif wanted.is_floating:
            _refuse(tensor, weak, dtype)
    if weak.dtype is dtype:
        return tensor
    weak.casts += 1
    if dtype.is_integer and weak.dtype.is_integer:
        _check_range(tensor, weak, dtype)
    return ops.Cast(tensor, DstT=dtype)


def settled(tensor: Any, dtype: DType) -> Any:
    """A weak tensor as one of `dtype` that is weak no longer."""
    found: Any = meeting(tensor, dtype)
    weak = weak_type(found)
    if weak is None:
        return found
    if found.value in weak.numbers:
        return convert_to_tensor(weak.numbers[found.value], dtype)
    found = ops.Identity(found)
    leave(found.value)
    return found


def explicit_dtype(value: Any) -> DType | None:
    """The dtype that `value` determines: a tensor that is not weak, or what stands for a tensor."""
    if isinstance(value, Tensor):
        return None if weak_type(value) is not None else value.dtype
    return as_dtype(value.dtype) if hasattr(value, "__tf_tensor__") else None


def described(weak: WeakType) -> str:
    """What a weak tensor is, for messages."""
    return f"the Python {weak.kind} {weak.name!r}" if weak.name else f"a Python {weak.kind}"


def _refuse(tensor: SymbolicTensor, weak: WeakType, dtype: DType) -> NoReturn:
    place = tensor.value.node.location
    made = f", a {weak.dtype.name} tensor" + (f" since {errors.shown_place(*place)}" if place is not None else "")
    if not weak.fits(dtype):
        why = f"which cannot hold it without a loss. Use tf.cast(..., tf.{dtype.name}), or give the tensor the other dtype."
    else:
        why = f"but its dtype is relied on already. Let it start as tf.constant(..., tf.{dtype.name})."
    raise errors.DTypeMismatchError(
        errors.at_user_line(f"{described(weak)}{made}, meets a tensor of dtype {dtype.name}, {why}")
    )


# --- ranges ----------------------------------------------------------------------------------------------------------
def _bounds(value: Value) -> tuple[int, int] | None:
    """The least and the greatest integer that `value` can be, where constants alone tell."""
    known = static_value(value)
    if known is not None:
        return (int(known.min()), int(known.max())) if known.size else (0, 0)
    if value.node.op is ops.Identity:
        return _bounds(value.node.inputs[0])
    graphs = [graph for _, graph in value.node.subgraphs()]
    if not graphs or len(value.node.inputs) == len(graphs[0].inputs):  # a loop: its body says nothing of the start
        return None
    parts = [_bounds(graph.outputs[value.index]) for graph in graphs]
    found = [p for p in parts if p is not None]
    return (min(p[0] for p in found), max(p[1] for p in found)) if len(found) == len(parts) else None


def _is_outside(value: TensorLike, dtype: DType) -> bool:
    """Whether `value` is a Python integer, or made of some, that `dtype` is known not to hold."""
    weak = weak_type(value)
    if weak is None or not isinstance(value, SymbolicTensor) or not (weak.dtype.is_integer and dtype.is_integer):
        return False
    known = _bounds(value.value)
    return known is not None and (known[0] > dtype.max or known[1] < dtype.min)


def _check_range(tensor: SymbolicTensor, weak: WeakType, dtype: DType) -> None:
    """Sees to it that an integer which `dtype` cannot hold is an error when the graph runs, as it is for numbers."""
    low, high = max(weak.dtype.min, dtype.min), min(weak.dtype.max, dtype.max)
    known = _bounds(tensor.value)
    if (low, high) == weak.dtype.limits or (known is not None and low <= known[0] and known[1] <= high):
        return
    text = f"{described(weak)} does not fit into {dtype.name}, which holds {dtype.min} to {dtype.max}"
    if known is not None and (known[0] > high or known[1] < low):
        value = str(known[0]) if known[0] == known[1] else f"{known[0]} to {known[1]}"
        raise errors.DTypeMismatchError(errors.at_user_line(f"{text}: it is {value}"))
    with stop_recording():
        limits = [convert_to_tensor(v, weak.dtype) for v in (low, high)]
        inside = ops.LogicalAnd(ops.GreaterEqual(tensor, limits[0]), ops.LessEqual(tensor, limits[1]))
        ops.Assert(ops.reduce_all(inside, None), [convert_to_tensor(errors.at_user_line(text)), tensor])


def fits_in(number: int, dtype: DType) -> bool:
    """Whether a number of Python can be written in `dtype`, whose kind is its own or above."""
    try:
        return bool(np.isfinite(scalar_to_numpy(number, dtype)) == np.isfinite(number))
    except ValueError:
        return False


# --- weak tensors among each other -----------------------------------------------------------------------------------
def united(tensors: Sequence[Any]) -> list[Any]:
    """Weak tensors of one kind as members of one type, the widest of theirs."""
    found = [weak_type(t) for t in tensors]
    types = list(dict.fromkeys(w for w in found if w is not None))
    widest = max(types, key=lambda w: w.dtype.size)
    out = list(tensors)
    for weak in types:
        if weak.dtype is widest.dtype:
            continue
        if not weak.final:
            weak.change(widest.dtype)
            continue
        for i, (tensor, known) in enumerate(zip(out, found)):
            if known is weak:
                with building(tensor.graph):
                    out[i] = ops.Cast(tensor, DstT=widest.dtype)
                widest.enter(out[i].value)
    for weak in types:
        if weak is not widest and weak.dtype is widest.dtype:
            widest.absorb(weak)
    return out


def of_rank(value: Any, rank: int) -> Any:
    """A number of Python or weak tensor as one of the kind number `rank`, or of that above in which it is already."""
    if rank_of(value) >= rank:
        return value
    if type(value) in _NUMBERS:
        return _NUMBERS[rank](value)
    weak = weak_type_of(value.value)
    assert weak is not None
    number: Any = weak.numbers.get(value.value)
    if type(number) in _NUMBERS:
        return weak_tensor(_NUMBERS[rank](number), weak.name)
    natural = NATURAL[rank]
    return weak_cast(value, WIDER.get(natural, natural) if weak.dtype.size == 8 else natural, weak.name)


@provide
def balanced(x: Any, y: object) -> tuple[Any, Any]:
    """Two operands as an op gets them that wants one dtype, if one of them is a weak tensor."""
    if weak_type(x) is None:
        if weak_type(y) is not None:
            y, x = balanced(y, x)
        return x, y
    if is_flexible(y):
        rank = common_rank((x, y))
        x, y = of_rank(x, rank), of_rank(y, rank)
        return tuple(united([x, y])) if isinstance(y, Tensor) else (x, y)
    if isinstance(y, Tensor) and y.dtype.kind in RANKS:
        x = meeting(x, y.dtype)
    return x, y


def common_dtype(tensors: Sequence[Any]) -> DType | None:
    """The dtype that tensors, some of which are weak, can have in common without a loss; None if there is none."""
    return common_of([(t.dtype, weak_type(t) is not None) for t in tensors])


def common_of(dtypes: Sequence[tuple[DType, bool]]) -> DType | None:
    """The same of dtypes, each with whether it is that of a weak tensor."""
    explicit = {dtype for dtype, is_weak in dtypes if not is_weak}
    weak = [dtype for dtype, is_weak in dtypes if is_weak]
    if len(explicit) > 1:
        return None
    if explicit:
        (found,) = explicit
        return found if all(RANKS.get(found.kind, -1) >= RANKS[dtype.kind] for dtype in weak) else None
    natural = NATURAL[max(RANKS[dtype.kind] for dtype in weak)]
    return WIDER.get(natural, natural) if any(dtype.size == 8 for dtype in weak) else natural


# --- branches --------------------------------------------------------------------------------------------------------
def agree(x: TensorLike, y: TensorLike) -> bool:
    """Whether branches that make the tensors `x` and `y` of one thing can agree on a dtype."""
    dtype = common_dtype((x, y))
    return dtype is not None and not any(_is_outside(v, dtype) for v in (x, y))


def matched(leaves: Sequence[Any], graphs: Sequence[Graph]) -> list[Any]:
    """What several branches make of one thing, with the numbers and weak tensors among it as it takes to agree.

    What cannot agree stays as it is. Conversions are recorded in the graph of the branch.

    Raises:
      DTypeMismatchError, ConversionError: a number does not fit the dtype of the others.
    """
    flexible = [v for v in leaves if is_flexible(v)]
    if not flexible:
        return list(leaves)
    rank = common_rank(flexible)
    dtype = None
    if len(flexible) < len(leaves):
        dtype = natural_dtype(next(v for v in leaves if not is_flexible(v)))
        if RANKS.get(dtype.kind, -1) < rank:
            return list(leaves)
    out = []
    for leaf, graph in zip(leaves, graphs):
        with building(graph):
            if is_flexible(leaf):
                if dtype is None:
                    leaf = of_rank(leaf, rank)
                elif not _is_natural(leaf, dtype):
                    leaf = convert_to_tensor(leaf, dtype)
            out.append(leaf)
    return out


def natural_dtype(value: TensorLike) -> DType:
    """The dtype of a tensor, or that which a value gets where nothing else says which."""
    if isinstance(value, Tensor):
        return value.dtype
    with building(None):
        found: DType = convert_to_tensor(value).dtype
    return found


def _is_natural(value: TensorLike, dtype: DType) -> bool:
    """Whether a number becomes a tensor of `dtype` where nothing else says which."""
    try:
        return type(value) in _NUMBERS and from_numpy(scalar_to_numpy(value, None).dtype) is dtype
    except ValueError:
        return False


def join(values: Sequence[Value]) -> WeakType | None:
    """The weak type that outputs of several branches, fresh identities of one kind, have in common.

    None if one of them is not weak; then none of them is any more.
    """
    if all(v.weak is not None for v in values):
        return weak_type(united([tensor_of(v) for v in values])[0])
    for value in values:
        leave(value)
    return None
