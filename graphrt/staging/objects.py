"""Objects of the user's classes where a statement makes another one: joined and carried by what is in their attributes.

if x > 0:                        p: a `Point` whose `x` and `y` are outputs of the conditional
    p = Point(1, 2)
else:                            Point(1, 2)    Instance(Point, x=1, y=2)
    p = Point(x, 3)              with other leaves, and opened again: another point

A deque is what is in it. An attribute that is no data, and the same on both sides, stays what it is. An object that
several variables have, or that has itself inside, stays one.
"""

from __future__ import annotations

import collections
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from autograph.backends.state import Attribute, Item, attributes_of, current_trace, write_place
from graphrt import errors
from graphrt.staging import values as st
from graphrt.staging.closing import (
    Again,
    DequeKind,
    Instance,
    Kept,
    Key,
    fields_at,
    has_closed,
    has_objects,
    is_data,
    is_object,
    kind_of,
)
from graphrt.staging.ends import NOTHING, End
from graphrt.staging.journal import is_same_data
from graphrt.staging.lists import StagedList
from graphrt.staging.maybe_none import MaybeNone, maybe_none
from graphrt.staging.rows import learned_list
from graphrt.tensor.tensor import Tensor
from graphrt.types import structure


# --- one object ------------------------------------------------------------------------------------------------------
def uneven(a: Any, b: Any, _outer: tuple[int, ...] = ()) -> Iterator[tuple[list[Any], Any]]:
    """The lists in `a` that are staged, or of another length, in `b`, each with what is there; `a` itself among them."""
    here, there = map(_substitute, (a, b))
    if type(here) is list and (isinstance(there, StagedList) or (type(there) is list and len(here) != len(there))):
        yield a, there
    elif type(a) is type(b) and id(a) not in _outer and (isinstance(a, (list, tuple, dict)) or is_object(a)):
        parts = NOTHING.parts(b)
        for key, part in NOTHING.parts(a).items():
            if key in parts:
                yield from uneven(part, parts[key], (*_outer, id(a)))


def none_apart(
    name: str, before: Any, after: Any, _outer: tuple[int, ...] = ()
) -> Iterator[tuple[tuple[Any, ...], MaybeNone]]:
    """Where one of two is None and the other may be carried, or parts of them are: keys, and what is to be there."""
    if before is None or after is None or isinstance(after, MaybeNone):
        if not isinstance(before, MaybeNone):
            found = maybe_none(name, after if before is None else before)
            if found is not None:
                yield (), found.fitting(before)
    elif type(before) is type(after) and id(before) not in _outer and is_made_of_parts(before):
        parts = NOTHING.parts(after)
        for key, part in NOTHING.parts(before).items():
            if key in parts:
                label = f"{name}.{key}" if is_object(before) else f"{name}[{key!r}]"
                for inner, found in none_apart(label, part, parts[key], (*_outer, id(before))):
                    yield (key, *inner), found


def is_made_of_parts(value: object) -> bool:
    """Whether a value is a container, or an object that may be taken apart."""
    return isinstance(value, (list, tuple, dict)) or (is_object(value) and type(value) is not collections.deque)


def with_part(value: Any, keys: tuple[Any, ...], part: Any) -> Any:
    """`value` with another part: containers and objects are written, and tell of it; tuples are made anew."""
    if not keys:
        return part
    key, *inner = keys
    old = NOTHING.parts(value)[key]
    new = with_part(old, tuple(inner), part)
    if isinstance(value, tuple):
        return structure.rebuild(value, [new if i == key else v for i, v in enumerate(value)])
    if new is not old:
        attributes = attributes_of(value) if is_object(value) else value
        owner = value if is_object(value) else None
        write_place(Attribute(value, key) if attributes is None else Item(attributes, key, owner), new)
    return value


def _substitute(value: Any) -> Any:
    trace = current_trace()
    found = None if trace is None else trace.substitute(value)
    return value if found is None else found


