"""Which trace type a value has: the walk over the arguments of a call."""

from __future__ import annotations

import collections.abc
import enum
from types import FunctionType, MethodType
from typing import Any

import numpy as np

from graphrt.function.trace_types.base import Fitting, TraceType
from graphrt.function.trace_types.composites import CompositeType, ProtocolType
from graphrt.function.trace_types.containers import BoundMethodType, MappingType, RecordType, SequenceType
from graphrt.function.trace_types.leaves import (
    HandleType,
    LiteralType,
    ObjectType,
    OwnVariableType,
    TensorType,
    VariableType,
    Weak,
    WeakTensorType,
    convert_to_tensor_now,
)
from graphrt.state.variable import Variable
from graphrt.tensor.changes import SWITCH
from graphrt.tensor.tensor import EagerTensor, SymbolicTensor, Tensor, raw_of
from graphrt.types.dtype import DType
from graphrt.types.experimental import TracingContext
from graphrt.types.nesting import shown
from graphrt.types.shape import Dims, TensorShape
from graphrt.types.spec import CompositeSpec, TensorSpec, TypeSpec, fixed_part
from graphrt.types.structure import Composite, Stream, children, is_nested, sorted_keys

_CONTEXT = TracingContext()
_new = tuple.__new__  # of types made for each call that no entry recognizes
SCALARS = (int, str, bytes, bool, type(None))
# compared by value although their instances could be watched by identity
_BY_VALUE: tuple[type, ...] = (DType, TensorShape, range, np.dtype, enum.Enum, TypeSpec)
_BY_VALUE_MODULES = frozenset({"datetime", "decimal", "fractions", "ipaddress", "pathlib", "re", "uuid", "zoneinfo"})


def _compares_by_value(value: Any, kind: type) -> bool:
    """Whether the class says when two of its instances are the same value, as frozen dataclasses do."""
    own = kind.__hash__ is not object.__hash__ and kind.__hash__ is not None and kind.__eq__ is not object.__eq__
    return own and not isinstance(value, (type, FunctionType))


def _is_value(value: Any, kind: type) -> bool:
    if isinstance(value, (bool, int, str, bytes, float, complex, *_BY_VALUE)):
        return True
    # asked by name: importing these modules would cost more than all the rest of this one
    return any(base.__module__.partition(".")[0] in _BY_VALUE_MODULES for base in kind.__mro__)


