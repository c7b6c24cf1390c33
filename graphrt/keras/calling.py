"""Calls of functions that users wrote: converted by AutoGraph where a graph is being traced."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import autograph
import graphrt as tf


def call_users(function: Callable[..., Any], *args: Any, **kwargs: object) -> Any:
    """`function(*args, **kwargs)`; tensors may be used in the `if`s and loops of a function that is not ours."""
    if tf.executing_eagerly() or str(getattr(function, "__module__", "")).startswith("graphrt."):
        return function(*args, **kwargs)
    return autograph.backends.converted_call(function, args, kwargs)
