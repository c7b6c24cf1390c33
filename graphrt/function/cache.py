"""The traces of one function (or of one method of one instance), found by the types of arguments."""

from __future__ import annotations

import collections
import threading
import weakref
from typing import Any

from graphrt.function.concrete import ArgumentType, ConcreteFunction
from graphrt.function.entry import Entry
from graphrt.function.signature import Signature
from graphrt.function.trace_type import LITERAL, Weak, covers, describe
from graphrt.tensor.context import current_graph
from graphrt.types.shape import Dims, TensorShape, relax

ENTRIES = 8  # how many kinds of calls are recognized the fast way
_RECENT, _FREQUENT = 6, 5  # a warning is given when 5 of the last 6 calls that missed all entries were traced

Static = tuple[Any, ...]


class TraceSet:
    """Traces by key. A key is `(static, dims)`: what must agree exactly, and the shapes of the tensors.

    Attributes:
      entries: generated tests, the latest first (see `entry.py`).
      concrete: all traces, in order.
      count: how often the Python function was traced.
      created: weak references to the variables that the first trace made; None before it.
      in_progress: the keys being traced, to notice recursion.
    """

    __slots__ = (
        "__weakref__", "_exact", "_groups", "_previous", "_recent", "_warned", "concrete", "count", "created",
        "entries", "in_progress", "lock",
    )  # fmt: skip

    def __init__(self) -> None:
        self._exact: dict[tuple[Static, tuple[Dims, ...]], ConcreteFunction] = {}
        self._groups: dict[Static, list[tuple[tuple[Dims, ...], ConcreteFunction]]] = {}
        self._previous: ArgumentType | None = None
        self._recent: collections.deque[bool] = collections.deque(maxlen=_RECENT)
        self._warned = False
        self.concrete: list[ConcreteFunction] = []
        self.count = 0
        self.created: list[Any] | None = None
        self.entries: tuple[Entry, ...] = ()
        self.in_progress: set[Any] = set()
        self.lock = threading.RLock()

    def find(self, wanted: ArgumentType, graph: Any) -> ConcreteFunction | None:
        """The trace for these types: the exact one, else the most specific of those that are more general."""
        static, dims = wanted.static, wanted.dims
        found = self._exact.get((static, dims))
        if found is None:
            found = self._most_specific(static, dims)
            if found is None:
                return None
            if len(self._exact) < 1000:
                self._exact[(static, dims)] = found
        return found if found.is_usable(graph) else None

    def _most_specific(self, static: Static, dims: tuple[Dims, ...]) -> ConcreteFunction | None:
        best: tuple[tuple[Dims, ...], ConcreteFunction] | None = None
        for shapes, concrete in self._groups.get(static, ()):
            if all(map(covers, shapes, dims)) and (best is None or all(map(covers, best[0], shapes))):
                best = (shapes, concrete)
        return None if best is None else best[1]

    def store(self, concrete: ConcreteFunction, weak: list[Weak]) -> None:
        """Keeps a trace, for as long as the objects among its arguments live."""
        static, dims = concrete.argument_type.static, concrete.argument_type.dims
        group = self._groups.setdefault(static, [])
        group[:] = [(d, c) for d, c in group if d != dims]  # one that cannot be used any more
        group.append((dims, concrete))
        for key in [k for k in list(self._exact) if k[0] == static]:
            del self._exact[key]  # a more specific trace may serve them now
        self._exact[(static, dims)] = concrete
        self.concrete.append(concrete)
        self.entries = ()
        if current_graph() is None:
            self._recent.append(True)  # traces inside of traces happen once
        watched = weakref.ref(self)
        for part in weak:
            part.on_death = lambda: _forget(watched, static)

    def forget(self, static: Static) -> None:
        """Drops the traces of a group."""
        group = self._groups.pop(static, [])
        gone = [c for _, c in group]
        self._exact = {k: c for k, c in list(self._exact.items()) if k[0] is not static and c not in gone}
        self.concrete = [c for c in self.concrete if all(c is not g for g in gone)]
        self.entries = ()

    def generalized(self, wanted: ArgumentType) -> ArgumentType:
        """`wanted`, made to include the shapes of earlier traces that differ in nothing else."""
        dims = wanted.dims
        for shapes, _ in self._groups.get(wanted.static, ()):
            dims = tuple(map(relax, dims, shapes))
        return wanted.with_dims(dims)

    def is_ambiguous(self, concrete: ConcreteFunction) -> bool:
        """Whether another trace differs from this one in shapes only."""
        for group in self._groups.values():
            if any(c is concrete for _, c in group):
                return len(group) > 1
        return True

    def add_entry(self, entry: Entry) -> None:
        """Tries `entry` first from now on."""
        others = [e for e in self.entries if e is not entry]
        self.entries = (entry, *others[: ENTRIES - 1])

    # --- warnings ---
    def note_hit(self) -> None:
        """Counts a call that found its trace the long way."""
        self._recent.append(False)

    def retracing_reason(self, wanted: ArgumentType, signature: Signature, skipped: int) -> str | None:
        """Why the last trace was needed, when there were many of late and no warning has been given."""
        previous = self._previous
        self._previous = wanted
        if self._warned or previous is None or sum(self._recent) < _FREQUENT:
            return None
        self._warned = True
        return _difference(previous, wanted, signature, skipped)


def _forget(watched: Any, static: Static) -> None:
    traces = watched()
    if traces is not None:
        traces.forget(static)


def _difference(old: ArgumentType, new: ArgumentType, signature: Signature, skipped: int) -> str:
    names = [signature.name_of(i + skipped) for i in range(len(new.positional))]
    if len(old.positional) != len(new.positional) or old.keywords != new.keywords:
        return "the number or the names of the arguments changed."
    for name, a, b in zip((*names, *new.keywords), (*old.positional, *old.trees), (*new.positional, *new.trees)):
        if a == b:
            continue
        if a[0] == LITERAL and b[0] == LITERAL:
            return (
                f"argument {name!r} was {describe(a)}, now {describe(b)}: each Python value is traced on its own. "
                "Pass a tensor, tf.constant(value), if the value changes often."
            )
        return f"argument {name!r} was {describe(a)}, now {describe(b)}: another structure, dtype or object."
    for i, (before, now) in enumerate(zip(old.dims, new.dims)):
        if before != now:
            return (
                f"tensor number {i} of the arguments had shape {TensorShape(before)}, now {TensorShape(now)}. Use "
                "tf.function(reduce_retracing=True), or an input_signature with unknown dimensions (None)."
            )
    return "the trace made before cannot be used here."
