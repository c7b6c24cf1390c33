"""`keras.layers`: what the files of this folder say is public.

>>> import graphrt as tf
>>> tf.keras.layers.Dense(3)(tf.ones([2, 4])).shape
TensorShape([2, 3])
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from graphrt.keras import layer_classes as _layer_classes
from graphrt.keras.configurable import described
from graphrt.keras.layer_classes import deserialize as deserialize
from graphrt.keras.layers.base import Layer
from graphrt.types.missing import missing_names

if not TYPE_CHECKING:  # checkers of types know what is there
    __getattr__ = missing_names(__name__)

_public = _layer_classes.import_all(__name__, __path__)
globals().update(_public)
_layer_classes.add(_public, Layer)
__all__ = sorted({*_public, "deserialize", "serialize"})


def serialize(layer: Layer) -> dict[str, Any]:
    """The configuration from which `deserialize` makes the layer again.

    >>> import graphrt as tf
    >>> tf.keras.layers.serialize(tf.keras.layers.Flatten(name="f"))["class_name"]
    'Flatten'
    """
    return described(layer)
