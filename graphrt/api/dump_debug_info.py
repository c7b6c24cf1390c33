"""`tf.debugging.experimental`."""

from __future__ import annotations

from typing import Any

__all__ = ["disable_dump_debug_info", "enable_dump_debug_info"]

# state: registry of what the user set, one value a setting
_settings: dict[str, Any] = {}


def enable_dump_debug_info(
    dump_root: str, tensor_debug_mode: str = "NO_TENSOR", circular_buffer_size: int = 1000, op_regex: str | None = None,
    tensor_dtypes: Any = None,
) -> None:  # fmt: skip
    """Remembers where TensorFlow would write what its ops do; `graphrt dump` and `concrete.source` tell it here.

    >>> import graphrt as tf
    >>> tf.debugging.experimental.enable_dump_debug_info("/tmp/debug")
    >>> tf.debugging.experimental.disable_dump_debug_info()

    Raises:
      ValueError: there is no such mode.
    """
    modes = ("NO_TENSOR", "CURT_HEALTH", "CONCISE_HEALTH", "FULL_HEALTH", "SHAPE", "FULL_TENSOR")
    if tensor_debug_mode not in modes:
        raise ValueError(f"Invalid value in tensor_debug_mode ({tensor_debug_mode!r}). Valid options: {list(modes)}")
    _settings.update(
        root=dump_root, mode=tensor_debug_mode, size=circular_buffer_size, op=op_regex, dtypes=tensor_dtypes
    )


def disable_dump_debug_info() -> None:
    """Forgets what `enable_dump_debug_info` was told.

    >>> import graphrt as tf
    >>> tf.debugging.experimental.disable_dump_debug_info()
    """
    _settings.clear()
