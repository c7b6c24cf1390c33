"""Functions that make tensors of the values of other classes: `tf.register_tensor_conversion_function`."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from graphrt import errors
from graphrt.types.nesting import shown

__all__ = ["converted", "is_convertible", "is_nearer", "register_tensor_conversion_function"]

# (priority, number of the registration, classes, function), in the order in which they are asked
_lock = threading.Lock()
# state: locked by _lock
_REGISTERED: list[tuple[int, int, tuple[type, ...], Callable[..., Any]]] = []


def register_tensor_conversion_function(
    base_type: type | tuple[type, ...], conversion_func: Callable[..., Any], priority: int = 100
) -> None:
    """Says how values of a class (or of several) become tensors: `conversion_func(value, dtype, name, as_ref)`.

    The function gives a tensor, or NotImplemented when it does not want the value; smaller priorities are asked first.

    >>> import graphrt as tf
    >>> class Point:
    ...     x, y = 1.0, 2.0
    >>> tf.register_tensor_conversion_function(
    ...     Point, lambda value, dtype=None, name=None, as_ref=False: tf.constant([value.x, value.y], dtype))
    >>> (tf.convert_to_tensor(Point()) * 2).numpy().tolist()
    [2.0, 4.0]

    Raises:
      TypeError: `base_type` is no class (or tuple of classes), or one of Python's numbers; or no function is given.
    """
    kinds = base_type if isinstance(base_type, tuple) else (base_type,)
    if not all(isinstance(k, type) for k in kinds):
        raise TypeError(
            errors.at_user_line(f"Argument `base_type` must be a type or a tuple of types. Obtained: {base_type}")
        )
    if any(issubclass(k, (int, float, complex, bool)) for k in kinds):
        raise TypeError(errors.at_user_line("Cannot register conversions for Python numeric types and NumPy scalars."))
    if not callable(conversion_func):
        raise TypeError(
            errors.at_user_line(f"Argument `conversion_func` must be callable. Received {conversion_func}.")
        )
    with _lock:
        entry = (priority, len(_REGISTERED), kinds, conversion_func)
        _REGISTERED[:] = sorted([*_REGISTERED, entry], key=lambda known: known[:2])


def is_convertible(value: object) -> bool:
    """Whether a function was registered for the class of `value`."""
    return bool(_REGISTERED) and any(isinstance(value, kinds) for _, _, kinds, _ in _REGISTERED)


def is_nearer(value: object, method: str) -> bool:
    """Whether a function was registered for a class that is nearer to that of `value` than the one that has `method`."""
    if not _REGISTERED:
        return False
    classes = type(value).__mro__
    has = next((i for i, c in enumerate(classes) if method in c.__dict__), len(classes))
    return any(k in classes[:has] for _, _, kinds, _ in _REGISTERED for k in kinds)


def converted(value: object, dtype: Any, hint: Any, name: str | None) -> Any:
    """What the registered functions make of `value`; None where none wants it.

    Raises:
      RuntimeError: a function gave something else than a tensor of the dtype that is wanted.
    """
    for _, _, kinds, function in _REGISTERED:
        if not isinstance(value, kinds):
            continue
        found = NotImplemented
        if dtype is None and hint is not None:
            try:
                found = function(value, dtype=hint, name=name, as_ref=False)
            except (TypeError, ValueError):
                found = NotImplemented
        if found is NotImplemented:
            found = function(value, dtype=dtype, name=name, as_ref=False)
        if found is NotImplemented:
            continue
        if not hasattr(found, "dims"):
            raise RuntimeError(
                errors.at_user_line(f"Conversion function {function!r} for type {kinds} returned non-Tensor: {found!r}")
            )
        if dtype is not None and found.dtype is not dtype:
            raise RuntimeError(
                errors.at_user_line(
                    f"Conversion function {shown(function)} for type {kinds} returned incompatible dtype: requested = "
                    f"{dtype.name}, actual = {found.dtype.name}"
                )
            )
        return found
    return None
