"""Nested structures: lists, tuples, dictionaries, named tuples, dataclasses and attrs classes as trees of leaves.

Dictionaries are walked in the order of their sorted keys, as TensorFlow's `nest` does, so that equal dictionaries
flatten alike whatever order they were filled in.

>>> flatten({"b": [1, 2], "a": (3,)})
[3, 1, 2]
>>> pack_like({"b": [0, 0], "a": (0,)}, [30, 10, 20])
{'b': [10, 20], 'a': (30,)}
"""

from __future__ import annotations

import collections
import collections.abc
import dataclasses
from collections.abc import Callable, Iterator
from typing import Any

from graphrt.errors import StructureMismatchError
from graphrt.types.nesting import bounded, shown, told


class Composite:
    """Base of values made of tensors (a TensorArray, say): taken apart where only tensors may pass."""

    __slots__ = ()

    def components(self) -> list[Any]:
        """The tensors this value is made of."""
        raise TypeError(f"{type(self).__name__} does not say which tensors it is made of")

    def with_components(self, components: list[Any]) -> Any:
        """A value like this one, made of other tensors."""
        raise TypeError(f"{type(self).__name__} cannot be rebuilt from tensors")

    def of_shape(self, shape: Any) -> Any:
        """The spec of values like this one of another shape; None where a shape says nothing of the tensors."""
        return None


class Nullable(Composite):
    """Base of the composites that are None in some runs of a graph: `value` where the bool `flag` holds."""

    __slots__ = ()

    flag: Any
    value: Any

    @property
    def is_mutable(self) -> bool:
        """Whether the value is, or holds, what can be changed in place."""
        return False

    def settled(self) -> Any:
        """The value, or None, where that is known; else this."""
        return self

    def closed(self, end: Any) -> Any:
        """This with its objects as their attributes, as they are at an `end`."""
        return self


class Repeatable(Composite):
    """Base of the composites that a number repeats, as it does Python's lists: `n * rows`."""

    __slots__ = ()

    def __mul__(self, times: Any) -> Any:
        raise TypeError(f"{type(self).__name__} cannot be repeated")

    def joined(self, axis: Any) -> Any:
        """The elements, tensors, one behind the other along their dimension `axis`."""
        raise TypeError(f"{type(self).__name__} holds no tensors")

    def in_a_row(self) -> tuple[Any, Any]:
        """The same along their first dimension, and the size of each in that."""
        raise TypeError(f"{type(self).__name__} holds no tensors")


class Dispatching(Composite):
    """Base of the composites that say themselves what ops do with them (ragged and sparse tensors)."""

    __slots__ = ()

    def dispatch(self, op: Any, args: tuple[Any, ...], attrs: dict[str, Any], apply: Any) -> Any:
        """The result of the op `op` on `args`, one of which is this value; `apply(*args)` runs it on tensors.

        Raises:
          TypeError: the op does not take such values.
        """
        raise TypeError(f"{op.type} does not take a {type(self).__name__}")

    def printed(self, summarize: int) -> Any:
        """The text that `print` writes for this value, a string tensor; long rows are shortened to their ends."""
        raise TypeError(f"a {type(self).__name__} cannot be printed")


class Rows(Dispatching):
    """Base of the composites that a traced `for` runs over row by row: `x.nrows()` of them, each `x[i]`.

    Gradients are those of `flat_values`, which `with_flat_values` exchanges.
    """

    __slots__ = ()

    flat_values: Any
    with_flat_values: Callable[[Any], Any]


class Stream(Composite):
    """Base of the composites that a traced `for` runs over: datasets and iterators over them."""

    __slots__ = ()


def _is_namedtuple(value: object) -> bool:
    return isinstance(value, tuple) and hasattr(value, "_fields")


def _is_attrs(value: object) -> bool:
    return hasattr(type(value), "__attrs_attrs__")


def _is_dataclass(value: object) -> bool:
    return dataclasses.is_dataclass(value) and hasattr(value, "__tf_flatten__")


def is_nested(value: object) -> bool:
    """Whether `value` is a structure with parts (strings and tensors are leaves)."""
    return isinstance(value, (list, tuple, dict, collections.abc.Mapping)) or _is_attrs(value) or _is_dataclass(value)


