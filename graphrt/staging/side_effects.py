"""Objects that staged code changes behind its variables: by methods, by functions inside, by `list.extend`.

    def deposit(self, x):               for x in xs:                 `account.balance` is set in a method: no variable of
        self.balance += x                   account.deposit(x)       the loop, but the loop has to carry it

Before a branch or an iteration is traced, the lists, dictionaries, attributes and globals that its code can reach are
written down. Places that hold another tensor, number or string afterwards become variables of the statement, as if the
code had named them. A set, deque, bytearray or iterator that changes is refused, for no graph can carry it. What happens
to other objects Python does once, while tracing: so that layers, caches and the like can be made in branches.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from opcode import EXTENDED_ARG, opmap
from types import CellType, CodeType, FunctionType, GeneratorType, MethodType, ModuleType
from typing import Any

import numpy as np

from autograph.backends import Undefined
from graphrt import errors
from graphrt.staging.aliases import leave_behind, watching
from graphrt.staging.lists import StagedList
from graphrt.tensor.context import current_graph
from graphrt.tensor.tensor import SymbolicTensor, Tensor
from graphrt.types.structure import Composite

LIMIT = 400  # objects that are looked at for one statement
DEEPEST = 6
_LARGEST = 10_000  # elements of arrays that are looked at
_OURS = ("graphrt", "autograph", "numpy")
_HERE = __name__.rpartition(".")[0]
_SCALARS = (bool, int, float, complex, str, bytes, np.generic)
_BAGS = (set, deque, bytearray)
_ITERATORS: tuple[type, ...] = tuple(type(iter(v)) for v in (list[int](), (), range(0), dict[int, int](), ""))


class Place:
    """Where a value is kept: a key of a dictionary, an attribute, a variable that functions share, a staged list itself.

    The attributes of a class, and those that are slots, are kept by a `_Slots`.

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
        if isinstance(self.holder, (list, np.ndarray)):
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

    def is_data(self, *values: Any) -> bool:
        """Whether `values` are what a program computes with: then it must not get lost that a branch makes one."""
        if isinstance(self.holder, dict) and any(isinstance(v, Undefined) for v in values):
            if self.label.rpartition(".")[2] == self.key:  # an attribute that only one branch makes
                return False
        return all(_is_data(v) or isinstance(v, Undefined) for v in values)

    def is_same(self, other: Place) -> bool:
        """Whether both are one place."""
        return self.holder is other.holder and self.key == other.key


class _Slots(dict[str, Any]):
    """The attributes of a class, or the slots of an object, as a dictionary that writes through."""

    def __init__(self, owner: Any, values: dict[str, Any]) -> None:
        super().__init__(values)
        self.owner = owner

    def fresh(self) -> dict[str, Any]:
        """What the attributes are now."""
        if isinstance(self.owner, type):
            return {k: v for k, v in vars(self.owner).items() if k in self}
        return {k: getattr(self.owner, k) for k in self if hasattr(self.owner, k)}

    def get(self, key: str, default: Any = None) -> Any:
        return self.fresh().get(key, default)

    def __setitem__(self, key: str, value: Any) -> None:
        setattr(self.owner, key, value)

    def pop(self, key: str, default: Any = None) -> Any:
        if hasattr(self.owner, key):
            delattr(self.owner, key)


