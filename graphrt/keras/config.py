"""`keras.config`: the defaults that layers, losses and metrics share.

>>> import graphrt as tf
>>> tf.keras.config.floatx(), tf.keras.config.epsilon()
('float32', 1e-07)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import graphrt as tf
from graphrt.types.likes import DTypeLike
from graphrt.types.missing import missing_names
from graphrt.types.nesting import said

if not TYPE_CHECKING:  # checkers of types know what is there
    __getattr__ = missing_names(__name__)

__all__ = [
    "disable_traceback_filtering", "enable_traceback_filtering", "epsilon", "floatx", "image_data_format",
    "is_traceback_filtering_enabled", "set_epsilon", "set_floatx", "set_image_data_format",
]  # fmt: skip

# state: registry of what the user set, one value a setting
_SETTINGS: dict[str, Any] = {"floatx": "float32", "epsilon": 1e-7, "image_data_format": "channels_last"}
_FLOATS = ("bfloat16", "float16", "float32", "float64")
_FORMATS = ("channels_last", "channels_first")


def floatx() -> str:
    """The name of the dtype that weights have when nothing else is said.

    >>> import graphrt as tf
    >>> tf.keras.config.floatx()
    'float32'
    """
    return str(_SETTINGS["floatx"])


def set_floatx(value: str) -> None:
    """Changes `floatx`.

    >>> import graphrt as tf
    >>> tf.keras.config.set_floatx("float64")
    >>> tf.keras.ops.ones((1,)).dtype
    tf.float64
    >>> tf.keras.config.set_floatx("float32")

    Raises:
      ValueError: `value` is not the name of a floating dtype.
    """
    if value not in _FLOATS:
        raise ValueError(f"Unknown `floatx` value: {said(value)}. Expected one of {_FLOATS}")
    _SETTINGS["floatx"] = value


def epsilon() -> float:
    """The small number that keeps logarithms and quotients finite.

    >>> import graphrt as tf
    >>> tf.keras.config.epsilon()
    1e-07
    """
    return float(_SETTINGS["epsilon"])


def set_epsilon(value: float) -> None:
    """Changes `epsilon`.

    >>> import graphrt as tf
    >>> tf.keras.config.set_epsilon(1e-5)
    >>> tf.keras.config.epsilon()
    1e-05
    >>> tf.keras.config.set_epsilon(1e-7)
    """
    _SETTINGS["epsilon"] = float(value)


def image_data_format() -> str:
    """Where images have their channels: 'channels_last' or 'channels_first'.

    >>> import graphrt as tf
    >>> tf.keras.config.image_data_format()
    'channels_last'
    """
    return str(_SETTINGS["image_data_format"])


def set_image_data_format(data_format: str) -> None:
    """Changes `image_data_format`.

    >>> import graphrt as tf
    >>> tf.keras.config.set_image_data_format("channels_first")
    >>> tf.keras.layers.Flatten().data_format
    'channels_first'
    >>> tf.keras.config.set_image_data_format("channels_last")

    Raises:
      ValueError: it is neither 'channels_last' nor 'channels_first'.
    """
    _SETTINGS["image_data_format"] = standardize_data_format(data_format)


def standardize_data_format(data_format: str | None) -> str:
    """`data_format`, or the default for None."""
    if data_format is None:
        return image_data_format()
    if said(data_format).lower() not in _FORMATS:
        raise ValueError(
            f"The `data_format` argument must be one of {_FORMATS}. Received: data_format={said(data_format)}"
        )
    return str(data_format).lower()


def standardize_dtype(dtype: DTypeLike | Mapping[str, Any] | None) -> str:
    """The name of a dtype: of a `DType`, a NumPy dtype, a name, or what Keras writes for one; `floatx()` for None.

    >>> import graphrt as tf
    >>> tf.keras.utils.standardize_dtype(tf.int32), tf.keras.utils.standardize_dtype(None)
    ('int32', 'float32')
    """
    if isinstance(dtype, Mapping) and dtype.get("class_name") == "DTypePolicy":
        dtype = dtype["config"]["name"]
    if dtype is None:
        return floatx()
    return tf.as_dtype(dtype if isinstance(dtype, (str, type)) else getattr(dtype, "name", dtype)).name


def disable_traceback_filtering() -> None:
    """Leaves frames of the runtime in tracebacks, as `tf.debugging.disable_traceback_filtering` does: it is one switch.

    >>> import graphrt as tf
    >>> tf.keras.config.disable_traceback_filtering()
    >>> tf.keras.config.is_traceback_filtering_enabled(), tf.debugging.is_traceback_filtering_enabled()
    (False, False)
    >>> tf.keras.config.enable_traceback_filtering()
    """
    tf.debugging.disable_traceback_filtering()


def enable_traceback_filtering() -> None:
    """Leaves frames of the runtime out of tracebacks, as it is from the beginning.

    >>> import graphrt as tf
    >>> tf.keras.config.enable_traceback_filtering()
    >>> tf.keras.config.is_traceback_filtering_enabled()
    True
    """
    tf.debugging.enable_traceback_filtering()


def is_traceback_filtering_enabled() -> bool:
    """Whether frames of the runtime are left out of tracebacks.

    >>> import graphrt as tf
    >>> tf.keras.config.is_traceback_filtering_enabled()
    True
    """
    return bool(tf.debugging.is_traceback_filtering_enabled())
