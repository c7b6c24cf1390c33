"""How large results are, before there are any.

A shape rule that reads values of its inputs may give any size (`Fill`, `Range`, `Tile`): what such an op is about to make
is computed by that very rule. Other rules give what follows from the shapes of the inputs.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Sequence
from types import CodeType, FunctionType
from typing import Any

from graphrt.ir.graph import InferContext, Node, Value, given_value, set_static, static_value
from graphrt.ir.op import KEEPS_KIND, OpDef
from graphrt.types.dtype import DType
from graphrt.types.limits import check_bytes, current
from graphrt.types.shape import Dims, num_elements

_SMALL = 1 << 26  # bytes: what is certainly smaller is not looked at closer
_NOTED = 1 << 20  # bytes: beside the work of making so much, a comparison costs nothing
_FEW = 64  # elements: a longer tensor of integers is no shape
_FACTOR = 64  # by which constants may make a tensor grow, unseen
_READS = frozenset({"const", "shape_from", "static_value", "static_shape", "partial_value"})


def is_sized_by_values(op: OpDef) -> bool:
    """Whether the shape rule of `op` reads values of inputs: then a few bytes may ask for any size."""
    found = op.sized_by_values
    if found is None:
        found = op.sized_by_values = _reads_values(op.infer, set())
    return found


def _reads_values(rule: object, seen: set[CodeType]) -> bool:
    while isinstance(rule, functools.partial):
        rule = rule.func
    rule = getattr(rule, "__func__", rule)
    if not isinstance(rule, FunctionType) or rule.__code__ in seen:
        return False
    seen.add(rule.__code__)
    names: set[str] = set()
    codes = [rule.__code__]
    while codes:
        code = codes.pop()
        names.update(code.co_names)
        codes += [c for c in code.co_consts if isinstance(c, CodeType)]
    if names & _READS:
        return True
    called = [rule.__globals__.get(n) for n in names] + [c.cell_contents for c in rule.__closure__ or ()]
    return any(_reads_values(f, seen) for f in called if callable(f))


# --- now -------------------------------------------------------------------------------------------------------------
def check_growth(op: OpDef, arrays: Sequence[Any], dtypes: Sequence[DType], attrs: dict[str, Any], what: str) -> None:
    """Compares what `op` will make of `arrays` with the limit of the context.

    Raises:
      ResourceExhaustedError: it is more.
    """
    if _bound(arrays) <= _SMALL <= current().bytes:
        return
    values = [given_value(array, dtype) for array, dtype in zip(arrays, dtypes, strict=True)]
    try:
        found = op.infer(InferContext(op, values, attrs))
    except Exception:  # the kernel refuses it, too, and says why
        return
    results = op.output_dtypes(attrs)
    dims: list[Dims] = found if isinstance(found, list) else [found]
    for one, dtype in zip(dims, results):
        check_bytes(_bytes(one, dtype) or 0, what)


def _bound(arrays: Sequence[Any]) -> int:
    """At least the bytes of what can be made, where sizes are products of what the integers among `arrays` say."""
    bound = 16
    for array in arrays:
        size = getattr(array, "size", None)
        if size is None:
            continue
        kind = array.dtype.kind
        if kind in "iu" and size <= _FEW:
            for number in array.ravel().tolist():
                bound *= abs(number) + 1
        elif kind == "f" and size == 1:  # the steps of a range
            return _SMALL + 1
        else:
            bound *= size + 1
    return bound


def _bytes(dims: Dims, dtype: DType) -> int | None:
    size = num_elements(dims)
    return None if size is None or dtype.kind == "O" else size * max(dtype.size, 1)


# --- in programs -----------------------------------------------------------------------------------------------------
def guard_of(node: Node, is_foreign: bool) -> Callable[..., None] | None:
    """What has to be called with the inputs of `node` before it runs; None where it cannot grow out of proportion."""
    op, outputs = node.op, node.given()
    if op.structure is not None or not outputs or op.kernel is None:
        return None
    if len(outputs) == 1 and outputs[0].dims == ():  # as of most nodes of a large graph
        return None
    sizes = [_bytes(v.dims, v.dtype) for v in outputs]
    made = sum(s for s in sizes if s is not None)
    what = f"{node.type}: the result"
    if made > _NOTED:
        return lambda *_: check_bytes(made, what)
    if None not in sizes or all(v.dtype.kind == "O" for v in outputs):
        return None
    if not (is_foreign and node.inputs) and (
        not is_sized_by_values(op) or KEEPS_KIND in op.traits or _factor(node) <= _FACTOR
    ):
        return None
    if is_foreign and (sizes_known := _made_and_had(node)):
        if all(made <= most for _, made, most in sizes_known):
            return None
        if len(sizes_known) == 2 and (place := _linear_in(node, sizes_known)):
            (position, axis), each = place, sizes_known[0][1]
            return lambda *arrays: check_bytes(each * arrays[position].shape[axis], what)
    dtypes = [v.dtype for v in node.inputs]
    return lambda *arrays: check_growth(op, arrays, dtypes, node.attrs, what)


_MANY = 1 << 10  # stands for an unknown dimension that is large
_UNKNOWNS = 3  # of more unknown dimensions not all combinations are tried


def _unknown(node: Node) -> list[tuple[int, int]]:
    """The unknown dimensions of the inputs of `node`: which input, and which dimension of it."""
    return [(i, k) for i, v in enumerate(node.inputs) for k, d in enumerate(v.dims or ()) if d is None]


def _made_and_had(node: Node) -> list[tuple[tuple[int, ...], int, int]]:
    """The bytes of all results and of the largest input, for each combination of 1 and many for the unknown dimensions.

    The shape rule says it: what it gives are products of them. Nothing where it cannot say. Only what is never more than
    the largest input needs no check: a loop, or a few nodes, would make anything of a factor of two.
    """
    op, inputs = node.op, node.inputs
    unknown = _unknown(node)
    if not 0 < len(unknown) <= _UNKNOWNS or any(v.dims is None for v in inputs):
        return []
    if is_sized_by_values(op) and any(static_value(v) is None and _may_tell_a_size(v) for v in inputs):
        return []
    told: list[tuple[tuple[int, ...], int, int]] = []
    for chosen in itertools.product((1, _MANY), repeat=len(unknown)):
        given = dict(zip(unknown, chosen))
        values = []
        for i, value in enumerate(inputs):
            dims = tuple(given[i, k] if d is None else d for k, d in enumerate(value.dims or ()))
            values.append(Value(None, 0, dims, value.dtype))  # type: ignore[arg-type]  # of no node, as `given_value`'s
            set_static(values[-1], static_value(value))
        try:
            found = op.infer(InferContext(op, values, node.attrs))
        except Exception:  # these do not go together, and the kernel refuses them, too
            continue
        results: list[Dims] = found if isinstance(found, list) else [found]
        made = [_bytes(one, v.dtype) for one, v in zip(results, node.outputs)]
        have = [_bytes(v.dims, v.dtype) or 0 for v in values]
        if None in made:
            return []
        told.append((chosen, sum(m or 0 for m in made), max(have)))
    return told


def _linear_in(node: Node, told: list[tuple[tuple[int, ...], int, int]]) -> tuple[int, int] | None:
    """The one unknown dimension that the bytes of the results are a multiple of."""
    (_, one, _), (_, many, _) = told
    return _unknown(node)[0] if many == _MANY * one else None


def _factor(node: Node) -> float:
    """By how much the integers among the inputs of `node` may make the others grow."""
    factor = 1.0
    others = 0
    for value in node.inputs:
        known = static_value(value)
        if known is not None and known.dtype.kind in "iu" and known.size <= _FEW:
            for number in known.ravel().tolist():
                factor *= abs(number) + 1
        elif known is None and _may_tell_a_size(value):
            return math.inf
        else:
            others += 1
    return factor if others else 1.0


def _may_tell_a_size(value: Value) -> bool:
    return (value.dims == () or value.dtype.kind in "iu") and (num_elements(value.dims) or 0) <= _FEW