class Ledger:
    """What the code of a statement can reach, as it was at one moment."""

    def __init__(self, functions: tuple[Any, ...]) -> None:
        self._kept: dict[int, tuple[Any, Any]] = {}  # id of a container -> container and what was in it
        self._places: dict[int, list[Any]] = {}  # id of a list -> the places that hold it
        self._labels: dict[int, str] = {}  # id of a dictionary -> what messages call what it belongs to
        self._attributes: set[int] = set()  # ids of dictionaries that hold attributes
        self._bags: dict[int, tuple[Any, Any, str]] = {}  # id -> a set, deque, ..., what was in it, what it is called
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
        if code is not None:
            self._look_at_globals(function.__globals__, code, depth)

    def _look_at_globals(self, space: dict[str, Any], code: CodeType, depth: int) -> None:
        read, written = _global_names(code)
        for name in read:
            value = space.get(name)
            kind = type(value)
            if kind is ModuleType or value is None or kind in _SCALARS:
                continue
            if kind is FunctionType and depth > 2:
                continue
            if isinstance(value, type):
                self._visit_class(value, name)
            else:
                self._hold(space, name, name, value, depth + 1)
        if written:
            key = id(space)
            if key not in self._kept:
                self._kept[key] = space, {}
                self._labels[key] = "global "
                self._attributes.add(key)
            before = self._kept[key][1]
            before.update((n, space[n]) for n in written if n in space and n not in before)

    def _visit_class(self, value: type, label: str) -> None:
        if id(value) in self._seen or _is_ours(value.__module__) or not value.__flags__ & _HEAP_TYPE:
            return
        self._seen.add(id(value))
        data = {k: v for k, v in vars(value).items() if k[:2] != "__" and _is_data(v)}
        if data:
            self._keep_slots(_Slots(value, data), label)

    def _keep_slots(self, slots: _Slots, label: str) -> None:
        self._kept[id(slots)] = slots, dict(slots)
        self._labels[id(slots)] = f"{label}."
        self._attributes.add(id(slots))

    def _hold(self, holder: Any, key: Any, label: str, value: Any, depth: int) -> None:
        if type(value) is list or isinstance(value, np.ndarray):
            self._places.setdefault(id(value), []).append(Place(holder, key, label))
        self._visit(value, label, depth)

    def _visit(self, value: Any, label: str, depth: int) -> None:
        kind = type(value)
        if id(value) in self._seen or depth > DEEPEST or len(self._seen) > LIMIT:
            return
        if isinstance(value, type):
            self._visit_class(value, label)
        elif isinstance(value, np.ndarray):
            if value.flags.writeable and value.size <= _LARGEST and value.dtype.kind in "biufc":
                self._seen.add(id(value))
                self._kept[id(value)] = value, value.copy()
        elif isinstance(value, _BAGS):
            self._seen.add(id(value))
            self._bags[id(value)] = value, kind(value), label
        elif kind in _ITERATORS or kind is GeneratorType:
            self._seen.add(id(value))
            self._bags[id(value)] = value, _position(value), label
        elif kind in (list, dict):
            self._seen.add(id(value))
            self._kept[id(value)] = value, kind(value)
            self._labels[id(value)] = label
            for key, item in list(enumerate(value) if kind is list else value.items())[:LIMIT]:
                self._hold(value, key, f"{label}[{key!r}]", item, depth + 1)
        elif isinstance(value, dict) and kind.__module__ == "collections":
            self._seen.add(id(value))
            self._kept[id(value)] = value, dict(value)
            self._labels[id(value)] = label
            for key, item in list(value.items())[:LIMIT]:
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
                if value.__dict__:
                    self._visit_attributes(value.__dict__, label, depth)
        elif not isinstance(value, (type, Tensor, Composite)) and not _is_ours(kind.__module__):
            attributes = getattr(value, "__dict__", None)
            if type(attributes) is dict and kind.__module__ != "builtins":
                self._seen.add(id(value))
                self._visit_attributes(attributes, label, depth)
                self._look_into_methods(kind, depth)
            elif kind.__module__ != "builtins" and (names := _slots_of(kind)):
                self._seen.add(id(value))
                slots = _Slots(value, {n: getattr(value, n) for n in names if hasattr(value, n)})
                self._keep_slots(slots, label)
                for name, item in slots.items():
                    self._visit(item, f"{label}.{name}", depth + 1)

    def _visit_attributes(self, attributes: dict[str, Any], label: str, depth: int) -> None:
        self._kept[id(attributes)] = attributes, dict(attributes)
        self._labels[id(attributes)] = f"{label}."
        self._attributes.add(id(attributes))
        for name, item in list(attributes.items()):
            self._hold(attributes, name, f"{label}.{name}", item, depth + 1)

    def _look_into_methods(self, kind: type, depth: int) -> None:
        """Looks at what the class of an object keeps for all its objects."""
        for base in kind.__mro__:
            if not base.__flags__ & _HEAP_TYPE or _is_ours(base.__module__):
                break
            self._visit_class(base, base.__name__)

    # --- what has changed ---
    def changes(self, loop: bool = False) -> list[Place]:
        """The places that hold another tensor, number or string than they did, or a list with others.

        Attributes that an iteration of a `loop` makes are none: there may be no iteration.
        """
        found: list[Place] = []
        for container, before in self._kept.values():
            if isinstance(container, StagedList):
                if any(a is not b for a, b in zip(container.handles, before.handles)):
                    found.append(Place(container, None, "a list"))
            elif isinstance(container, CellType):
                if _is_set_anew(container, before):
                    found.append(Place(container, None, self._labels[id(container)]))
            elif isinstance(container, np.ndarray):
                if not is_same_array(container, before):
                    found += self._holding(container)
            elif isinstance(container, list):
                if len(container) == len(before):
                    found += [
                        Place(container, i, f"{self._labels[id(container)]}[{i}]")
                        for i, (a, b) in enumerate(zip(container, before))
                        if _is_changed(b, a)
                    ]
                elif any(_is_symbolic(v) for v in (*container, *before)) or all(map(_is_data, (*container, *before))):
                    found += self._holding(container)
            else:
                found += self._changed_items(container, before, loop)
        return found

    def refused(self) -> list[tuple[Any, Any, str]]:
        """What has changed, but cannot be carried: object, what was in it (None if it cannot go back), and a label."""
        found: list[tuple[Any, Any, str]] = []
        for bag, before, label in self._bags.values():
            if isinstance(bag, _BAGS):
                if bag != before:
                    found.append((bag, before, label))
            elif _position(bag) != before:
                found.append((bag, None, label))
        return found

    def _holding(self, container: Any) -> list[Place]:
        first, *rest = self._places.get(id(container), [None])
        if first is None:
            return []
        first.also = rest
        return [first]

    def _changed_items(self, container: dict[Any, Any], before: dict[Any, Any], loop: bool) -> Iterator[Place]:
        attributes = id(container) in self._attributes
        now = container.fresh() if isinstance(container, _Slots) else container
        owner = self._labels[id(container)]
        if owner == "global ":  # not more than what is written to
            now = {k: container[k] for k in before if k in container}
        keys = [*before, *(k for k in now if k not in before)]
        builds = attributes and any(now.get(k) is not before.get(k) and not _is_data(now.get(k)) for k in keys)
        for key in keys:
            old, new = before.get(key, _NOTHING), now.get(key, _NOTHING)
            if old is new or (attributes and (new is _NOTHING or (old is _NOTHING and loop))):
                continue
            if not _is_symbolic(new) and (builds or (attributes and old is _NOTHING)):
                continue  # an object that is being built: what it says of itself is not data
            if _is_changed(old, new):
                yield Place(container, key, f"{owner}{key}" if attributes else f"{owner}[{key!r}]")

    def restore(self, places: list[Place]) -> None:
        """Puts back what was in `places`."""
        for place in places:
            if isinstance(place.holder, StagedList):
                place.holder.become(self._kept[id(place.holder)][1].copy())
                continue
            value = place.get()
            if id(value) in self._kept and (type(value) is list or isinstance(value, np.ndarray)):
                value[:] = self._kept[id(value)][1]
            elif isinstance(place.holder, CellType):
                place.set(self._kept[id(place.holder)][1])
            elif id(place.holder) in self._kept:
                before = self._kept[id(place.holder)][1]
                missing = isinstance(before, dict) and place.key not in before
                place.set(Undefined(place.label) if missing else before[place.key])

    def replace(self, become: dict[int, StagedList]) -> None:
        """Puts what stands for a list in the place of the list, wherever it is kept."""
        for container, _ in list(self._kept.values()):
            if isinstance(container, CellType):
                if _is_among(container, become):
                    container.cell_contents = become[id(container.cell_contents)]
            elif isinstance(container, (list, dict)):
                for key, value in list(enumerate(container) if isinstance(container, list) else container.items()):
                    if type(value) is list and id(value) in become:
                        container[key] = become[id(value)]

    def refuse(self, statement: str) -> None:
        """Raises when something has changed that no graph can carry.

        Raises:
          SideEffectError: a set, a deque, a bytearray or an iterator is not what it was.
        """
        for thing, before, label in self.refused():
            if before is not None:
                refill(thing, before)
            raise side_effect(thing, label, statement)