def is_sequence(value: object) -> bool:
    """Whether `value` has parts in an order of its own: lists, but ranges, deques and views of dictionaries, too."""
    if isinstance(value, (list, tuple)):
        return True
    known = (collections.abc.Sequence, collections.abc.KeysView, collections.abc.ValuesView, collections.abc.ItemsView)
    return isinstance(value, known) and not isinstance(value, (str, bytes, bytearray, memoryview))


def sorted_keys(mapping: Any) -> list[Any]:
    """The keys of a mapping in the order in which its values are walked.

    Raises:
      TypeError: the keys cannot be ordered.
    """
    try:
        return sorted(mapping)
    except TypeError:
        raise TypeError("nest only supports dicts with sortable keys.") from None


def children(value: Any) -> list[tuple[Any, Any]]:
    """The `(key, part)` pairs of one level of a structure, in walking order."""
    if isinstance(value, collections.abc.Mapping):
        return [(k, value[k]) for k in sorted_keys(value)]
    if _is_namedtuple(value):
        return [(f, getattr(value, f)) for f in value._fields]
    if isinstance(value, (list, tuple)):
        return list(enumerate(value))
    if _is_attrs(value):
        return [(a.name, getattr(value, a.name)) for a in type(value).__attrs_attrs__]
    if _is_dataclass(value):
        return list(enumerate(value.__tf_flatten__()[1]))
    return []


def _parts(value: Any) -> list[tuple[Any, Any]]:
    return children(value) if is_nested(value) else list(enumerate(value))


def rebuild(like: Any, parts: list[Any]) -> Any:
    """One level of structure like `like`, with `parts` in walking order."""
    if isinstance(like, collections.abc.Mapping):
        by_key = dict(zip(sorted_keys(like), parts))
        items = [(k, by_key[k]) for k in like]
        if isinstance(like, collections.defaultdict):
            return type(like)(like.default_factory, items)
        if type(like) is dict:
            return dict(items)
        return type(like)(dict(items))  # type: ignore[call-arg]
    if _is_namedtuple(like):
        return type(like)(*parts)
    if isinstance(like, (range, collections.abc.MappingView)):
        return parts
    if isinstance(like, collections.deque):
        return collections.deque(parts, like.maxlen)
    if is_sequence(like):
        return type(like)(parts)
    if _is_attrs(like):
        return type(like)(*parts)
    metadata = like.__tf_flatten__()[0]
    return type(like).__tf_unflatten__(metadata, tuple(parts))


def walk(value: object, expand: bool, nested: Callable[[Any], bool] = is_nested) -> Iterator[Any]:
    """The leaves of `value` in walking order; with `expand` composites are taken apart."""
    if nested(value):
        for _, part in _parts(value):
            yield from walk(part, expand, nested)
    elif expand and isinstance(value, Composite):
        for part in value.components():
            yield from walk(part, expand, nested)
    else:
        yield value


def flatten(structure: Any, expand_composites: bool = False) -> list[Any]:
    """The leaves of `structure` in walking order; a leaf alone gives a list of one."""
    kind = type(structure)
    if kind is list or kind is tuple:
        if not any(isinstance(v, (list, tuple, dict)) for v in structure) and not expand_composites:
            return [leaf for v in structure for leaf in ((v,) if not is_nested(v) else walk(v, False))]
    try:
        return list(walk(structure, expand_composites))
    except RecursionError as error:
        raise told((structure,), error) from None


def pack(structure: object, leaves: Iterator[Any], expand: bool, nested: Callable[[Any], bool] = is_nested) -> Any:
    """A structure like `structure` of the next ones of `leaves`."""
    if nested(structure):
        return rebuild(structure, [pack(part, leaves, expand, nested) for _, part in _parts(structure)])
    if expand and isinstance(structure, Composite):
        return structure.with_components([pack(part, leaves, expand, nested) for part in structure.components()])
    return next(leaves)


def pack_like(structure: object, leaves: Any, expand_composites: bool = False) -> Any:
    """A structure like `structure` whose leaves are `leaves`.

    Raises:
      ValueError: the number of leaves does not fit.
    """
    leaves = list(leaves)
    wanted = len(flatten(structure, expand_composites))
    if wanted != len(leaves):
        raise ValueError(
            f"Structure had {wanted} atoms, but flat_sequence had {len(leaves)} items. Structure: {shown(structure)}."
        )
    return pack(structure, iter(leaves), expand_composites)


