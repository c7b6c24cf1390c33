"""Mel scales, and what is computed on them."""

from __future__ import annotations

from graphrt import errors
from graphrt.ops.array.concat_split import split
from graphrt.ops.array.creation import LinSpace
from graphrt.ops.array.padding import pad
from graphrt.ops.array.shape import ExpandDims, reshape
from graphrt.ops.math.arithmetic import Maximum, Minimum
from graphrt.ops.math.casting import cast
from graphrt.ops.math.elementwise import log, rsqrt
from graphrt.ops.signal.cosine import dct
from graphrt.ops.signal.frames import frame
from graphrt.ops.signal.windows import floating_type, size_of
from graphrt.ops.support.shape_rules import as_tensor
from graphrt.tensor.context import scope
from graphrt.tensor.tensor import Tensor, TensorLike, static_array
from graphrt.types.dtype import float32
from graphrt.types.likes import DTypeLike

__all__ = ["linear_to_mel_weight_matrix", "mfccs_from_log_mel_spectrograms"]


# --- mel scales ------------------------------------------------------------------------------------------------------
def _mel(hertz: Tensor) -> Tensor:
    return 1127.0 * log(1.0 + hertz / 700.0)


def linear_to_mel_weight_matrix(
    num_mel_bins: int = 20, num_spectrogram_bins: TensorLike = 129, sample_rate: float | Tensor = 8000,
    lower_edge_hertz: float = 125.0, upper_edge_hertz: float = 3800.0, dtype: DTypeLike = float32,
    name: str | None = None
) -> Tensor:  # fmt: skip
    """A matrix that turns a linear spectrogram into one over mel bands: one triangle a band.

    >>> import graphrt as tf
    >>> tf.signal.linear_to_mel_weight_matrix().shape
    TensorShape([129, 20])

    Raises:
      ValueError: the edges or numbers make no bands.
    """
    with scope(name, "linear_to_mel_weight_matrix"):
        kind = floating_type(dtype)
        if num_mel_bins <= 0:
            raise ValueError(errors.at_user_line(f"num_mel_bins must be positive, found {num_mel_bins}"))
        if lower_edge_hertz < 0.0:
            raise ValueError(errors.at_user_line(f"lower_edge_hertz must not be negative, found {lower_edge_hertz}"))
        if lower_edge_hertz >= upper_edge_hertz:
            raise ValueError(
                errors.at_user_line(f"lower_edge_hertz {lower_edge_hertz} >= upper_edge_hertz {upper_edge_hertz}")
            )
        rate = static_array(sample_rate) if hasattr(sample_rate, "dims") else sample_rate
        if rate is not None and (rate <= 0 or upper_edge_hertz > rate / 2):
            raise ValueError(errors.at_user_line("upper_edge_hertz must not be above half of a positive sample_rate"))
        nyquist = cast(as_tensor(sample_rate), kind) / 2.0
        lines = LinSpace(as_tensor(0.0, kind), nyquist, num_spectrogram_bins)[1:]
        bins = ExpandDims(_mel(lines), 1)
        low, high = _mel(as_tensor(lower_edge_hertz, kind)), _mel(as_tensor(upper_edge_hertz, kind))
        edges = frame(LinSpace(low, high, num_mel_bins + 2), 3, 1)
        lower, center, upper = (reshape(v, [1, num_mel_bins]) for v in split(edges, 3, 1))
        rising, falling = (bins - lower) / (center - lower), (upper - bins) / (upper - center)
        weights = Maximum(as_tensor(0.0, kind), Minimum(rising, falling))
        return pad(weights, [[1, 0], [0, 0]])


def mfccs_from_log_mel_spectrograms(log_mel_spectrograms: TensorLike, name: str | None = None) -> Tensor:
    """Cepstral coefficients of log mel spectrograms: their scaled cosine transforms.

    >>> import graphrt as tf
    >>> tf.signal.mfccs_from_log_mel_spectrograms(tf.zeros([3, 20])).shape
    TensorShape([3, 20])

    Raises:
      ValueError: there are no mel bands.
    """
    with scope(name, "mfccs_from_log_mel_spectrograms"):
        x = as_tensor(log_mel_spectrograms)
        n = size_of(x, -1)
        if isinstance(n, int) and n == 0:
            raise ValueError(errors.at_user_line("there must be at least one mel band"))
        return dct(x, type=2) * rsqrt(cast(n, x.dtype) * 2.0)
