"""Trace types of what has no parts: tensors, Python values, variables and other objects."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

from graphrt.function.trace_types.base import (
    ArgumentTests,
    Described,
    DtypeMismatch,
    Fitting,
    Mismatch,
    Names,
    ShapeMismatch,
    Shapes,
    TraceType,
    Unrecognizable,
    part,
    shown,
)
from graphrt.state.variable import Variable
from graphrt.tensor.context import building
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import Tensor
from graphrt.types.advice import conversion
from graphrt.types.dtype import DType
from graphrt.types.shape import Dims, TensorShape, compatible
from graphrt.types.spec import TensorSpec, TypeSpec


class TensorType(TraceType):
    """A tensor of a dtype; its shape stands beside the type."""

    __slots__ = ()
    dtype: DType = part(1)

    def describe(self, dims: Described | None = None) -> str:
        if dims is None:
            return f"a tensor of dtype {self.dtype.name}"
        shape, name = next(dims)
        return repr(TensorSpec(shape, self.dtype, name))

    def spec(self, dims: Shapes, names: Names) -> TensorSpec:
        return TensorSpec(next(dims), self.dtype, next(names))

    def tensor_count(self) -> int:
        return 1

    def leaf_names(self, base: str, full: str, found: list[tuple[str, str]]) -> None:
        found.append((base, full))

    def fit(self, value: object, path: str, fitting: Fitting) -> None:
        fitting.leaves.append(_fit_tensor(self.dtype, next(fitting.dims), value, path, len(fitting.leaves)))

    def write_test(self, tests: ArgumentTests, dims: Shapes, expression: str, value: Any) -> None:
        tests.tensor(self.dtype, next(dims), expression, value)


class WeakTensorType(TensorType):
    """A tensor that was made of numbers of Python, where such take the dtype of what they meet."""

    __slots__ = ()

    def write_test(self, tests: ArgumentTests, dims: Shapes, expression: str, value: Any) -> None:
        raise Unrecognizable


class LiteralType(TraceType):
    """A Python value, by its type and the value (floats as text, so that NaN and -0.0 are themselves)."""

    __slots__ = ()
    kind: type[Any] = part(1)
    written: Any = part(2)

    @property
    def value(self) -> Any:
        """The Python value."""
        kind, value = self.kind, self.written
        if kind is float:
            return float.fromhex(value)
        if kind is complex:
            return complex(float.fromhex(value[0]), float.fromhex(value[1]))
        if kind is set or kind is frozenset:
            return kind(v for _, v in value)
        return value

    def describe(self, dims: Described | None = None) -> str:
        return f"Literal[{self.value!r}]"

    def spec(self, dims: Shapes, names: Names) -> Any:
        return self.value

    def refusal(self, value: object, path: str) -> str:
        return f"Can not cast {value!r} to {self.describe()}: {super().refusal(value, path)}"

    def write_test(self, tests: ArgumentTests, dims: Shapes, expression: str, value: Any) -> None:
        tests.python_value(self.kind, lambda: self.value, expression, value)


class Weak:
    """An object as part of a key: equal to another when both stand for the same living object."""

    __slots__ = ("__weakref__", "_hash", "on_death", "reference")

    def __init__(self, thing: Any) -> None:
        self._hash = id(thing)
        self.on_death: Callable[[], None] | None = None
        self.reference = weakref.ref(thing, self._died)

    def _died(self, _: Any) -> None:
        if self.on_death is not None:
            self.on_death()

    def __call__(self) -> Any:
        return self.reference()

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        mine = self.reference()
        return isinstance(other, Weak) and mine is not None and mine is other.reference()

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        thing = self.reference()
        return "<gone>" if thing is None else f"<{type(thing).__name__} object>"


class ObjectType(TraceType):
    """An object, by identity."""

    __slots__ = ()
    thing: Weak = part(1)

    def describe(self, dims: Described | None = None) -> str:
        thing = self.thing()
        return f"object of type {type(thing).__name__}" if thing is not None else "an object that is gone"

    def spec(self, dims: Shapes, names: Names) -> Any:
        return self.thing()

    def write_test(self, tests: ArgumentTests, dims: Shapes, expression: str, value: Any) -> None:
        tests.identity(self.thing.reference, expression, value)


class HandleType(ObjectType):
    """The handle of a resource: a tensor that counts by the identity of what stands behind it."""

    __slots__ = ()

    def describe(self, dims: Described | None = None) -> str:
        if dims is not None:
            next(dims)
        return super().describe()

    def spec(self, dims: Shapes, names: Names) -> Any:
        next(dims), next(names)
        return self.thing()

    def tensor_count(self) -> int:
        return 1

    def leaf_names(self, base: str, full: str, found: list[tuple[str, str]]) -> None:
        found.append((base, full))

    def write_test(self, tests: ArgumentTests, dims: Shapes, expression: str, value: Any) -> None:
        raise Unrecognizable


class OwnVariableType(TraceType):
    """A variable of a class of its own, by identity."""

    __slots__ = ()
    thing: Weak = part(1)
    dtype: DType = part(2)
    dims: Dims = part(3)
    trainable: bool = part(4)

    def describe(self, dims: Described | None = None) -> str:
        return f"VariableSpec(shape={TensorShape(self.dims)}, dtype={self.dtype!r}, trainable={self.trainable})"

    def spec(self, dims: Shapes, names: Names) -> TensorSpec:
        return TensorSpec(self.dims, self.dtype)

    def write_test(self, tests: ArgumentTests, dims: Shapes, expression: str, value: Any) -> None:
        tests.identity(self.thing.reference, expression, value)


class VariableType(TraceType):
    """A variable of a dtype and a shape: its handle is passed.

    Attributes:
      alias: which of the variables among the arguments it is; the same one may stand in several places.
    """

    __slots__ = ()
    dtype: DType = part(1)
    dims: Dims = part(2)
    trainable: bool = part(3)
    alias: int = part(4)

    def describe(self, dims: Described | None = None) -> str:
        if dims is not None:
            next(dims)
        return (
            f"VariableSpec(shape={TensorShape(self.dims)}, dtype={self.dtype!r}, trainable={self.trainable}, "
            f"alias_id={self.alias})"
        )

    def spec(self, dims: Shapes, names: Names) -> TensorSpec:
        next(dims)
        return TensorSpec(self.dims, self.dtype, next(names))

    def tensor_count(self) -> int:
        return 1

    def leaf_names(self, base: str, full: str, found: list[tuple[str, str]]) -> None:
        found.append((base, full))

    def fit(self, value: object, path: str, fitting: Fitting) -> None:
        next(fitting.dims)
        if type(value) is not Variable:
            raise Mismatch(self.refusal(value, path))
        known = fitting.variables.setdefault(self.alias, value.storage)
        others = [v for alias, v in fitting.variables.items() if alias != self.alias]
        own = (value.dtype, value.dims, value.trainable)
        if own != (self.dtype, self.dims, self.trainable) or known is not value.storage or value.storage in others:
            raise Mismatch(self.refusal(value, path))
        value.touch()
        fitting.leaves.append(value.passed())

    def write_test(self, tests: ArgumentTests, dims: Shapes, expression: str, value: Any) -> None:
        next(dims)
        tests.variable(self, expression, value)


# --- tensors ---------------------------------------------------------------------------------------------------------
def convert_to_tensor_now(value: Any, dtype: DType | None = None) -> Any:
    """`value` as a concrete tensor, also while a graph is being traced (symbolic tensors stay symbolic)."""
    if isinstance(value, Tensor):
        return value
    with building(None):
        return convert_to_tensor(value, dtype=dtype)


def cxx_name(dtype: DType) -> str:
    """What TensorFlow's kernels call a dtype in their messages."""
    return {"float32": "float", "float64": "double", "float16": "half"}.get(dtype.name, dtype.name)


