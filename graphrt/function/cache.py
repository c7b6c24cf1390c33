"""The traces of one function (or of one method of one instance), found by the types of arguments."""

from __future__ import annotations

import collections
import itertools
import threading
import weakref
from collections.abc import Callable
from typing import Any

from graphrt.function.concrete import ArgumentType, ConcreteFunction
from graphrt.function.fast_dispatch import Dispatcher, Entry, entry_for, keyed_call
from graphrt.function.trace_types.base import common, includes
from graphrt.function.trace_types.leaves import Weak
from graphrt.tensor.context import current_graph
from graphrt.types.shape import Dims, covers, relax

ENTRIES = 8  # how many kinds of calls are recognized the fast way
DEFAULT_LIMIT = 4096  # traces of a function that says nothing else
_PLAIN = 2  # traces with an entry each; more that serve calls of one form share a dispatcher
_RECENT, _FREQUENT = 6, 5  # a warning is given when 5 of the last 6 calls that missed all entries were traced

Static = tuple[Any, ...]


class _Group:
    """The traces that agree in all but the shapes of their tensors.

    Attributes:
      exact: by the shapes they were made for.
      served: other shapes that were looked up, and what serves them.
      general: those made for unknown dimensions, which may serve other shapes.
    """

    __slots__ = ("exact", "general", "served")

    def __init__(self) -> None:
        self.exact: dict[tuple[Dims, ...], ConcreteFunction] = {}
        self.served: dict[tuple[Dims, ...], ConcreteFunction] = {}
        self.general: list[tuple[tuple[Dims, ...], ConcreteFunction]] = []

    def add(self, dims: tuple[Dims, ...], concrete: ConcreteFunction) -> None:
        general = [(d, c) for d, c in self.general if d != dims]
        if any(d is None or None in d for d in dims):
            general.append((dims, concrete))
        self.exact[dims], self.general = concrete, general  # no Ctrl-C between the two
        self.served.clear()  # a more specific trace may serve them now

    def remove(self, concrete: ConcreteFunction) -> None:
        self.exact = {d: c for d, c in self.exact.items() if c is not concrete}
        self.general = [(d, c) for d, c in self.general if c is not concrete]
        self.served.clear()

    def most_specific(self, dims: tuple[Dims, ...]) -> ConcreteFunction | None:
        """The trace for shapes that include `dims` and are included by those of all others that do, if there is one."""
        best: tuple[tuple[Dims, ...], ConcreteFunction] | None = None
        for shapes, concrete in self.general:
            if all(map(covers, shapes, dims)) and (best is None or all(map(covers, best[0], shapes))):
                best = (shapes, concrete)
        return None if best is None else best[1]


class _Form:
    """Calls that one dispatcher could serve: the plain entries for them until there are many traces."""

    __slots__ = ("dispatcher", "entries", "known")

    def __init__(self) -> None:
        self.dispatcher: Dispatcher | None = None
        self.entries: list[Entry] = []
        self.known: dict[ConcreteFunction, None] = {}


def _use_of(traces: Any, concrete: Any) -> Callable[[], None]:
    def used() -> None:
        of, what = traces(), concrete()
        if of is not None and what is not None:
            of._used(what)

    return used


