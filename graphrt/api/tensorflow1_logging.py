"""`tf.compat.v1.logging`: Python's own logger of the name `tensorflow`, which `tf.get_logger` gives."""

from __future__ import annotations

import logging
from typing import Any

__all__ = [
    "DEBUG", "ERROR", "FATAL", "INFO", "WARN", "debug", "error", "fatal", "get_verbosity", "info", "log", "set_verbosity",
    "warn", "warning",
]  # fmt: skip

DEBUG, INFO, WARN, ERROR, FATAL = logging.DEBUG, logging.INFO, logging.WARNING, logging.ERROR, logging.FATAL
_LOGGER = logging.getLogger("tensorflow")
debug, info, warning, error, fatal, log = (
    _LOGGER.debug, _LOGGER.info, _LOGGER.warning, _LOGGER.error, _LOGGER.fatal, _LOGGER.log,
)  # fmt: skip
warn = warning


def get_verbosity() -> int:
    """How grave a message must be to be told.

    >>> import graphrt as tf
    >>> tf.compat.v1.logging.set_verbosity(tf.compat.v1.logging.ERROR)
    >>> tf.compat.v1.logging.get_verbosity()
    40
    """
    return _LOGGER.getEffectiveLevel()


def set_verbosity(v: Any) -> None:
    """Sets what `get_verbosity` gives.

    >>> import graphrt as tf
    >>> tf.compat.v1.logging.set_verbosity(tf.compat.v1.logging.WARN)
    """
    _LOGGER.setLevel(v)
