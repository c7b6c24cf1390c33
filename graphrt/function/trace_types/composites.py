"""Trace types of what is made of tensors without being a container, and of what chooses its trace type itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from graphrt.function.trace_types.base import (
    Described,
    Fitting,
    Mismatch,
    Names,
    Pairs,
    Shapes,
    TraceType,
    common,
    includes,
    part,
    shown,
    tensor_specs,
)
from graphrt.state.variable import Variable
from graphrt.types.experimental import PlaceholderContext
from graphrt.types.spec import CompositeSpec, TensorSpec, serves, shared_part, spec_with
from graphrt.types.structure import Stream


class CompositeType(TraceType):
    """A ragged or sparse tensor, a dataset, an extension type: its class, what is fixed in it, and its tensors."""

    __slots__ = ()
    kind: type[Any] = part(1)
    fixed: Any = part(2)
    parts: tuple[TraceType, ...] = part(3)

    def describe(self, dims: Described | None = None) -> str:
        if isinstance(self.fixed, CompositeSpec):
            if dims is None:
                return repr(self.fixed)
            specs = [TensorSpec(d, p.dtype, n) for p, (d, n) in zip(self.parts, dims)]  # type: ignore[attr-defined]
            return repr(spec_with(self.fixed, specs))
        inside = ", ".join([p.describe(dims) for p in self.parts])
        return f"{self.kind.__name__}[{inside}]" if self.fixed is None else repr(self.fixed)

    def spec(self, dims: Shapes, names: Names) -> Any:
        specs = tensor_specs(self.parts, dims, names)
        if hasattr(self.fixed, "element_spec"):
            return self.fixed
        if isinstance(self.fixed, CompositeSpec):
            return spec_with(self.fixed, [TensorSpec(s.shape, s.dtype) for s in specs])
        return specs

    def tensor_count(self) -> int:
        return sum(p.tensor_count() for p in self.parts)

    def leaf_names(self, base: str, full: str, found: list[tuple[str, str]]) -> None:
        for i, piece in enumerate(self.parts):
            piece.leaf_names(base, f"{full}_{i}", found)

    def includes(self, other: TraceType) -> bool:
        if not isinstance(other, CompositeType) or self.kind is not other.kind or not includes(self.parts, other.parts):
            return False
        return serves(self.fixed, other.fixed) if isinstance(self.fixed, CompositeSpec) else self.fixed == other.fixed

    def common(self, other: TraceType) -> TraceType | None:
        if not isinstance(other, CompositeType) or self.kind is not other.kind:
            return None
        parts = common(self.parts, other.parts)
        if isinstance(self.fixed, CompositeSpec):
            fixed = shared_part(self.fixed, other.fixed)
        else:
            fixed = self.fixed if self.fixed == other.fixed else None
        if parts is None or (fixed is None and self.fixed is not None):
            return None
        return CompositeType(self.kind, fixed, parts)

    def parts_with(self, other: TraceType) -> Pairs | None:
        if not isinstance(other, CompositeType) or self.kind is not other.kind or self.fixed != other.fixed:
            return None
        if len(self.parts) != len(other.parts):
            return None
        return [(p, q, f".components()[{i}]") for i, (p, q) in enumerate(zip(self.parts, other.parts))]

    def takes(self, found: TraceType, value: Any, path: str, fitting: Fitting) -> bool:
        if not isinstance(found, CompositeType) or found.kind is not self.kind:
            raise Mismatch(self.refusal(value, path))
        general = self.fixed
        if (isinstance(general, CompositeSpec) and not serves(general, found.fixed)) or (
            isinstance(value, Stream) and not found.fixed.is_subtype_of(general)
        ):
            raise Mismatch(f"argument {path}: expected {general!r}, found {shown(value)}")
        for i, (wanted, piece) in enumerate(zip(self.parts, value.components())):
            wanted.fit(piece, f"{path}.components[{i}]", fitting)
        return False


class ProtocolType(TraceType):
    """What has `__tf_tracing_type__`: the type that it chose, and the tensors that this finds in it."""

    __slots__ = ()
    own: Any = part(1)
    parts: tuple[TraceType, ...] = part(2)

    def describe(self, dims: Described | None = None) -> str:
        for piece in self.parts:
            piece.describe(dims)
        return repr(self.own)

    def spec(self, dims: Shapes, names: Names) -> Any:
        tensor_specs(self.parts, dims, names)
        return self.own

    def tensor_count(self) -> int:
        return len(self.parts)

    def leaf_names(self, base: str, full: str, found: list[tuple[str, str]]) -> None:
        for i, piece in enumerate(self.parts):
            piece.leaf_names(base, f"{full}_{i}", found)

    def includes(self, other: TraceType) -> bool:
        if not isinstance(other, ProtocolType) or self.parts != other.parts:
            return False
        return bool(self.own == other.own or other.own.is_subtype_of(self.own))

    def common(self, other: TraceType) -> TraceType | None:
        if not isinstance(other, ProtocolType) or self.parts != other.parts:
            return None
        both = self.own if self.own == other.own else self.own.most_specific_common_supertype([other.own])
        return None if both is None else ProtocolType(both, self.parts)

    def takes(self, found: TraceType, value: Any, path: str, fitting: Fitting) -> bool:
        if not self.includes(found):
            raise Mismatch(self.refusal(value, path))
        return True


def chosen_types(static: Any) -> list[Any]:
    """The trace types that arguments chose, and what is fixed in those made of tensors, in walking order."""
    if not isinstance(static, tuple):
        return []
    if isinstance(static, ProtocolType):
        return [static.own]
    inside = [t for piece in static for t in chosen_types(piece)]
    return [static.fixed, *inside] if isinstance(static, CompositeType) else inside


class Supply:
    """What stands for the tensors of the arguments, and the trace types of those that choose one or are made of them."""

    __slots__ = ("_tensors", "_types", "_variables")

    def __init__(self, tensors: Any, types: Any) -> None:
        self._tensors: Iterator[Any] = iter(tensors)
        self._types: Iterator[Any] = iter(types)
        self._variables: dict[int, Variable] = {}

    def variable(self, given: Variable) -> Variable:
        """What stands for a variable: one over the handle that is passed, the same one for the same variable."""
        handle = next(self._tensors)
        found = self._variables.get(id(given.storage))
        if found is None:
            stand_in = handle.value.info
            found = self._variables[id(given.storage)] = Variable.from_handle(handle, stand_in, given)
        return found

    def __iter__(self) -> Supply:
        return self

    def __next__(self) -> Any:
        return next(self._tensors)

    def fixed(self) -> Any:
        """What is fixed in the next argument that is made of tensors."""
        return next(self._types)

    def placeholder(self) -> Any:
        """What stands for the next argument that chose its trace type."""
        return next(self._types).placeholder_value(PlaceholderContext(self))
