"""Trace types of what has parts: sequences, mappings, records, methods of objects."""

from __future__ import annotations

import collections.abc
from typing import Any

from graphrt.function.trace_types.base import (
    ArgumentTests,
    Described,
    Fitting,
    Mismatch,
    Names,
    Pairs,
    Shapes,
    TraceType,
    Unrecognizable,
    part,
)
from graphrt.function.trace_types.leaves import LiteralType
from graphrt.ir.code import identifier
from graphrt.types.nesting import shown
from graphrt.types.structure import children, sorted_keys

KEYS_IN_TEXT = (int, str, bytes)  # written out in generated code


class _Parted(TraceType):
    """What has parts in a row."""

    __slots__ = ()
    kind: type[Any] = part(1)
    parts: tuple[TraceType, ...] = part(2)

    def tensor_count(self) -> int:
        return sum(p.tensor_count() for p in self.parts)

    def leaf_names(self, base: str, full: str, found: list[tuple[str, str]]) -> None:
        fields = getattr(self.kind, "_fields", None)
        for i, piece in enumerate(self.parts):
            piece.leaf_names(base, f"{full}_{fields[i] if fields else i}", found)

    def pieces_of(self, value: Any, fitting: Fitting) -> list[Any] | None:
        """What in `value` stands for the parts; None where it is something else."""
        raise NotImplementedError(type(self).__name__)

    def fit(self, value: object, path: str, fitting: Fitting) -> None:
        pieces = self.pieces_of(value, fitting)
        if pieces is None:
            raise Mismatch(self.refusal(value, path))
        if len(pieces) != len(self.parts):
            raise Mismatch(
                f"argument {path}: expected {len(self.parts)} elements ({self.describe()}), found {len(pieces)}"
            )
        for i, (wanted, piece) in enumerate(zip(self.parts, pieces)):
            wanted.fit(piece, f"{path}[{i}]", fitting)

    def _inside(self, dims: Described | None) -> str:
        return f"[{', '.join(p.describe(dims) for p in self.parts)}]"


class SequenceType(_Parted):
    """A list, a tuple, or a class made of one."""

    __slots__ = ()

    def describe(self, dims: Described | None = None) -> str:
        name = "List" if self.kind is list else "Tuple" if self.kind is tuple else self.kind.__name__
        return name + self._inside(dims)

    def spec(self, dims: Shapes, names: Names) -> Any:
        return self.kind([p.spec(dims, names) for p in self.parts])

    def parts_with(self, other: TraceType) -> Pairs | None:
        if not isinstance(other, SequenceType) or self.kind is not other.kind or len(self.parts) != len(other.parts):
            return None
        return [(p, q, f"[{i}]") for i, (p, q) in enumerate(zip(self.parts, other.parts))]

    def pieces_of(self, value: Any, fitting: Fitting) -> list[Any] | None:
        # a list stands for a tuple and the other way round when a signature was declared
        return list(value) if isinstance(value, (list, tuple)) and not hasattr(value, "_fields") else None

    def write_test(self, tests: ArgumentTests, dims: Shapes, expression: str, value: Any) -> None:
        if type(value) is not self.kind or self.kind not in (list, tuple):
            raise Unrecognizable
        tests.miss_if(f"type({expression}) is not {self.kind.__name__} or len({expression}) != {len(self.parts)}")
        names = [tests.fresh("p") for _ in self.parts]
        if names:
            tests.lines.append(f"{', '.join(names)}, = {expression}")
        for piece, name, item in zip(self.parts, names, value):
            tests.check(piece, dims, name, item)