def _is_among(cell: CellType, become: dict[int, Any]) -> bool:
    try:
        return type(cell.cell_contents) is list and id(cell.cell_contents) in become
    except ValueError:
        return False


def refill(bag: Any, before: Any) -> None:
    """Has a set, deque or bytearray hold what `before` does."""
    bag.clear()
    if isinstance(bag, set):
        bag.update(before)
    else:
        bag.extend(before)


def side_effect(thing: Any, label: str, statement: str) -> Exception:
    """The error for something that a staged statement changes, and no graph can carry."""
    kind = type(thing).__name__
    if isinstance(thing, _BAGS):
        remedy = "Use a list, which may grow and shrink in a graph, or a tensor of flags"
        what = f"{label!r}, a {kind}, changes"
    else:
        remedy = "Take the element ahead of it, or loop over a tensor"
        what = f"{label!r}, a {kind}, goes on to its next element"
    return errors.SideEffectError(
        errors.at_user_line(
            f"{what} in a staged {statement}: this would happen once, while tracing, whatever the condition. {remedy}."
        )
    )


_NOTHING = Undefined("nothing")
_HEAP_TYPE = 1 << 9  # Py_TPFLAGS_HEAPTYPE
# state: bounded to 5,000 codes
_names_of: dict[int, tuple[CodeType, tuple[str, ...], tuple[str, ...]]] = {}
_STORES = frozenset({"STORE_GLOBAL", "DELETE_GLOBAL"})


