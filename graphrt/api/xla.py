"""`tf.xla.experimental`: computations that TensorFlow gives to its compiler. Their results are those of plain functions."""

from __future__ import annotations

import contextlib
import importlib.util
from collections.abc import Callable, Sequence
from typing import Any

from graphrt import errors
from graphrt.function.function import function
from graphrt.tensor.context import executing_eagerly
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import Operation
from graphrt.types import nest
from graphrt.types.nesting import shown

__all__ = ["compile", "jit_scope"]


def compile(computation: Callable[..., Any], inputs: Sequence[Any] | None = None) -> Any:
    """The results of `computation(*inputs)`, whose inputs are made tensors first.

    A flat sequence of results, and a single one, come as a list of tensors; another structure comes as it is. Outside of
    functions XLA runs the computation where JAX is installed (`jit_compile="xla"`), and within them it is part of them.

    >>> import graphrt as tf
    >>> [y.numpy() for y in tf.xla.experimental.compile(lambda a, b: (a + b, a * b), [3, 4])]
    [np.int32(7), np.int32(12)]

    Raises:
      TypeError: the inputs are no list, or are not as many as `computation` takes.
      ValueError: a result is no tensor.
    """
    if inputs is not None and not isinstance(inputs, (list, tuple)):
        raise TypeError(errors.at_user_line(f"inputs must be a list, found {shown(inputs)}"))
    if not callable(computation):
        raise TypeError(errors.at_user_line(f"{type(computation).__name__!r} object is not callable"))
    tensors = nest.map_structure(convert_to_tensor, list(inputs or ()))
    if not executing_eagerly():
        return _results(computation(*tensors))
    backend = "xla" if importlib.util.find_spec("jax") is not None else None
    return function(lambda *given: _results(computation(*given)), jit_compile=backend)(*tensors)


def _results(found: Any) -> Any:
    if found is None or isinstance(found, Operation):
        return found
    if isinstance(found, (list, tuple)) and not any(nest.is_nested(v) for v in found):
        return [_tensor(v) for v in found if not isinstance(v, Operation)]
    return nest.map_structure(_tensor, found) if nest.is_nested(found) else [_tensor(found)]


def _tensor(result: Any) -> Any:
    try:
        return convert_to_tensor(result)
    except (TypeError, ValueError) as error:
        text = f"the results of a computation for XLA must be tensors, or what converts to them: {error}"
        raise ValueError(text) from None


class _Scope(contextlib.ContextDecorator):
    """Entered in functions only; nothing is kept of what it asks for."""

    def __enter__(self) -> None:
        if executing_eagerly():
            text = (
                "xla.experimental.jit_scope is not supported when eager execution is enabled: use it in a tf.function"
            )
            raise RuntimeError(errors.at_user_line(text))

    def __exit__(self, *raised: object) -> None:
        """Nothing was changed."""


def jit_scope(
    compile_ops: bool | Callable[[Any], bool] = True, separate_compiled_gradients: bool = False
) -> contextlib.AbstractContextManager[None]:
    """Ops of a function that TensorFlow is to compile (a hint: their values stay the same).

    >>> import graphrt as tf
    >>> @tf.function
    ... def square(x):
    ...     with tf.xla.experimental.jit_scope():
    ...         return x * x
    >>> square(3).numpy()
    np.int32(9)

    Raises:
      RuntimeError: it is entered outside of a function.
    """
    return _Scope()
