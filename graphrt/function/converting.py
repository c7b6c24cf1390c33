"""AutoGraph's public functions, which also take what `tf.function` returns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import autograph
from graphrt.function.function import Function


def _python(entity: Any) -> Any:
    return entity.python_function if isinstance(entity, Function) else entity


def to_code(entity: Callable[..., Any], recursive: bool = True, experimental_optional_features: Any = None) -> str:
    """The source that AutoGraph makes of a function (a `tf.function`, too), to read or to compare.

    >>> import graphrt as tf
    >>> def f(x):
    ...     return x + 1
    >>> "def tf__f(x):" in tf.autograph.to_code(f)
    True

    Raises:
      ConversionError: there is no Python source, or it cannot be converted.
    """
    return autograph.to_code(_python(entity), recursive, experimental_optional_features)


def to_graph(
    entity: Callable[..., Any], recursive: bool = True, experimental_optional_features: Any = None
) -> Callable[..., Any]:
    """The converted twin of a function: on tensors its control flow becomes part of the graph being traced.

    >>> import graphrt as tf
    >>> def f(x):
    ...     return x if x > 0 else -x
    >>> tf.autograph.to_graph(f)(-3)
    3

    Raises:
      ConversionError: there is no Python source, or it cannot be converted.
    """
    return autograph.to_graph(_python(entity), recursive, experimental_optional_features)