class Arguments:
    """What a walk over arguments finds: the tensors in order, their shapes, and the weakly held objects.

    `is_open` says that some choose their trace type, so that a trace for another type may serve them.
    """

    __slots__ = ("dims", "is_open", "leaves", "specs_allowed", "variables", "weak")

    def __init__(self, specs_allowed: bool = False) -> None:
        self.leaves: list[Any] = []
        self.dims: list[Dims] = []
        self.weak: list[Weak] = []
        self.variables: list[Variable] = []  # those among the arguments, each once
        self.specs_allowed = specs_allowed
        self.is_open = False

    def type_of(self, value: Any) -> TraceType:
        """The trace type of `value`; its tensors are appended to `leaves`.

        Raises:
          TypeError: the value can be kept neither by value nor by identity.
        """
        kind = type(value)
        if kind is EagerTensor or kind is SymbolicTensor:
            dtype = value.dtype
            if dtype.kind == "O":
                return self._tensor(value, dtype, value.dims)
            self.leaves.append(value)
            self.dims.append(value.dims)
            if SWITCH.promoting and value.weak:
                return WeakTensorType(dtype)
            return _new(TensorType, (TensorType, dtype))
        if kind in SCALARS:
            return _new(LiteralType, (LiteralType, kind, value))
        if kind is list or kind is tuple:
            return SequenceType(kind, self._parts(value))
        if kind is dict:
            keys = sorted_keys(value)
            return MappingType(kind, tuple((type(k), k) for k in keys), self._parts([value[k] for k in keys]))
        if kind is float:
            return LiteralType(kind, value.hex())
        if kind is complex:
            return LiteralType(kind, (value.real.hex(), value.imag.hex()))
        return self._rare(value, kind)

    def _parts(self, values: Any) -> tuple[TraceType, ...]:
        # scalars at once: long lists of them come this way at each call
        return tuple([
            _new(LiteralType, (LiteralType, kind, v)) if (kind := type(v)) in SCALARS else self.type_of(v) for v in values
        ])  # fmt: skip

    def names(self) -> list[str | None]:
        """For each tensor the name that its spec gives it."""
        return [leaf.name if isinstance(leaf, TensorSpec) else None for leaf in self.leaves]

    def _tensor(self, value: Any, dtype: DType, dims: Dims) -> TraceType:
        self.leaves.append(value)
        self.dims.append(dims)
        if dtype.kind == "O" and dtype.name == "resource" and isinstance(value, EagerTensor):
            if not hasattr(raw_of(value), "traced_by_type"):  # iterators of one type share a trace, variables do not
                return HandleType(self._weak(raw_of(value)))
        return TensorType(dtype)

    def _variable(self, value: Variable) -> TraceType:
        if type(value) is not Variable:
            return OwnVariableType(self._weak(value), value.dtype, value.dims, value.trainable)
        storages = [v.storage for v in self.variables]
        if value.storage not in storages:
            self.variables.append(value)
            storages.append(value.storage)
        self.leaves.append(value.passed())
        self.dims.append(())
        return VariableType(value.dtype, value.dims, value.trainable, storages.index(value.storage))

    def _weak(self, value: Any) -> Weak:
        made = Weak(value)
        self.weak.append(made)
        return made

    def _rare(self, value: Any, kind: type) -> TraceType:
        if isinstance(value, Variable):
            return self._variable(value)
        if isinstance(value, (np.ndarray, np.generic)):
            return self._array(value)
        if isinstance(value, TensorSpec):
            if not self.specs_allowed:
                raise TypeError(f"found {value!r}, which has no value. Pass a tensor, or use get_concrete_function")
            return self._tensor(value, value.dtype, value.dims)
        if isinstance(value, Tensor):
            return self._tensor(value, value.dtype, value.dims)
        if hasattr(kind, "__tf_tracing_type__"):
            return self._protocol(value)
        if isinstance(value, CompositeSpec):
            if not self.specs_allowed:
                raise TypeError(f"found {shown(value)}, which has no value. Pass a value, or use get_concrete_function")
            specs = tuple([self.type_of(s) for s in value.component_specs])
            return CompositeType(value.value_type, fixed_part(value), specs)
        if isinstance(value, Composite):
            spec = getattr(value, "_type_spec", None)
            if isinstance(spec, CompositeSpec):
                return self._composite(value, spec)
            parts = tuple([self.type_of(v) for v in value.components()])
            return CompositeType(
                spec.value_type if spec is not None and isinstance(value, Stream) else kind, spec, parts
            )
        if has_components(value):
            if not self.specs_allowed:
                raise TypeError(f"found {shown(value)}, which has no value. Pass a value, or use get_concrete_function")
            specs = tuple([self.type_of(s) for s in value.component_specs])
            return CompositeType(value.value_type, value, specs)
        if isinstance(value, collections.abc.Mapping):
            keys = sorted_keys(value)
            return MappingType(kind, tuple((type(k), k) for k in keys), self._parts([value[k] for k in keys]))
        if isinstance(value, (list, tuple)) and not hasattr(value, "_fields"):
            return SequenceType(kind, self._parts(value))
        if is_nested(value):
            fixed = self.type_of(value.__tf_flatten__()[0]) if hasattr(kind, "__tf_flatten__") else None
            return RecordType(kind, tuple([self.type_of(v) for _, v in children(value)]), fixed)
        if kind is slice:
            return RecordType(kind, tuple([self.type_of(v) for v in (value.start, value.stop, value.step)]), None)
        if kind is MethodType:
            return BoundMethodType(self.type_of(value.__func__), self.type_of(value.__self__))
        if isinstance(value, (set, frozenset)):
            return LiteralType(kind, frozenset((type(v), v) for v in value))
        if _is_value(value, kind):
            return LiteralType(kind, value)
        return self._object(value, kind)

    def _composite(self, value: Any, spec: CompositeSpec) -> TraceType:
        """Of a value whose spec says which sizes of its tensors are part of its type: how many values it has is not."""
        before = len(self.dims)
        parts = tuple([self.type_of(v) for v in value.components()])
        specs = spec.component_specs
        if len(specs) == len(self.dims) - before and all(isinstance(s, TensorSpec) for s in specs):
            self.dims[before:] = [s.dims for s in specs]
        self.is_open = True
        return CompositeType(type(value), fixed_part(spec), parts)

    def _protocol(self, value: Any) -> TraceType:
        own = value.__tf_tracing_type__(_CONTEXT)
        self.is_open = True
        return ProtocolType(own, tuple([self.type_of(convert_to_tensor_now(t)) for t in own.to_tensors(value)]))

    def _array(self, value: Any) -> TraceType:
        tensor = convert_to_tensor_now(value)
        return self._tensor(tensor, tensor.dtype, tensor.dims)

    def _object(self, value: Any, kind: type) -> TraceType:
        try:
            if not _compares_by_value(value, kind):
                return ObjectType(self._weak(value))
        except TypeError:
            pass
        try:
            hash(value)
        except TypeError:
            raise TypeError(
                f"cannot tell whether {value!r} of type {kind.__name__!r} is the same from call to call: it is neither "
                "hashable nor can it be held weakly. Pass a tuple, a dictionary, a tensor, or an object of a class "
                "without __slots__ (or with '__weakref__' among them)."
            ) from None
        return LiteralType(kind, value)


def has_components(value: Any) -> Any:
    """Whether `value` is a spec of values that are made of tensors."""
    return isinstance(value, TypeSpec) and hasattr(type(value), "component_specs")


def fitting(dims: Any) -> Fitting:
    """What arguments are fitted with, to types whose tensors have the shapes `dims`."""

    def type_of(value: Any) -> tuple[TraceType, list[Any], list[Dims]]:
        found = Arguments()
        return found.type_of(value), found.leaves, found.dims

    return Fitting(iter(dims), type_of)
