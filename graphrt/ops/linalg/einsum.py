"""Sums of products over named or numbered dimensions: `einsum`, `tensordot`, `matvec`."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.errors import ShapeError
from graphrt.ir.graph import InferContext
from graphrt.ir.op import ALIASES, define, provide
from graphrt.ops.array.concat_split import concat, stack
from graphrt.ops.array.creation import eye
from graphrt.ops.array.creation import ones as ones_
from graphrt.ops.array.creation import range as range_
from graphrt.ops.array.gather_scatter import gather
from graphrt.ops.array.selection import where
from graphrt.ops.array.shape import Reshape, expand_dims, reshape, squeeze, transpose
from graphrt.ops.array.shape import rank as rank_
from graphrt.ops.array.shape import shape as shape_
from graphrt.ops.array.slicing import boolean_mask, getitem
from graphrt.ops.linalg.matmul import MatMul, matmul
from graphrt.ops.math.arithmetic import BroadcastGradientArgs
from graphrt.ops.math.comparison import NotEqual
from graphrt.ops.math.elementwise import conj
from graphrt.ops.math.reduction import Sum, reduce_all, reduce_prod
from graphrt.ops.support.kernel_helpers import bad, summed_in, text_of, unwrapped
from graphrt.ops.support.shape_rules import as_tensor, known
from graphrt.tensor.context import scope
from graphrt.tensor.tensor import Tensor, TensorLike
from graphrt.types.likes import Array
from graphrt.types.nesting import shown
from graphrt.types.shape import Dims, broadcast, is_static

__all__ = ["einsum", "matvec", "tensordot"]

_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def _terms(equation: str) -> tuple[list[str], str]:
    left, _, right = equation.partition("->")
    return left.split(","), right


def _spread(term: str, rank: int) -> list[str]:
    """The labels of a term, '...' opened into '.0', '.1', ... counted from the right."""
    if "..." not in term:
        return list(term)
    before, after = term.split("...")
    extra = rank - len(before) - len(after)
    return [*before, *[f".{i}" for i in range(extra - 1, -1, -1)], *after]


def _einsum_dims(c: InferContext) -> Dims:
    terms, right = _terms(c.attrs["equation"])
    if len(terms) != len(c.inputs):
        raise ShapeError(f"Expected {len(terms)} inputs but got: {len(c.inputs)}")
    sizes: dict[str, int | None] = {}
    most = 0
    for i, term in enumerate(terms):
        dims = c.dims(i)
        if dims is None:
            if "..." in term and "..." in right:
                return None
            labels: list[str] = list(term)
            dims = (None,) * len(labels)
        else:
            named = len(term.replace("...", ""))
            if len(dims) < named or ("..." not in term and len(dims) != named):
                raise ShapeError(f"Expected input {i} to have rank {named} but got: {len(dims)}")
            labels = _spread(term, len(dims))
            most = max(most, len(dims) - named)
        for label, size in zip(labels, dims):
            have = sizes.get(label)
            if have is None:
                sizes[label] = size
            elif size is not None and have != size:
                if label.startswith("."):
                    sizes[label] = broadcast((have,), (size,))[0]  # type: ignore[index]
                else:
                    raise ShapeError(f"Expected dimension {have} of label {label} but got dimension {size}")
    extra = [f".{i}" for i in range(most - 1, -1, -1)]
    out: list[str] = []
    for part in re.split(r"(\.\.\.)", right):
        out += extra if part == "..." else list(part)
    return tuple(sizes.get(label) for label in out)


def _einsum_kernel(inputs: list[Any], *, equation: str) -> Array:
    terms, _ = _terms(equation)
    sizes: dict[str, int] = {}
    for i, (term, x) in enumerate(zip(terms, inputs)):
        named = len(term.replace("...", ""))
        if np.ndim(x) < named or ("..." not in term and np.ndim(x) != named):
            raise bad(f"Expected input {i} to have rank {named} but got: {np.ndim(x)}")
        for label, size in zip(_spread(term, np.ndim(x)), np.shape(x)):  # NumPy would broadcast a size of 1
            if sizes.setdefault(label, size) != size and not label.startswith("."):
                raise bad(f"Expected dimension {sizes[label]} of label {label} but got dimension {size}")
    try:
        wide = [x.astype(summed_in(x.dtype), copy=False) if x.dtype.kind == "V" else x for x in map(np.asarray, inputs)]
        out = np.einsum(equation, *wide, optimize=len(inputs) > 1)
    except ValueError as error:
        shapes = ", ".join(text_of(np.shape(x)) for x in inputs)
        raise bad(f"Inputs of shapes {shapes} do not fit the equation {equation!r}: {error}") from None
    dtype = np.asarray(inputs[0]).dtype
    return unwrapped(np.asarray(out).astype(dtype, copy=False))


def _einsum_vjp(call: Any, g: object) -> list[Any]:
    terms, right = _terms(call.attrs["equation"])
    return [_einsum_part(i, terms, right, list(call.inputs), g) for i in range(len(terms))]


def _einsum_part(i: int, terms: list[str], right: str, inputs: list[Any], g: Any) -> Tensor:
    x, mine = inputs[i], terms[i]
    others = [(t, conj(v)) for k, (t, v) in enumerate(zip(terms, inputs)) if k != i]
    used = set("".join(t for t, _ in others) + right + mine.replace(".", ""))
    free = [letter for letter in _LETTERS if letter not in used]
    unique = ""
    deltas: list[tuple[str, Any]] = []  # a label that stands twice in one term: its gradient lies on a diagonal
    target = ""
    shape = shape_(x)
    for letter in mine.replace("...", "."):
        if letter == ".":
            unique += "..."
            target += "..."
        elif letter in unique:
            fresh = free.pop(0)
            position = mine.index(letter)
            size = getitem(shape, position if "..." not in mine[:position] else position - len(mine))
            deltas.append((letter + fresh, eye(size, dtype=x.dtype)))
            target += fresh
        else:
            unique += letter
            target += letter
    available = set("".join(t for t, _ in others) + right)
    lost = [letter for letter in unique if letter != "." and letter not in available]
    for letter in lost:  # summed away in this operand alone: every element gets the same
        position = mine.index(letter)
        size = getitem(shape, position if "..." not in mine[:position] else position - len(mine) - 0)
        deltas.append((letter, ones_(stack([size]), dtype=x.dtype)))
    if "..." in mine and "..." not in right:  # summed away: what was broadcast to this operand is seen in it alone
        deltas.append(("...", ones_(_ellipsis(shape, mine), dtype=x.dtype)))
    parts = [(right, g), *others, *deltas]
    found = einsum(",".join(t for t, _ in parts) + "->" + target, *[v for _, v in parts])
    return _sum_ellipsis(found, x, mine) if "..." in mine else found


def _ellipsis(shape: Any, term: str) -> Any:
    """The sizes that the ellipsis of `term` stands for."""
    before, after = (len(labels) for labels in term.split("..."))
    return getitem(shape, slice(before, -after or None))


def _sum_ellipsis(g: Any, x: Tensor, term: str) -> Tensor:
    """Sums away what the ellipsis of `term` was broadcast to."""
    before = term.index("...")
    if not is_static(x.dims) or not is_static(g.dims):
        axes = BroadcastGradientArgs(_ellipsis(shape_(x), term), _ellipsis(shape_(g), term))[0] + before
        return Reshape(Sum(g, axes), shape_(x))
    dims, found = x.dims or (), g.dims or ()
    extra = len(found) - len(dims)
    if extra > 0:
        g = Sum(g, np.arange(before, before + extra, dtype=np.int32))
    ones = [k for k, (a, b) in enumerate(zip(dims, g.dims)) if a == 1 and b != 1]
    return Sum(g, np.array(ones, np.int32), keep_dims=True) if ones else g


Einsum = define(
    "Einsum", "inputs: N * T -> output: T", attrs="equation: string; N: int >= 1; T: type",
    infer=_einsum_dims, kernel=_einsum_kernel, vjp=_einsum_vjp, traits=(ALIASES,),
)  # fmt: skip


def _resolve(equation: str, count: int, ranks: list[int | None]) -> str:
    """`equation` without blanks, its output spelled out."""
    errors.expect(equation, str, "equation", "a text such as 'ij,jk->ik'")
    text = equation.replace(" ", "")
    if not re.fullmatch(r"[A-Za-z.,]*(->[A-Za-z.]*)?", text) or re.search(r"(?<!\.)\.{1,2}(?!\.)|\.{4,}", text):
        raise ValueError(errors.at_user_line(f"Indices have incorrect format: {equation}"))
    left, arrow, right = text.partition("->")
    terms = left.split(",")
    if len(terms) != count:
        raise ValueError(errors.at_user_line(f'Got {count} arguments for equation "{text}", expecting {len(terms)}.'))
    if not arrow:
        letters = left.replace(",", "").replace(".", "")
        right = ("..." if "..." in left else "") + "".join(sorted(a for a in set(letters) if letters.count(a) == 1))
    for letter in right.replace("...", ""):
        if letter not in left:
            raise ValueError(errors.at_user_line(f"Output label {letter!r} of equation {text!r} is in no input."))
    for term, rank in zip(terms, ranks):
        named = len(term.replace("...", ""))
        if rank is not None and (rank < named or ("..." not in term and rank != named)):
            raise ShapeError(
                errors.at_user_line(f"Unexpected rank {rank} of an input: its term {shown(term)} has {named} labels.")
            )
    return f"{','.join(terms)}->{right}"


@provide
def einsum(equation: str, *inputs: TensorLike, **kwargs: Any) -> Tensor:
    """The sums of products that `equation` names, such as `ij,jk->ik` for a matrix product.

    >>> import graphrt as tf
    >>> tf.einsum("ij,kj->ik", [[1, 2]], [[3, 4], [5, 6]]).numpy().tolist()
    [[11, 17]]

    Raises:
      ValueError: the equation is malformed or does not fit the ranks.
      InvalidArgumentError: the sizes do not fit.
    """
    name = kwargs.pop("name", None)
    kwargs.pop("optimize", None)
    if kwargs:
        raise TypeError(f"Invalid keyword arguments for this function: {', '.join(sorted(kwargs))}.")
    with scope(name, "einsum"):
        given = next((v.dtype for v in inputs if isinstance(v, Tensor)), None)
        values = [as_tensor(v, None if isinstance(v, Tensor) else given) for v in inputs]
        text = _resolve(equation, len(values), [None if v.dims is None else len(v.dims) for v in values])
        if len(values) <= 2:
            return Einsum(values, equation=text, name="Einsum")
        return _pairwise(text, values)


def _pairwise(equation: str, values: list[Any]) -> Tensor:
    """Three operands or more, contracted two by two in the order NumPy finds cheapest."""
    terms, right = _terms(equation)
    sample = [
        np.broadcast_to(np.int8(0), [10 if d is None else d for d in v.dims or (10,) * len(t.replace("...", ""))])
        for t, v in zip(terms, values)
    ]
    try:
        path = np.einsum_path(equation, *sample, optimize="greedy")[0][1:]
    except ValueError:
        path = [(0, 1)] * (len(values) - 1)
    for step in path:
        taken = [(terms.pop(k), values.pop(k)) for k in sorted(step, reverse=True)][::-1]
        while len(taken) > 1:
            pair, taken = taken[:2], taken[2:]
            rest = "".join([*terms, *(t for t, _ in taken), right])
            if not terms and not taken:
                out = right
            else:
                letters = dict.fromkeys("".join(t for t, _ in pair).replace(".", ""))
                dots = "..." if any("..." in t for t, _ in pair) else ""
                out = dots + "".join(a for a in letters if a in rest)
            text = ",".join(t for t, _ in pair) + "->" + out
            taken.insert(0, (out, Einsum([v for _, v in pair], equation=text, name="Einsum")))
        terms.append(taken[0][0])
        values.append(taken[0][1])
    return values[0]


# --- tensordot, matvec -----------------------------------------------------------------------------------------------
def _axes_of(axes: Any, a: Tensor, b: Tensor) -> tuple[list[int], list[int]]:
    found = known(axes, "axes")
    if isinstance(found, (int, np.integer)) or np.ndim(found) == 0:
        count = int(found)
        if count < 0:
            raise ValueError(errors.at_user_line(f"`axes` must be at least 0. Received: {count}."))
        if a.dims is not None and count > len(a.dims):
            raise ValueError(
                errors.at_user_line(
                    f"`axes` must not be larger than the number of dimensions of tensor {shown(a)}. Received {count}."
                )
            )
        return list(range(-count, 0)), list(range(count))
    if len(found) != 2:
        raise ValueError(errors.at_user_line(f"`axes` must be an integer or have length 2. Received {axes}."))
    first, second = ([int(v) for v in np.ravel(part)] for part in found)
    if len(first) != len(second):
        raise ValueError(
            errors.at_user_line(f"Different number of contraction axes `a` and `b`, {len(first)} != {len(second)}.")
        )
    return first, second


@provide
def tensordot(a: TensorLike, b: TensorLike, axes: TensorLike, name: str | None = None) -> Tensor:
    """The sum of products over `axes`: the last n of `a` with the first n of `b`, or two lists of dimensions.

    >>> import graphrt as tf
    >>> tf.tensordot([[1, 2]], [[3], [4]], 1).numpy().tolist()
    [[11]]

    Raises:
      ValueError: the axes do not fit each other.
      InvalidArgumentError: the sizes do not fit.
    """
    with scope(name, "Tensordot"):
        left = as_tensor(a, b.dtype if isinstance(b, Tensor) and not isinstance(a, Tensor) else None, name="a")
        right = as_tensor(b, None if isinstance(b, Tensor) else left.dtype, name="b")
        first, second = _axes_of(axes, left, right)
        x, rest_x, dims_x = _as_matrix(left, first, True)
        y, rest_y, dims_y = _as_matrix(right, second, False)
        product = MatMul(x, y)
        if is_static(dims_x) and is_static(dims_y):
            wanted = [*dims_x, *dims_y]  # type: ignore[misc]
            return product if product.dims == tuple(wanted) else reshape(product, wanted)
        found = reshape(product, concat([rest_x, rest_y], 0))
        if hasattr(found, "value") and dims_x is not None and dims_y is not None:
            found.set_shape((*dims_x, *dims_y))
        return found


def _as_matrix(tensor: Any, axes: list[int], last: bool) -> tuple[Any, Any, Dims]:
    """`tensor` with `axes` merged into the last (first) dimension, the others into the other; their sizes."""
    if tensor.dims is None:
        return _as_matrix_of_any_rank(tensor, axes, last)
    rank = len(tensor.dims)
    for k in axes:
        if not -rank <= k < rank:
            raise ValueError(errors.at_user_line(f"axis {k} is out of range for a tensor of rank {rank}"))
    taken = [k % rank for k in axes]
    free = [k for k in range(rank) if k not in taken]
    order = free + taken if last else taken + free
    turned = tensor if order == list(range(rank)) else transpose(tensor, order)
    dims = tuple(tensor.dims[k] for k in free)
    if is_static(tensor.dims):
        outer = int(np.prod([tensor.dims[k] for k in free], dtype=np.int64))
        inner = int(np.prod([tensor.dims[k] for k in taken], dtype=np.int64))
        shape = (outer, inner) if last else (inner, outer)
        return turned if turned.dims == shape else reshape(turned, list(shape)), np.array(dims, np.int32), dims
    shape_now = shape_(tensor)
    rest = gather(shape_now, np.array(free, np.int32))
    inner_size = reduce_prod(gather(shape_now, np.array(taken, np.int32)))
    sizes = [reduce_prod(rest), inner_size]
    return reshape(turned, stack(sizes if last else sizes[::-1])), rest, dims


def _as_matrix_of_any_rank(tensor: Tensor, axes: list[int], last: bool) -> tuple[Any, Any, Dims]:
    """The same of a tensor whose rank is known when it is."""
    given = np.array(axes, np.int32).reshape(-1)
    taken = where(given < 0, given + rank_(tensor), given)
    places = range_(rank_(tensor))
    is_free = reduce_all(NotEqual(expand_dims(places, 1), expand_dims(taken, 0)), 1)
    free = boolean_mask(places, is_free)
    turned = transpose(tensor, concat([free, taken] if last else [taken, free], 0))
    shape_now = shape_(tensor)
    rest = gather(shape_now, free)
    sizes = [reduce_prod(rest), reduce_prod(gather(shape_now, taken))]
    return reshape(turned, stack(sizes if last else sizes[::-1])), rest, None


def matvec(
    a: TensorLike, b: TensorLike, transpose_a: bool = False, adjoint_a: bool = False, a_is_sparse: bool = False,
    b_is_sparse: bool = False, name: str | None = None,
) -> Tensor:  # fmt: skip
    """The product of the matrix `a` and the vector `b` (or batches of them).

    >>> import graphrt as tf
    >>> tf.linalg.matvec([[1, 2], [3, 4]], [5, 6]).numpy().tolist()
    [17, 39]

    Raises:
      InvalidArgumentError: the sizes do not fit.
    """
    with scope(name, "MatVec"):
        column = expand_dims(b, -1)
        product = matmul(a, column, transpose_a=transpose_a, adjoint_a=adjoint_a)
        return squeeze(product, -1)