def paths(structure: object, prefix: str = "") -> list[str]:
    """For each leaf the text that selects it, such as `['a'][0]`; '' for a bare leaf."""
    if not is_nested(structure):
        return [prefix]
    named = _is_namedtuple(structure) or _is_attrs(structure)
    out: list[str] = []
    for key, part in children(structure):
        out += paths(part, f"{prefix}.{key}" if named else f"{prefix}[{key!r}]")
    return out


def assert_same_structure(a: Any, b: Any, check_types: bool = True, expand_composites: bool = False) -> None:
    """Checks that two structures have the same form.

    Raises:
      StructureMismatchError: (a TypeError and a ValueError) the first difference, with its path.
    """
    compare(a, b, check_types, is_nested, expand_composites)


@bounded
def compare(
    a: object, b: object, check_types: bool, nested: Callable[[Any], bool], expand_composites: bool = False
) -> None:
    """Checks that two structures, of what is `nested`, have the same form, and composites of the same parts if wanted.

    Raises:
      StructureMismatchError: (a TypeError and a ValueError) the first difference, with its path.
    """

    def fail(path: str, why: str) -> None:
        where = f" at {path}" if path else ""
        raise StructureMismatchError(
            f"The two structures don't have the same nested structure{where}: {why}.\n"
            f"  First structure: {shown(a)}\n  Second structure: {shown(b)}"
        )

    _compare(a, b, "", check_types, fail, nested, expand_composites)


def _kind_of(value: object) -> str:
    if isinstance(value, Nullable):
        return "None or a value"
    name = type(value).__name__
    return (
        f"a{'n' * (name[0] in 'AEIO')} {name}" if isinstance(value, Composite) or is_nested(value) else "a single value"
    )


def _compare(
    a: object, b: object, path: str, check_types: bool, fail: Callable[[str, str], None], nested: Callable[[Any], bool],
    expand_composites: bool,
) -> None:  # fmt: skip
    if expand_composites and (isinstance(a, Composite) or isinstance(b, Composite)):
        if type(a) is not type(b):
            fail(path, f"the first is {_kind_of(a)}, the second {_kind_of(b)}")
        counts = [len(c.components()) for c in (a, b) if isinstance(c, Composite)]
        if counts[0] != counts[1]:
            fail(path, f"{_kind_of(a)} of {counts[0]} tensors against one of {counts[1]}")
    if nested(a) != nested(b):
        one, other = ("first", "second") if nested(a) else ("second", "first")
        fail(path, f"the {one} is a {type(a if nested(a) else b).__name__}, the {other} a single value")
    if not nested(a):
        return
    if check_types and type(a) is not type(b):
        mappings = isinstance(a, collections.abc.Mapping) and isinstance(b, collections.abc.Mapping)
        if not mappings and not _is_same_namedtuple(a, b):
            fail(path, f"{type(a).__name__} against {type(b).__name__}")
    parts_a, parts_b = _parts(a), _parts(b)
    if isinstance(a, collections.abc.Mapping) and [k for k, _ in parts_a] != [k for k, _ in parts_b]:
        fail(path, f"keys {[k for k, _ in parts_a]} against {[k for k, _ in parts_b]}")
    if len(parts_a) != len(parts_b):
        fail(path, f"{len(parts_a)} elements against {len(parts_b)}")
    for (key, part_a), (_, part_b) in zip(parts_a, parts_b):
        _compare(part_a, part_b, f"{path}[{key!r}]", check_types, fail, nested, expand_composites)


def _is_same_namedtuple(a: Any, b: Any) -> bool:
    """Whether two are of one kind, though their classes were made twice."""
    of_tuples = _is_namedtuple(a) and _is_namedtuple(b)
    return of_tuples and (a._fields, type(a).__name__) == (b._fields, type(b).__name__)


def map_structure(
    func: Callable[..., Any], *structures: object, expand_composites: bool = False, check_types: bool = True
) -> Any:
    """`func` applied to corresponding leaves; the result has the structure of the first argument.

    Raises:
      StructureMismatchError: the structures differ.
    """
    if not callable(func):
        raise TypeError(f"Argument `func` must be callable, got: {func}")
    if not structures:
        raise ValueError("Must provide at least one structure")
    for other in structures[1:]:
        assert_same_structure(structures[0], other, check_types, expand_composites)
    columns = [flatten(s, expand_composites) for s in structures]
    return pack_like(structures[0], [func(*row) for row in zip(*columns)], expand_composites)
