"""What every layer takes besides its own arguments."""

from __future__ import annotations

from typing import TypedDict

from graphrt.keras.configurable import Identifier
from graphrt.types.likes import DTypeLike, ShapeLike


class BaseOptions(TypedDict, total=False):
    """For layers with an `activity_regularizer` of their own. The last four: inputs for which weights are made at once."""

    trainable: bool
    dtype: DTypeLike | None
    autocast: bool
    name: str | None
    input_shape: ShapeLike
    batch_input_shape: ShapeLike
    batch_shape: ShapeLike
    input_dim: int | None


class LayerOptions(BaseOptions, total=False):
    """For all other layers."""

    activity_regularizer: Identifier
