"""`tf.experimental`."""

from __future__ import annotations

import contextlib as _contextlib
from collections.abc import Iterator as _Iterator
from importlib import import_module as _import_module
from typing import Any as _Any

from graphrt.data.iterator import Optional
from graphrt.function.api_dispatch import (
    dispatch_for_api,
    dispatch_for_binary_elementwise_apis,
    dispatch_for_binary_elementwise_assert_apis,
    dispatch_for_unary_elementwise_apis,
    unregister_dispatch_for,
)
from graphrt.function.extension_type import BatchableExtensionType, ExtensionType, ExtensionTypeSpec
from graphrt.ops.ragged.shapes import DynamicRaggedShape, RowPartition


@_contextlib.contextmanager
def async_scope() -> _Iterator[None]:
    """Ops in it may run later in TensorFlow; here each has run when it gives its result.

    >>> import graphrt as tf
    >>> with tf.experimental.async_scope():
    ...     x = tf.constant(1) + 1
    """
    yield


def async_clear_error() -> None:
    """Forgets an error of ops that ran later; here there are none.

    >>> import graphrt as tf
    >>> tf.experimental.async_clear_error()
    """


@_contextlib.contextmanager
def function_executor_type(executor_type: str | None) -> _Iterator[None]:
    """Says by which executor functions run; there is one here.

    >>> import graphrt as tf
    >>> with tf.experimental.function_executor_type("SINGLE_THREADED_EXECUTOR"):
    ...     pass
    """
    yield


def enable_strict_mode() -> None:
    """Makes uses of deprecated names errors; there are none here.

    >>> import graphrt as tf
    >>> tf.experimental.enable_strict_mode()
    """


def __getattr__(name: str) -> _Any:
    if name not in ("dlpack", "numpy"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = _import_module(f"graphrt.experimental_{name}")
    globals()[name] = value
    return value


__all__ = [
    "BatchableExtensionType", "DynamicRaggedShape", "ExtensionType", "ExtensionTypeSpec", "Optional", "RowPartition",
    "async_clear_error", "async_scope", "dispatch_for_api", "dispatch_for_binary_elementwise_apis",
    "dispatch_for_binary_elementwise_assert_apis", "dispatch_for_unary_elementwise_apis", "enable_strict_mode",
    "function_executor_type", "unregister_dispatch_for",
]  # fmt: skip