def growing(before: Any, after: Any) -> list[tuple[list[Any], StagedList]]:
    """The same lists, each with a pattern for the staged list that it is to be; none where that cannot be for all."""
    found: list[tuple[list[Any], StagedList]] = []
    for rows, there in uneven(before, after):
        pattern = there if isinstance(there, StagedList) else learned_list(rows, there)
        if pattern is None:
            return []
        found.append((rows, pattern))
    return found


# --- two of them -----------------------------------------------------------------------------------------------------
class Pairs:
    """Joins what two sides of a statement leave.

    `mismatch(name, what)` is the error where they do not fit; `lists(a, b)` gives two lists or deques of different length
    as staged ones, if that can be, `nones(name, a, b)` None and something else as what may be None.
    """

    def __init__(
        self,
        mismatch: Callable[[str, str], Exception],
        sides: tuple[str, str],
        lists: Callable[[Sequence[Any], Sequence[Any]], tuple[object, object]] = lambda a, b: (a, b),
        ends: tuple[End, End] = (NOTHING, NOTHING),
        nones: Callable[[str, Any, Any, Any], tuple[Any, Any]] = lambda _, a, b, __: (a, b),
    ) -> None:
        self._mismatch = mismatch
        self._sides = sides
        self._lists = lists
        self._ends = ends
        self.nones = nones
        self._open: set[Key] = set()

    def paired(self, name: str, a: object, b: object) -> tuple[Any, Any]:
        """Both with their objects as their attributes; as they are where they hold none."""
        a, b = self.nones(name, *self._at_ends(a, b), self._of_one_length)
        if isinstance(a, MaybeNone):
            return a, b
        if a is b or (type(a) is not type(b) and not isinstance(a, Instance) and not isinstance(b, Instance)):
            return a, b
        if isinstance(a, (list, tuple, dict)):
            return self._structures(name, a, b)
        if not is_object(a) or not is_object(b) or not _are_of_one_kind(a, b) or st.same_object(a, b):
            return a, b
        if isinstance(a, collections.deque) and isinstance(b, collections.deque) and len(a) != len(b):
            return self._lists(a, b)
        left = Instance(kind_of(a), (_key(a), _key(b)))
        right = Instance(left.kind, left.key)
        if left.key in self._open:
            return Again(left.key), Again(left.key)
        ours, theirs = fields_at(a, self._ends[0]), fields_at(b, self._ends[1])
        for some, others, side in ((ours, theirs, 1), (theirs, ours, 0)):
            for key in sorted(some.keys() - others.keys()):
                raise self.unset(f"{name}.{key}", side)
        self._open.add(left.key)
        for key in ours:
            left.parts[key], right.parts[key] = self._parts(f"{name}.{key}", ours[key], theirs[key])
        self._open.discard(left.key)
        return left, right

    def _of_one_length(self, name: str, a: Any, b: Any) -> tuple[Any, Any]:
        if any(type(v) is list for v in (a, b)) and all(isinstance(v, (list, StagedList)) for v in (a, b)):
            a, b = self._lists(a, b)
        return self.paired(name, a, b)

    def _at_ends(self, a: object, b: object) -> tuple[Any, Any]:
        return self._ends[0].value(a), self._ends[1].value(b)

    def _structures(self, name: str, a: Any, b: Any) -> tuple[Any, Any]:
        if len(a) != len(b) or not (has_objects(a) or has_objects(b) or any(uneven(a, b)) or any(uneven(b, a))):
            return a, b
        try:
            parts_a, parts_b = structure.children(a), structure.children(b)
        except TypeError:
            return a, b
        if [k for k, _ in parts_a] != [k for k, _ in parts_b]:
            return a, b
        both = [self._parts(f"{name}[{k!r}]", x, y) for (k, x), (_, y) in zip(parts_a, parts_b)]
        return structure.rebuild(a, [x for x, _ in both]), structure.rebuild(b, [y for _, y in both])

    def _parts(self, name: str, a: Any, b: Any) -> tuple[Any, Any]:
        kept = [v.value if isinstance(v, Kept) else v for v in (a, b)]
        if isinstance(a, Kept) or isinstance(b, Kept):
            a, b = kept
        a, b = self._at_ends(a, b)
        if is_same_data(a, b) or (a is b and not is_data(a)):
            return Kept(a), Kept(a)
        a, b = self._of_one_length(name, a, b)
        if st.is_stageable(a) and st.is_stageable(b):
            self.compare(name, a, b)
            return a, b
        if not isinstance(a, Tensor) and st.same_object(a, b):
            return Kept(a), Kept(a)
        raise self.differ(name, a, b)

    def differ(self, name: str, a: object, b: object) -> Exception:
        """The error for what is one thing here, and another there."""
        return self._mismatch(
            name,
            f"is {st.type_text(a)} {self._sides[0]}, but {st.type_text(b)} {self._sides[1]}, which no graph carries",
        )

    def compare(self, name: str, a: object, b: object) -> None:
        """Raises where two structures of data are not of one form."""
        try:
            structure.assert_same_structure(a, b, expand_composites=True)
        except errors.StructureMismatchError:
            raise self.differ(name, a, b) from None

    def unset(self, name: str, side: int) -> Exception:
        """The error for an attribute that is not there on one side."""
        return self._mismatch(name, f"is set {self._sides[1 - side]}, but not {self._sides[side]}")


