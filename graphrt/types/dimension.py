"""A size as TensorFlow's shapes hold it, which may be unknown: `shape.dims[0].value`, `tf.compat.v1.Dimension`."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from graphrt import errors
from graphrt.types.nesting import shown

__all__ = ["Dimension"]


def size_of(value: Any) -> int | None:
    """A number, or what stands for one, as a size; None for one that is not known."""
    if value is None:
        return None
    if hasattr(value, "numpy") and not hasattr(value, "graph"):
        value = value.numpy()
    try:
        index = value.__index__()
        if index is None:  # a size of TensorFlow 1's that is not known
            return None
        size = int(index)
    except (AttributeError, TypeError):
        raise TypeError(
            f"Dimension value must be integer or None or have an __index__ method, got value {shown(value)} "
            f"with type {shown(type(value))}"
        ) from None
    if size < 0:
        raise ValueError(f"Dimension {size} must be >= 0")
    return size


class Dimension:
    """A size, or None for one that is not known. What is computed of unknown sizes is unknown, comparisons give None.

    >>> import graphrt as tf
    >>> tf.compat.v1.Dimension(3) * 2, tf.compat.v1.Dimension(None) + 1
    (Dimension(6), Dimension(None))

    Raises:
      TypeError: the value is no integer.
      ValueError: it is negative.
    """

    __slots__ = ("value",)
    __hash__ = None  # type: ignore[assignment]  # equal to numbers, and to nothing where it is unknown
    value: int | None

    def __init__(self, value: object) -> None:
        self.value = size_of(value)

    def __repr__(self) -> str:
        return f"Dimension({self.value})"

    def __str__(self) -> str:
        return "?" if self.value is None else str(self.value)

    def __index__(self) -> int | None:  # None is told of by Python, as in TensorFlow
        return self.value

    __int__ = __index__

    def __array__(self, dtype: np.dtype[Any] | None = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        if self.value is None:
            raise ValueError("a size that is not known is no tensor")
        return np.array(self.value, np.int32 if dtype is None else dtype)

    def is_compatible_with(self, other: object) -> bool:
        """Whether the two may be one size."""
        size = size_of(other)
        return self.value is None or size is None or self.value == size

    def assert_is_compatible_with(self, other: object) -> None:
        """Raises ValueError where the two cannot be one size."""
        if not self.is_compatible_with(other):
            raise ValueError(errors.at_user_line(f"Dimensions {self} and {other} are not compatible"))

    def merge_with(self, other: object) -> Dimension:
        """The one of the two that is known."""
        self.assert_is_compatible_with(other)
        return Dimension(other) if self.value is None else Dimension(self)

    def __truediv__(self, other: object) -> NoReturn:
        raise TypeError(
            errors.at_user_line(
                f"unsupported operand type(s) for /: 'Dimension' and {type(other).__name__!r}, please use // instead"
            )
        )

    __rtruediv__ = __truediv__

    def __eq__(self, other: object) -> bool | None:  # type: ignore[override]
        return _compared(operator.eq, self, other)

    def __ne__(self, other: object) -> bool | None:  # type: ignore[override]
        return _compared(operator.ne, self, other)

    def __lt__(self, other: object) -> bool | None:
        return _compared(operator.lt, self, other)

    def __le__(self, other: object) -> bool | None:
        return _compared(operator.le, self, other)

    def __gt__(self, other: object) -> bool | None:
        return _compared(operator.gt, self, other)

    def __ge__(self, other: object) -> bool | None:
        return _compared(operator.ge, self, other)


def _sizes(first: object, second: object) -> tuple[int | None, int | None] | None:
    try:
        return Dimension(first).value, Dimension(second).value
    except (TypeError, ValueError):
        return None


def _compared(compare: Callable[[int, int], bool], first: object, second: object) -> bool | None:
    sizes = _sizes(first, second)
    if sizes is None:
        return NotImplemented
    a, b = sizes
    return None if a is None or b is None else compare(a, b)


def _arithmetic(compute: Callable[[int, int], int], backward: bool = False) -> Callable[[Dimension, object], Dimension]:
    def computed(self: Dimension, other: object) -> Dimension:
        sizes = _sizes(other, self) if backward else _sizes(self, other)
        if sizes is None:
            return NotImplemented
        a, b = sizes
        return Dimension(None if a is None or b is None else compute(a, b))

    return computed


def _set_arithmetic() -> None:
    """Sets the operators whose results are sizes."""
    for name in ("add", "sub", "mul", "floordiv", "mod"):
        compute = getattr(operator, name)

        setattr(Dimension, f"__{name}__", _arithmetic(compute))
        setattr(Dimension, f"__r{name}__", _arithmetic(compute, backward=True))


_set_arithmetic()