def _global_names(code: CodeType) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The names that may be globals in a function and those inside, and the globals that it sets."""
    found = _names_of.get(id(code))
    if found is None:
        read: dict[str, None] = {}
        written: dict[str, None] = {}
        codes = [code]
        for part in codes:
            read.update(dict.fromkeys(part.co_names))
            codes += [c for c in part.co_consts if isinstance(c, CodeType)]
            units = part.co_code
            extended = 0
            for at in range(0, len(units), 2):
                operation, argument = units[at], units[at + 1] | extended << 8
                extended = argument if operation == EXTENDED_ARG else 0
                if operation in _STORE_CODES:
                    written[part.co_names[argument]] = None
        if len(_names_of) > 5000:
            _names_of.clear()
        found = _names_of[id(code)] = code, tuple(read), tuple(written)
    return found[1], found[2]


_STORE_CODES = frozenset(opmap[name] for name in _STORES if name in opmap)


def _slots_of(kind: type) -> list[str]:
    found: list[str] = []
    for base in kind.__mro__:
        slots = vars(base).get("__slots__", ())
        found += [slots] if isinstance(slots, str) else list(slots)
    return [n for n in found if not n.startswith("__")]


def _position(iterator: Any) -> Any:
    """Something that differs when an iterator has gone on."""
    if type(iterator) is GeneratorType:
        frame = iterator.gi_frame
        return None if frame is None else (frame.f_lasti, dict(frame.f_locals).keys())
    return iterator.__length_hint__()


def _is_data(value: Any, depth: int = 3) -> bool:
    """Whether `value` is a number, a string, a tensor, or a list, tuple or dictionary of them."""
    if isinstance(value, (list, tuple, dict)):
        return depth > 0 and all(_is_data(v, depth - 1) for v in (value.values() if isinstance(value, dict) else value))
    return isinstance(value, (*_SCALARS, SymbolicTensor, StagedList)) or value is _NOTHING


def is_same_array(a: np.ndarray[Any, Any], b: Any) -> bool:
    """Whether both are arrays of the same elements."""
    if not isinstance(b, np.ndarray) or a.dtype != b.dtype or a.shape != b.shape:
        return False
    return a is b or a.tobytes() == b.tobytes()


def is_same_data(a: Any, b: Any) -> bool:
    """Whether both are one number or string, which needs no graph."""
    return type(a) is type(b) and isinstance(a, _SCALARS) and bool(a == b)


def _is_changed(old: Any, new: Any) -> bool:
    """Whether a place that held `old` holds other data now."""
    if old is new:
        return False
    if _is_symbolic(new):
        return True
    if old is _NOTHING:
        return _is_data(new)
    if isinstance(old, (list, dict)) or isinstance(new, (list, dict)):
        return False  # looked at for itself
    if not _is_data(old) or not _is_data(new):
        return False
    return _is_symbolic(old) or type(old) is not type(new) or bool(old != new)


def _is_set_anew(cell: CellType, before: Any) -> bool:
    try:
        value = cell.cell_contents
    except ValueError:
        return False
    return _is_changed(before, value)


def _is_symbolic(value: Any, depth: int = 3) -> bool:
    """Whether `value` is a symbolic tensor or a staged list, or a structure that holds one."""
    if isinstance(value, (list, tuple, dict)):
        return depth > 0 and any(_is_symbolic(v, depth - 1) for v in (value.values() if type(value) is dict else value))
    return isinstance(value, (SymbolicTensor, StagedList))


def _is_ours(module: Any) -> bool:
    return isinstance(module, str) and module.partition(".")[0] in _OURS


def copy_of(value: Any) -> Any:
    """A list or array as it is now, apart from what will become of it; other values as they are."""
    if isinstance(value, np.ndarray):
        return value.copy()
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
        ledger.refuse("expression")
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
    also: list[tuple[int, Place]] = []  # places that hold the very list that a variable holds
    watch, test_assigns = True, False

    def get() -> tuple[Any, ...]:
        return (*get_state(), *(p.get() for p in places))

    def set_(values: tuple[Any, ...]) -> None:
        for place, value in zip(places, values[len(names) :]):
            place.set(value)
        for i, place in also:
            place.set(values[i])
        set_state(values[: len(names)])  # after them: a name may stand for an item of what is kept there

    while True:
        mark = current_graph().checkpoint()
        before = get()
        ledger = watching(Ledger((body, test)))

        def watched_body(*args: Any, ledger: Ledger = ledger, before: tuple[Any, ...] = before) -> None:
            with undone_on_error(ledger):
                body(*args)
            after = get()
            set_(before)
            changed = ledger.changes(loop=True) if watch else []
            if changed:
                ledger.restore(changed)
                raise Discovered(changed)
            ledger.refuse("loop")
            set_(after)

        def watched_test(ledger: Ledger = ledger, before: tuple[Any, ...] = before) -> Any:
            if test_assigns or test is None or not watch:
                return test() if test is not None else None
            with undone_on_error(ledger):
                result = test()
            after = get()
            set_(before)
            changed = ledger.changes(loop=True)
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
            leave_behind(tuple(p.get() for p in places))
            return
        except Discovered as found:
            new = [p for p in found.places if not any(p.is_same(q) for q in (*places, *(q for _, q in also)))]
            current_graph().rollback(mark)
            set_(before)
            fresh, new = new, []
            for p in fresh:
                held = p.get()
                same = next((i for i, v in enumerate(before[: len(names)]) if v is held and type(v) is list), None)
                if same is None:
                    new.append(p)
                else:
                    also.append((same, p))
            watch = bool(fresh) or found.by_test > test_assigns  # else nothing is gained by trying again
            test_assigns = test_assigns or found.by_test
            places += new
        except Exception as error:
            if not places or isinstance(error, errors.SideEffectError) or all(_is_data(p.get()) for p in places):
                raise
            current_graph().rollback(mark)  # what is there cannot be carried: it stays Python's own business
            set_(before)
            places.clear()
            watch = False