def _fit_tensor(dtype: DType, dims: Dims, value: object, path: str, position: int) -> Tensor:
    wanted = TensorSpec(dims, dtype)
    if isinstance(value, Variable):
        value = value.__tf_value__()
    if isinstance(value, Tensor):
        tensor = value
    elif value is None or isinstance(value, TypeSpec):
        raise Mismatch(f"argument {path}: expected a tensor ({wanted!r}), found {value!r}")
    else:
        try:
            tensor = convert_to_tensor_now(value, dtype)
        except (TypeError, ValueError) as error:
            why = str(error).partition("\n  at ")[0]  # the place is told by whoever refuses the call
            raise Mismatch(
                f"argument {path}: expected {wanted!r}, found {shown(value)}, which cannot be cast to it ({why})"
            ) from None
    if tensor.dtype is not dtype:
        call = conversion(tensor.dtype, dtype)
        advice = call and f" Use {call}."
        raise DtypeMismatch(
            f"Can not cast {TensorSpec(tensor.dims, tensor.dtype)!r} to {wanted!r}: argument {path} must be "
            f"{wanted!r}, found a tensor of shape {tensor.shape} and dtype {tensor.dtype.name}.{advice}",
            f"input #{position}(zero-based) was expected to be a {cxx_name(dtype)} tensor but is a "
            f"{cxx_name(tensor.dtype)} tensor: argument {path} must be {wanted!r}, found a tensor of shape "
            f"{tensor.shape} and dtype {tensor.dtype.name}.{advice}",
        )
    if not compatible(dims, tensor.dims):
        raise ShapeMismatch(
            f"Can not cast {TensorSpec(tensor.dims, tensor.dtype)!r} to {wanted!r}: argument {path}: expected "
            f"{wanted!r}, found a tensor of shape {tensor.shape}"
        )
    return tensor