def fitted(pairs: Pairs, name: str, like: object, value: object) -> Any:
    """`value` with its objects as their attributes, those kept that `like`, which is closed, keeps."""
    if isinstance(like, MaybeNone):
        if value is None:
            return like.fitting(value)
        flag, there = (value.flag, value.value) if isinstance(value, MaybeNone) else (True, value)
        return MaybeNone(name, _fitted_part(pairs, name, like.inner, there), flag)
    if isinstance(like, Instance):
        if not is_object(value) or not _are_of_one_kind(value, like):
            return value
        found = Instance(like.kind, _key(value))
        fields = fields_at(value)
        for some, others, side in ((fields, like.parts, 0), (like.parts, fields, 1)):
            for key in sorted(some.keys() - others.keys()):
                raise pairs.unset(f"{name}.{key}", side)
        for key, part in like.parts.items():
            found.parts[key] = _fitted_part(pairs, f"{name}.{key}", part, fields[key])
        return found
    if not isinstance(like, (list, tuple, dict)) or not has_closed(like) or type(value) is not type(like):
        return value
    try:
        parts_like, parts = structure.children(like), structure.children(value)
    except TypeError:
        return value
    if [k for k, _ in parts_like] != [k for k, _ in parts]:
        return value
    both = zip(parts_like, parts)
    return structure.rebuild(value, [_fitted_part(pairs, f"{name}[{k!r}]", x, y) for (k, x), (_, y) in both])


def _fitted_part(pairs: Pairs, name: str, like: object, value: object) -> Any:
    if isinstance(like, Again):
        return like
    if isinstance(like, Kept):
        kept = value.value if isinstance(value, Kept) else value
        if not is_same_data(like.value, kept) and (isinstance(kept, Tensor) or not st.same_object(like.value, kept)):
            raise pairs.differ(name, like.value, kept)
        return like
    value = NOTHING.value(value)
    if isinstance(like, StagedList) and type(value) is list:
        value = like.filled(value)
    found = fitted(pairs, name, like, value)
    if not st.is_stageable(found) and not (st.is_empty(like) and st.is_empty(found)):
        raise pairs.differ(name, like, value)
    pairs.compare(name, like, found)
    return found


def _are_of_one_kind(a: object, b: object) -> bool:
    kinds = kind_of(a), kind_of(b)
    return kinds[0] is kinds[1] or (all(isinstance(kind, DequeKind) for kind in kinds) and kinds[0] == kinds[1])


def _key(value: object) -> Key:
    return value.key if isinstance(value, Instance) else id(value)
