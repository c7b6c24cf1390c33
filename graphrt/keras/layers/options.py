"""What every layer takes besides its own arguments."""

from __future__ import annotations

from typing import TypedDict

from graphrt.keras.configurable import Identifier
from graphrt.types.likes import DTypeLike, PerAxis, ShapeLike


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


class CellOptions(BaseOptions, total=False):
    """For cells of recurrent layers, and for these."""

    recurrent_activation: Identifier
    use_bias: bool
    kernel_initializer: Identifier
    recurrent_initializer: Identifier
    bias_initializer: Identifier
    kernel_regularizer: Identifier
    recurrent_regularizer: Identifier
    bias_regularizer: Identifier
    kernel_constraint: Identifier
    recurrent_constraint: Identifier
    bias_constraint: Identifier
    dropout: float
    recurrent_dropout: float
    seed: int | None


class RecurrentOptions(CellOptions, total=False):
    """For recurrent layers. The last is taken for the sake of older programs."""

    implementation: int


class ConvolutionOptions(BaseOptions, total=False):
    """For convolutions, besides what is about their kernels."""

    data_format: str | None
    dilation_rate: PerAxis
    activation: Identifier
    use_bias: bool
    bias_initializer: Identifier
    bias_regularizer: Identifier
    activity_regularizer: Identifier
    bias_constraint: Identifier


class NormalizationOptions(LayerOptions, total=False):
    """For layers that normalize, then scale and shift."""

    epsilon: float
    center: bool
    scale: bool
    beta_initializer: Identifier
    gamma_initializer: Identifier
    beta_regularizer: Identifier
    gamma_regularizer: Identifier
    beta_constraint: Identifier
    gamma_constraint: Identifier


class ScalingOptions(NormalizationOptions, total=False):
    """For `LayerNormalization`. The last is taken for the sake of older programs."""

    rms_scaling: bool
