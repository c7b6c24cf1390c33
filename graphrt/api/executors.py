"""How ops are run: what `tf.experimental` offers, where there is one way here."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator


@contextlib.contextmanager
def async_scope() -> Iterator[None]:
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


@contextlib.contextmanager
def function_executor_type(executor_type: str | None) -> Iterator[None]:
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


__all__ = ["async_clear_error", "async_scope", "enable_strict_mode", "function_executor_type"]