class TraceSet:
    """Traces by key. A key is `(static, dims)`: what must agree exactly, and the shapes of the tensors.

    Attributes:
      entries: generated tests, the latest first (see `fast_dispatch.py`).
      concrete: all traces, in order.
      count: how often the Python function was traced.
      created: weak references to the variables that the first trace made; None before it.
      in_progress: what is being traced, to notice recursion.
      limit: how many traces are kept; those that were not used for longest are dropped.
    """

    __slots__ = (
        "__weakref__", "_counts_uses", "_forms", "_groups", "_order", "_recent", "_warned", "count",
        "created", "dropped", "entries", "in_progress", "limit", "lock",
    )  # fmt: skip

    def __init__(self, limit: int | None = None) -> None:
        self._groups: dict[Static, _Group] = {}
        self._order: collections.OrderedDict[ConcreteFunction, None] = collections.OrderedDict()
        self._forms: dict[Any, _Form] = {}
        self._recent: collections.deque[bool] = collections.deque(maxlen=_RECENT)
        self._warned = False
        self._counts_uses = limit is not None
        self.limit = DEFAULT_LIMIT if limit is None else limit
        self.count = 0
        self.dropped = 0
        self.created: list[Any] | None = None
        self.entries: tuple[Entry, ...] = ()
        self.in_progress: dict[Any, Any] = {}
        self.lock = threading.RLock()

    @property
    def concrete(self) -> list[ConcreteFunction]:
        """All traces, in the order in which they were made."""
        return sorted(self._in_order(), key=lambda c: c.number)

    def _in_order(self) -> list[ConcreteFunction]:
        while True:
            try:
                return list(self._order)
            except RuntimeError:  # without a global lock another thread may have used one meanwhile
                continue

    def find(self, wanted: ArgumentType, graph: Any) -> ConcreteFunction | None:
        """The trace for these types: the exact one, else the most specific of those that are more general."""
        group = self._groups.get(wanted.static)
        if group is None:
            group = self._including(wanted) if wanted.is_open else None
            if group is None:
                return None
        dims = wanted.dims
        found = group.exact.get(dims) or group.served.get(dims)
        if found is None:
            found = group.most_specific(dims)
            if found is None:
                return None
            if len(group.served) >= 1000:
                group.served.clear()
            group.served[dims] = found
        if not found.is_usable(graph):
            return None
        self._used(found)
        return found

    def _including(self, wanted: ArgumentType) -> _Group | None:
        """The most specific group whose types include those of `wanted`."""
        best: tuple[Static, _Group] | None = None
        for static, group in dict(self._groups).items():
            if includes(static, wanted.static) and (best is None or includes(best[0], static)):
                best = static, group
        return None if best is None else best[1]

    def _used(self, concrete: ConcreteFunction) -> None:
        try:
            self._order.move_to_end(concrete)
        except KeyError:  # another thread dropped it
            pass

    def store(self, concrete: ConcreteFunction, weak: list[Weak]) -> None:
        """Keeps a trace, for as long as the objects among its arguments live."""
        static, dims = concrete.argument_type.static, concrete.argument_type.dims
        group = self._groups.get(static)
        if group is None:
            group = self._groups[static] = _Group()
        old = group.exact.get(dims)
        if old is not None:  # one that cannot be used any more
            self._order.pop(old, None)
        group.add(dims, concrete)
        concrete.number = self.count
        self._order[concrete] = None
        self._drop_entries()
        if current_graph() is None:
            self._recent.append(True)  # traces inside of traces happen once
        watched = weakref.ref(self)
        for part in weak:
            part.on_death = lambda: _forget(watched, static)
        self._shrink()

    def _shrink(self) -> None:
        while len(self._order) > max(self.limit, 1):
            oldest, _ = self._order.popitem(last=False)
            static = oldest.argument_type.static
            group = self._groups.get(static)
            if group is not None:
                group.remove(oldest)
                if not group.exact:
                    del self._groups[static]
            self.dropped += 1

    def _drop_entries(self) -> None:
        self.entries = ()
        self._forms = {}

    def forget(self, static: Static) -> None:
        """Drops the traces of a group."""
        self._drop_entries()  # first: entries know objects by their ids
        group = self._groups.pop(static, None)
        if group is not None:
            for concrete in list(group.exact.values()):
                self._order.pop(concrete, None)
        self._drop_entries()

    def generalized(self, wanted: ArgumentType) -> ArgumentType:
        """`wanted`, made to include the shapes of earlier traces that differ in nothing else."""
        dims = wanted.dims
        group = self._groups.get(wanted.static)
        if group is None and wanted.is_open:
            for static, other in dict(self._groups).items():
                both = common(static, wanted.static)
                if both is not None:
                    wanted, group = wanted.with_static(both, dims), other
                    break
        for shapes in list(group.exact) if group is not None else ():
            dims = tuple(map(relax, dims, shapes))
        return wanted.with_dims(dims)

    def remember(
        self, concrete: ConcreteFunction, args: tuple[Any, ...], kwargs: dict[str, Any], instance: tuple[Any, ...]
    ) -> None:
        """Lets calls like this one, which `concrete` serves, be recognized quickly from now on."""
        used = _use_of(weakref.ref(self), weakref.ref(concrete)) if self._counts_uses else None
        call = keyed_call(concrete, args, kwargs, instance, used)
        form = None
        if call is not None:
            form = self._forms.get(call.form)
            if form is None:
                form = self._forms[call.form] = _Form()
            if form.dispatcher is None and len({*form.known, concrete}) > _PLAIN:
                dispatcher = Dispatcher(call)
                self.entries = tuple(e for e in self.entries if e not in form.entries)
                form.dispatcher, form.entries = dispatcher, []
            form.known[concrete] = None
            if form.dispatcher is not None:
                form.dispatcher.add(call)
                self.add_entry(form.dispatcher.entry)
                return
        entry = entry_for(concrete, args, kwargs, instance, self._is_ambiguous(concrete), used)
        if entry is not None:
            if form is not None:
                form.entries.append(entry)
            self.add_entry(entry)

    def _is_ambiguous(self, concrete: ConcreteFunction) -> bool:
        """Whether another trace differs from this one in shapes only."""
        group = self._groups.get(concrete.argument_type.static)
        return group is None or len(group.exact) > 1

    def add_entry(self, entry: Entry) -> None:
        """Tries `entry` first from now on."""
        others = [e for e in self.entries if e is not entry]
        self.entries = (entry, *others[: ENTRIES - 1])

    # --- warnings ---
    def note_hit(self) -> None:
        """Counts a call that found its trace the long way."""
        self._recent.append(False)

    def latest(self, count: int) -> list[ConcreteFunction]:
        """The traces used last, the last one at the end."""
        return list(itertools.islice(reversed(self._in_order()), count))[::-1]

    def __len__(self) -> int:
        return len(self._order)

    def is_retracing(self) -> bool:
        """Whether there were many traces of late, and no warning has been given (it is given now)."""
        if self._warned or sum(self._recent) < _FREQUENT:
            return False
        self._warned = True
        return True


def _forget(watched: Any, static: Static) -> None:
    traces = watched()
    if traces is not None:
        traces.forget(static)
