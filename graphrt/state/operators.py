"""What a variable has in common with a tensor: operators, conversions, NumPy's protocols. They act on its value."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NoReturn

from graphrt.ir.op import ops  # late: what it calls stands in rooms above
from graphrt.tensor.tensor import REFLECTED, Tensor
from graphrt.types.likes import Array, DTypeLike, TensorLike


class ActsAsTensor:
    """Base of `Variable`: all that reads `self.__tf_value__()` and goes on with that."""

    __array_priority__ = 100

    if TYPE_CHECKING:  # set below

        def _operator(self, other: TensorLike) -> Tensor: ...
        def _method(self, *args: Any, **kwargs: Any) -> Tensor: ...

        __add__ = __sub__ = __mul__ = __truediv__ = __floordiv__ = __mod__ = __pow__ = __matmul__ = _operator
        __radd__ = __rsub__ = __rmul__ = __rtruediv__ = __rfloordiv__ = __rmod__ = __rpow__ = __rmatmul__ = _operator
        __and__ = __rand__ = __or__ = __ror__ = __xor__ = __rxor__ = _operator
        __lt__ = __le__ = __gt__ = __ge__ = _operator
        __neg__ = __pos__ = __abs__ = __invert__ = __round__ = _method
        sum = mean = prod = max = min = any = all = reshape = astype = _method

    def __tf_value__(self) -> Any:
        """The value now, as a tensor."""
        raise TypeError(f"{type(self).__name__} has no value")

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> Array:
        return self.__tf_value__().__array__(dtype, copy)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: TensorLike, **kwargs: Any) -> Tensor:
        return ops.array_ufunc(ufunc, method, tuple(_value_of(v) for v in inputs), kwargs)

    def __array_function__(self, func: object, types: tuple[type], args: TensorLike, kwargs: Any) -> Tensor:
        return ops.array_function(func, types, _values_in(args), _values_in(kwargs))

    def __iter__(self) -> Iterator[Any]:
        return iter(self.__tf_value__())

    def __len__(self) -> int:
        return len(self.__tf_value__())

    def __bool__(self) -> bool:
        return bool(self.__tf_value__())

    def __int__(self) -> int:
        return int(self.__tf_value__())

    def __float__(self) -> float:
        return float(self.__tf_value__())

    def __complex__(self) -> complex:
        return complex(self.__tf_value__())

    def __index__(self) -> int:
        return int(self.__tf_value__().__index__())

    def __format__(self, spec: str) -> str:
        return format(self.__tf_value__(), spec) if spec else str(self)

    def _refuse_in_place(self, symbol: str, method: str) -> NoReturn:
        raise RuntimeError(
            f"`variable {symbol}= value` with `tf.Variable`s is not supported. Use `variable.{method}` to modify the "
            f"variable, or `out = variable {symbol} value` if you need to get a new output Tensor."
        )

    def __iadd__(self, other: TensorLike) -> Tensor:  # type: ignore[misc]
        self._refuse_in_place("+", "assign_add(value)")

    def __isub__(self, other: TensorLike) -> Tensor:  # type: ignore[misc]
        self._refuse_in_place("-", "assign_sub(value)")

    def __imul__(self, other: TensorLike) -> Tensor:  # type: ignore[misc]
        self._refuse_in_place("*", "assign(variable * value)")

    def __itruediv__(self, other: TensorLike) -> Tensor:  # type: ignore[misc]
        self._refuse_in_place("/", "assign(variable / value)")

    def __ifloordiv__(self, other: TensorLike) -> Tensor:  # type: ignore[misc]
        self._refuse_in_place("//", "assign(variable // value)")

    def __imod__(self, other: TensorLike) -> Tensor:  # type: ignore[misc]
        self._refuse_in_place("%", "assign(variable % value)")

    def __ipow__(self, other: TensorLike) -> Tensor:  # type: ignore[misc]
        self._refuse_in_place("**", "assign(variable ** value)")


def _value_of(value: object) -> Any:
    return value.__tf_value__() if isinstance(value, ActsAsTensor) else value


def _values_in(value: Any) -> Any:
    if isinstance(value, ActsAsTensor):
        return value.__tf_value__()
    if type(value) in (list, tuple):
        return type(value)(_values_in(v) for v in value)
    if type(value) is dict:
        return {k: _values_in(v) for k, v in value.items()}
    return value


def _forward(name: str) -> Callable[..., Any]:
    def operator(self: Any, *args: object, **kwargs: Any) -> Tensor | tuple[Tensor, Tensor]:
        return getattr(self.__tf_value__(), name)(*args, **kwargs)

    operator.__name__ = name
    operator.__qualname__ = f"Variable.{name}"
    operator.__doc__ = getattr(Tensor, name).__doc__
    return operator


for _name in (
    [f"__{name}__" for name in REFLECTED]
    + [f"__r{name}__" for name in REFLECTED]
    + [
        "__lt__",
        "__le__",
        "__gt__",
        "__ge__",
        "__eq__",
        "__ne__",
        "__divmod__",
        "__neg__",
        "__pos__",
        "__abs__",
        "__invert__",
        "__round__",
    ]
    + ["sum", "mean", "prod", "max", "min", "any", "all", "reshape", "astype"]
):
    setattr(ActsAsTensor, _name, _forward(_name))
ActsAsTensor.T = property(lambda self: self.__tf_value__().T, doc="The transpose of the value.")  # type: ignore[attr-defined]
