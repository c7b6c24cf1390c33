"""Objects that staged code changes behind its variables: by methods, by functions inside, by `list.extend`.

    def deposit(self, x):               for x in xs:                 `account.balance` is set in a method: no variable of
        self.balance += x                   account.deposit(x)       the loop, but the loop has to carry it

Before a branch or an iteration is traced, the lists, dictionaries and attributes that its code can reach are written
down. Places that hold another tensor afterwards become variables of the statement, as if the code had named them. What
else Python does while tracing it does once, as everywhere in a traced function.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import CellType, FunctionType, MethodType
from typing import Any

from autograph import Undefined
from graphrt.staging.lists import StagedList
from graphrt.tensor.context import current_graph
from graphrt.tensor.tensor import SymbolicTensor, Tensor
from graphrt.types.structure import Composite

LIMIT = 400  # objects that are looked at for one statement
DEEPEST = 6
_OURS = ("graphrt", "autograph", "numpy")
_HERE = __name__.rpartition(".")[0]


class Place:
    """Where a value is kept: a key of a dictionary, an attribute, a variable that functions share, a staged list itself.

    Attributes:
      also: other places that hold the same list.
    """

    __slots__ = ("also", "holder", "key", "label")

    def __init__(self, holder: Any, key: Any, label: str) -> None:
        self.holder = holder
        self.key = key
        self.label = label
        self.also: list[Place] = []

    def get(self) -> Any:
        """What is there; an `Undefined` when nothing is."""
        if isinstance(self.holder, CellType):
            return self.holder.cell_contents
        if isinstance(self.holder, StagedList):
            return self.holder.copy()
        if isinstance(self.holder, list):
            return self.holder[self.key]
        return self.holder.get(self.key, Undefined(self.label))

    def set(self, value: Any) -> None:
        """Puts `value` there; removes what is there for an `Undefined`."""
        for other in self.also:
            other.set(value)
        if isinstance(self.holder, CellType):
            self.holder.cell_contents = value
        elif isinstance(self.holder, StagedList):
            self.holder.become(value)
        elif isinstance(value, Undefined):
            self.holder.pop(self.key, None)
        else:
            self.holder[self.key] = value

    def is_same(self, other: Place) -> bool:
        """Whether both are one place."""
        return self.holder is other.holder and self.key == other.key


class Ledger:
    """What the code of a statement can reach, as it was at one moment."""

    def __init__(self, functions: tuple[Any, ...]) -> None:
        self._kept: dict[int, tuple[Any, Any]] = {}  # id of a container -> container and what was in it
        self._places: dict[int, list[Any]] = {}  # id of a list -> the places that hold it
        self._labels: dict[int, str] = {}  # id of a dictionary -> what messages call what it belongs to
        self._seen: set[int] = set()
        for function in functions:
            self._look_into(function, 0)

    # --- what can be reached ---
    def _look_into(self, function: Any, depth: int) -> None:
        code = getattr(function, "__code__", None)
        for name, cell in zip(code.co_freevars if code else (), getattr(function, "__closure__", None) or ()):
            try:
                value = cell.cell_contents
            except ValueError:  # a variable that is not set yet
                continue
            self._kept.setdefault(id(cell), (cell, value))
            self._labels.setdefault(id(cell), name)
            self._hold(cell, None, name, value, depth)

    def _hold(self, holder: Any, key: Any, label: str, value: Any, depth: int) -> None:
        if type(value) is list:
            self._places.setdefault(id(value), []).append(Place(holder, key, label))
        self._visit(value, label, depth)

    def _visit(self, value: Any, label: str, depth: int) -> None:
        kind = type(value)
        if id(value) in self._seen or depth > DEEPEST or len(self._seen) > LIMIT:
            return
        if kind in (list, dict):
            self._seen.add(id(value))
            self._kept[id(value)] = value, kind(value)
            self._labels[id(value)] = label
            for key, item in list(enumerate(value) if kind is list else value.items())[:LIMIT]:
                self._hold(value, key, f"{label}[{key!r}]", item, depth + 1)
        elif kind is tuple:
            for i, item in enumerate(value[:LIMIT]):
                self._visit(item, f"{label}[{i}]", depth + 1)
        elif isinstance(value, StagedList):
            self._seen.add(id(value))
            self._kept[id(value)] = value, value.copy()
        elif kind is MethodType:
            self._visit(value.__self__, label, depth)
        elif kind is FunctionType:
            if not _is_ours(value.__module__) or value.__module__.startswith(_HERE):  # what wraps the user's functions
                self._seen.add(id(value))
                self._look_into(value, depth + 1)
        elif not isinstance(value, (type, Tensor, Composite)) and not _is_ours(kind.__module__):
            attributes = getattr(value, "__dict__", None)
            if type(attributes) is dict and kind.__module__ != "builtins":
                self._seen.add(id(value))
                self._kept[id(attributes)] = attributes, dict(attributes)
                self._labels[id(attributes)] = f"{label}."
                for name, item in list(attributes.items()):
                    self._hold(attributes, name, f"{label}.{name}", item, depth + 1)

    # --- what has changed ---
    def changes(self) -> list[Place]:
        """The places that hold another tensor, or a list with other tensors, than they did."""
        found: list[Place] = []
        for container, before in self._kept.values():
            if isinstance(container, StagedList):
                if any(a is not b for a, b in zip(container.handles, before.handles)):
                    found.append(Place(container, None, "a list"))
            elif isinstance(container, CellType):
                if _is_set_anew(container, before):
                    found.append(Place(container, None, self._labels[id(container)]))
            elif isinstance(container, list):
                if len(container) == len(before):
                    found += [
                        Place(container, i, f"{self._labels[id(container)]}[{i}]")
                        for i, (a, b) in enumerate(zip(container, before))
                        if a is not b and _is_symbolic(a)
                    ]
                elif any(_is_symbolic(v) for v in (*container, *before)):
                    found += self._holding(container)
            else:
                found += self._changed_items(container, before)
        return found

    def _holding(self, container: list[Any]) -> list[Place]:
        first, *rest = self._places.get(id(container), [None])
        if first is None:
            return []
        first.also = rest
        return [first]

    def _changed_items(self, container: dict[Any, Any], before: dict[Any, Any]) -> Iterator[Place]:
        for key, value in container.items():
            if key in before and value is not before[key] and _is_symbolic(value):
                owner = self._labels[id(container)]
                yield Place(container, key, f"{owner}{key}" if owner.endswith(".") else f"{owner}[{key!r}]")

    def restore(self, places: list[Place]) -> None:
        """Puts back what was in `places`."""
        for place in places:
            if isinstance(place.holder, StagedList):
                place.holder.become(self._kept[id(place.holder)][1].copy())
                continue
            value = place.get()
            if id(value) in self._kept and type(value) is list:
                value[:] = self._kept[id(value)][1]
            elif isinstance(place.holder, CellType):
                place.set(self._kept[id(place.holder)][1])
            elif id(place.holder) in self._kept:
                place.set(self._kept[id(place.holder)][1][place.key])


def _is_set_anew(cell: CellType, before: Any) -> bool:
    try:
        value = cell.cell_contents
    except ValueError:
        return False
    return value is not before and _is_symbolic(value)


def _is_symbolic(value: Any, depth: int = 3) -> bool:
    """Whether `value` is a symbolic tensor or a staged list, or a structure that holds one."""
    if isinstance(value, (list, tuple, dict)):
        return depth > 0 and any(_is_symbolic(v, depth - 1) for v in (value.values() if type(value) is dict else value))
    return isinstance(value, (SymbolicTensor, StagedList))


def _is_ours(module: Any) -> bool:
    return isinstance(module, str) and module.partition(".")[0] in _OURS


def copy_of(value: Any) -> Any:
    """A list as it is now, apart from what will become of it; other values as they are."""
    return list(value) if type(value) is list else value


def watched(function: Callable[..., Any], ledger: Ledger) -> Callable[..., Any]:
    """`function`, which raises `Discovered` when it changes a place, and leaves none changed when it fails."""

    def call(*args: Any) -> Any:
        with undone_on_error(ledger):
            result = function(*args)
        changed = ledger.changes()
        if changed:
            ledger.restore(changed)
            raise Discovered(changed)
        return result

    return call


@contextmanager
def undone_on_error(ledger: Ledger) -> Iterator[None]:
    """Puts back what was changed before an error."""
    try:
        yield
    except BaseException:
        ledger.restore(ledger.changes())
        raise


class Discovered(Exception):
    """An iteration, or a branch, changed places that the statement does not carry."""

    def __init__(self, places: list[Place], by_test: bool = False) -> None:
        super().__init__()
        self.places = places
        self.by_test = by_test


def with_places(
    record: Callable[[Any, Any, Any, Any, tuple[str, ...], bool], None],
    body: Callable[..., Any],
    test: Callable[[], Any] | None,
    get_state: Any,
    set_state: Any,
    names: tuple[str, ...],
) -> None:
    """Calls `record(test, body, get_state, set_state, names, test_assigns)`, which records a loop; again, with more
    state, when body or test change places that are no variables."""
    places: list[Place] = []
    watch, test_assigns = True, False

    def get() -> tuple[Any, ...]:
        return (*get_state(), *(p.get() for p in places))

    def set_(values: tuple[Any, ...]) -> None:
        for place, value in zip(places, values[len(names) :]):
            place.set(value)
        set_state(values[: len(names)])  # after them: a name may stand for an item of what is kept there

    while True:
        mark = current_graph().checkpoint()
        before = get()
        ledger = Ledger((body, test))

        def watched_body(*args: Any, ledger: Ledger = ledger, before: tuple[Any, ...] = before) -> None:
            with undone_on_error(ledger):
                body(*args)
            after = get()
            set_(before)
            changed = ledger.changes() if watch else []
            if changed:
                ledger.restore(changed)
                raise Discovered(changed)
            set_(after)

        def watched_test(ledger: Ledger = ledger, before: tuple[Any, ...] = before) -> Any:
            if test_assigns or test is None or not watch:
                return test() if test is not None else None
            with undone_on_error(ledger):
                result = test()
            after = get()
            set_(before)
            changed = ledger.changes()
            if changed:
                ledger.restore(changed)
                raise Discovered(changed, by_test=True)
            set_(after)
            return result

        try:
            record(
                None if test is None else watched_test, watched_body, get, set_, (*names, *(p.label for p in places)),
                test_assigns,
            )  # fmt: skip
            return
        except Discovered as found:
            new = [p for p in found.places if not any(p.is_same(q) for q in places)]
            current_graph().rollback(mark)
            set_(before)
            watch = bool(new) or found.by_test > test_assigns  # else nothing is gained by trying again
            test_assigns = test_assigns or found.by_test
            places += new
        except Exception:
            if not places:
                raise
            current_graph().rollback(mark)  # what is there cannot be carried: it stays Python's own business
            set_(before)
            places.clear()
            watch = False
