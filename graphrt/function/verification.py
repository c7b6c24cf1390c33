"""Runs a traced function twice, eagerly and as a graph, and says where the two part.

    f = tf.function(f, verify=True)

Both runs see the same variables; the values that the graph left are kept. Ops are matched by their type and the line
that made them, in the order in which they ran there.
"""

from __future__ import annotations

import collections
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from graphrt import errors
from graphrt.function.numeric_probe import Recorder, Site, listening
from graphrt.ir.liveness import draws
from graphrt.ir.op import CALL
from graphrt.tensor.context import recording
from graphrt.tensor.tensor import EagerTensor, Tensor
from graphrt.types import structure
from graphrt.types.float_warnings import silently

if TYPE_CHECKING:
    from graphrt.function.concrete import ConcreteFunction

RTOL = {"float16": 1e-2, "bfloat16": 1e-2, "float32": 1e-5, "complex64": 1e-5}

Key = tuple[str, Any]


class _Log(Recorder):
    """What ran: results by op type and line, and the order of all."""

    def __init__(self) -> None:
        self.order: list[tuple[Key, int, list[Any]]] = []
        self.by_key: dict[Key, list[list[Any]]] = collections.defaultdict(list)
        self._open: tuple[Site, list[Any]] | None = None

    def record(self, op: Any, inputs: list[Any], attrs: dict[str, Any], results: list[Any]) -> None:
        """Keeps the results of an op that ran eagerly."""
        if op.structure != CALL:
            self._add((op.type, errors.user_location(2)), [getattr(r, "_value", None) for r in results])

    def listen(self, site: Site, value: Any) -> None:
        """Keeps a result of a node that ran in a graph."""
        if site.index == 0 or self._open is None or self._open[0].name != site.name:
            values: list[Any] = []
            self._open = site, values
            self._add((site.type, site.location), values)
        self._open[1].append(value)

    def _add(self, key: Key, values: list[Any]) -> None:
        found = self.by_key[key]
        self.order.append((key, len(found), values))
        found.append(values)


def verified(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    concrete: ConcreteFunction,
    leaves: list[Any],
) -> Any:
    """The result of the graph, after comparing it with what `function` gives eagerly.

    Raises:
      VerificationError: they differ; the message names the first op whose value differs, and its line.
    """
    if draws(concrete.graph):
        errors.warn(
            f"{concrete.function_name} draws random numbers from a global generator: two runs differ, so it is not "
            "verified",
            errors.GraphRTWarning,
        )
        return concrete.call_flat(leaves)
    variables = list(concrete.graph.variables_used)
    before = [v.storage.value for v in variables]
    eager, traced = _Log(), _Log()
    failure: Exception | None = None
    expected = None
    try:
        with recording(eager):
            expected = function(*args, **kwargs)
    except Exception as error:
        failure = error
    expected_state = [v.storage.value for v in variables]
    expected = structure.map_structure(_raw, expected) if failure is None else None
    for variable, value in zip(variables, before):
        variable.storage.value = value
    try:
        with listening(traced.listen):
            result = concrete.call_flat(leaves)
    except Exception as error:
        if failure is None:
            raise errors.VerificationError(
                None, None, errors.at_user_line(_report(concrete, eager, traced, f"the graph fails ({error})"))
            ) from error
        try:
            raise failure from None
        finally:
            del failure  # its traceback holds this frame
    if failure is not None:
        said = f"Python raises {type(failure).__name__} ({failure}), the graph does not"
        text = _report(concrete, eager, traced, said)
        raise errors.VerificationError(None, None, errors.at_user_line(text)) from failure
    what = _difference(expected, structure.map_structure(_raw, result))
    for variable, value in zip(variables, expected_state):
        if what is None and not equal(value, variable.storage.value):
            what = f"variable {variable.name!r} is {_shown(variable.storage.value)}, eagerly {_shown(value)}"
    if what is not None:
        raise errors.VerificationError(None, None, errors.at_user_line(_report(concrete, eager, traced, what)))
    return result


def _raw(value: Any) -> Any:
    if hasattr(value, "read_value"):
        value = value.read_value()
    return value._value if isinstance(value, EagerTensor) else value


def _difference(expected: Any, found: Any) -> str | None:
    a, b = structure.flatten(expected), structure.flatten(found)
    if len(a) != len(b):
        return f"the result has {len(b)} parts, eagerly {len(a)}"
    for i, (x, y) in enumerate(zip(a, b)):
        if not equal(x, y):
            where = f"[{i}]" if len(a) > 1 else ""
            return f"the result{where} is {_shown(y)}, eagerly {_shown(x)}"
    return None


def equal(a: Any, b: Any) -> bool:
    """Whether two raw values are the same: numbers to the precision of their dtype, NaN equal to NaN."""
    if a is None or b is None or isinstance(a, Tensor) or isinstance(b, Tensor):
        return a is None or b is None or a is b
    if not isinstance(a, (np.ndarray, np.generic, int, float, complex, bool, str, bytes, list)):
        return True  # a handle
    a, b = np.asarray(a), np.asarray(b)
    if a.dtype.kind in "SUO" or b.dtype.kind in "SUO":
        return bool(np.array_equal(_as_bytes(a), _as_bytes(b)))
    if a.shape != b.shape:
        return False
    if b.dtype.kind in "fc":
        rtol = RTOL.get(b.dtype.name, 1e-9)
        return bool(silently(np.allclose, a, b, rtol=rtol, atol=rtol * 1e-3, equal_nan=True))
    return bool(np.array_equal(a, b))


def _as_bytes(array: Any) -> Any:
    flat = [v.encode() if isinstance(v, str) else v for v in array.ravel().tolist()]
    return np.array(flat, object).reshape(array.shape)


def _report(concrete: ConcreteFunction, eager: _Log, traced: _Log, what: str) -> str:
    head = f"{concrete.function_name}: the graph does not do what the Python function does: {what}."
    for key, number, values in eager.order:
        others = traced.by_key.get(key, [])
        if number >= len(others):
            continue
        for x, y in zip(values, others[number]):
            if not equal(x, y):
                place = f"{key[1][0]}:{key[1][1]}" if key[1] else "an unknown line"
                again = f", time {number + 1}" if number else ""
                return (
                    f"{head}\n  The first op whose value differs is {key[0]} at {place}{again}: {_shown(y)} in the "
                    f"graph, {_shown(x)} eagerly.\n  A Python value that changed since the trace, or a Python side "
                    "effect, is the usual reason: make it an argument or a tf.Variable."
                )
    return f"{head}\n  No op that ran in both has another value: they went different ways, or Python made the result."


def _shown(value: Any) -> str:
    text = " ".join(repr(np.asarray(value).tolist() if isinstance(value, (np.ndarray, np.generic)) else value).split())
    return text if len(text) <= 60 else f"{text[:57]}..."