class RecordType(_Parted):
    """A named tuple, a dataclass, a slice, or what flattens itself: parts, and what in it is no tensor."""

    __slots__ = ()
    fixed: TraceType | None = part(3)

    def describe(self, dims: Described | None = None) -> str:
        return self.kind.__name__ + self._inside(dims)

    def spec(self, dims: Shapes, names: Names) -> Any:
        found = [p.spec(dims, names) for p in self.parts]
        if self.fixed is not None:
            return self.kind.__tf_unflatten__(self.fixed.spec(dims, names), tuple(found))
        return self.kind(*found)

    def tensor_count(self) -> int:
        return super().tensor_count() + (self.fixed.tensor_count() if self.fixed is not None else 0)

    def parts_with(self, other: TraceType) -> Pairs | None:
        if not isinstance(other, RecordType) or self.kind is not other.kind or self.fixed != other.fixed:
            return None
        if len(self.parts) != len(other.parts):
            return None
        fields = getattr(self.kind, "_fields", None)
        steps: list[str] = [f".{fields[i]}" if fields else f"[{i}]" for i in range(len(self.parts))]
        return list(zip(self.parts, other.parts, steps))

    def pieces_of(self, value: Any, fitting: Fitting) -> list[Any] | None:
        if self.kind is slice:
            return [value.start, value.stop, value.step] if isinstance(value, slice) else None
        if type(value) is not self.kind and not self._is_named_alike(type(value)):
            return None
        if self.fixed is not None and fitting.type_of(value.__tf_flatten__()[0])[0] != self.fixed:
            return None  # what is no tensor in it differs
        return [v for _, v in children(value)]

    def _is_named_alike(self, other: type[Any]) -> bool:
        """Whether both are named tuples of one name with the same fields: a file knows no more of one."""
        fields = getattr(self.kind, "_fields", None)
        return (
            issubclass(self.kind, tuple)
            and fields is not None
            and (other.__name__, getattr(other, "_fields", None)) == (self.kind.__name__, fields)
        )

    def write_test(self, tests: ArgumentTests, dims: Shapes, expression: str, value: Any) -> None:
        fields = getattr(self.kind, "_fields", None)
        if fields is None or type(value) is not self.kind:
            raise Unrecognizable
        tests.miss_if(f"type({expression}) is not {tests.bind(self.kind, 'type')}")
        for piece, field in zip(self.parts, fields):
            name = tests.fresh("p")
            try:
                tests.lines.append(f"{name} = {expression}.{identifier(field)}")
            except ValueError:
                raise Unrecognizable from None
            tests.check(piece, dims, name, getattr(value, field))


class MappingType(TraceType):
    """A mapping: its keys, with their types, in order, and what stands under them."""

    __slots__ = ()
    kind: type[Any] = part(1)
    keys: tuple[tuple[type, Any], ...] = part(2)
    parts: tuple[TraceType, ...] = part(3)

    def describe(self, dims: Described | None = None) -> str:
        return f"Dict[{', '.join(f'[{k!r}, {p.describe(dims)}]' for (_, k), p in zip(self.keys, self.parts))}]"

    def spec(self, dims: Shapes, names: Names) -> Any:
        return {k: p.spec(dims, names) for (_, k), p in zip(self.keys, self.parts)}

    def tensor_count(self) -> int:
        return sum(p.tensor_count() for p in self.parts)

    def leaf_names(self, base: str, full: str, found: list[tuple[str, str]]) -> None:
        for (_, key), piece in zip(self.keys, self.parts):
            piece.leaf_names(base, f"{full}_{key}", found)

    def parts_with(self, other: TraceType) -> Pairs | None:
        if not isinstance(other, MappingType) or self.kind is not other.kind or self.keys != other.keys:
            return None
        return [(p, q, f"[{key!r}]") for (_, key), p, q in zip(self.keys, self.parts, other.parts)]

    def fit(self, value: object, path: str, fitting: Fitting) -> None:
        keys = [k for _, k in self.keys]
        if not isinstance(value, collections.abc.Mapping):
            raise Mismatch(
                f"argument {path}: expected {self.describe()}, found {shown(value)} of type {type(value).__name__}"
            )
        if set(value) != set(keys):
            raise Mismatch(
                f"argument {path}: expected a mapping with the keys {keys}, found the keys {sorted_keys(value)}"
            )
        for key, piece in zip(keys, self.parts):
            piece.fit(value[key], f"{path}[{key!r}]", fitting)

    def write_test(self, tests: ArgumentTests, dims: Shapes, expression: str, value: Any) -> None:
        if type(value) is not dict or self.kind is not dict:
            raise Unrecognizable
        tests.miss_if(f"type({expression}) is not dict or len({expression}) != {len(self.keys)}")
        for (kind, key), piece in zip(self.keys, self.parts):
            if kind not in KEYS_IN_TEXT:
                raise Unrecognizable
            name = tests.fresh("p")
            if isinstance(piece, LiteralType) and piece.written is None:
                tests.miss_if(f"{tests.literal(key)} not in {expression}")
            tests.lines.append(f"{name} = {expression}.get({tests.literal(key)})")
            tests.check(piece, dims, name, value[key])


class BoundMethodType(TraceType):
    """A method of an object: its function, and the object."""

    __slots__ = ()
    function: TraceType = part(1)
    instance: TraceType = part(2)

    def describe(self, dims: Described | None = None) -> str:
        return f"method {self.function.describe(dims)}"

    def spec(self, dims: Shapes, names: Names) -> Any:
        return self.function.spec(dims, names)

    def tensor_count(self) -> int:
        return self.function.tensor_count() + self.instance.tensor_count()

    def leaf_names(self, base: str, full: str, found: list[tuple[str, str]]) -> None:
        self.instance.leaf_names(base, full, found)
