"""`keras.initializers`: how weights begin. Those with a seed give the numbers that Keras gives with TensorFlow.

>>> import graphrt as tf
>>> tf.keras.initializers.GlorotUniform(seed=1)((3, 2)).numpy().round(4)[0].tolist()
[0.8292..., -0.0877...]
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

import graphrt as tf
from graphrt.keras import random
from graphrt.keras.config import floatx
from graphrt.keras.configurable import Configurable, Registry, custom_object_scope, described
from graphrt.keras.configurable import serialize as serialize_value
from graphrt.keras.random import SeedGenerator
from graphrt.tensor.tensor import Tensor
from graphrt.types.likes import TensorLike
from graphrt.types.missing import missing_names
from graphrt.types.nesting import shown

if not TYPE_CHECKING:  # checkers of types know what is there
    __getattr__ = missing_names(__name__)

__all__ = [
    "Constant", "GlorotNormal", "GlorotUniform", "HeNormal", "HeUniform", "Identity", "IdentityInitializer",
    "Initializer", "LecunNormal", "LecunUniform", "Ones", "Orthogonal", "OrthogonalInitializer", "RandomNormal",
    "RandomUniform", "TruncatedNormal", "VarianceScaling", "Zeros", "deserialize", "get", "serialize",
]  # fmt: skip


class Initializer(Configurable):
    """Base of initializers: callables that make a tensor of a shape and dtype.

    >>> import graphrt as tf
    >>> class Halves(tf.keras.initializers.Initializer):
    ...     def __call__(self, shape, dtype=None):
    ...         return tf.fill(shape, 0.5)
    >>> Halves()((2,)).numpy().tolist()
    [0.5, 0.5]
    """

    def __call__(self, shape: Any, dtype: Any = None) -> Any:
        """A tensor of this shape and dtype."""
        raise NotImplementedError(f"{type(self).__name__} must define `__call__(self, shape, dtype=None)`")

    def clone(self) -> Any:
        """Another initializer of the same configuration."""
        return type(self).from_config(self.get_config())


class Zeros(Initializer):
    """Zeros.

    >>> import graphrt as tf
    >>> tf.keras.initializers.Zeros()((2,)).numpy().tolist()
    [0.0, 0.0]
    """

    def __call__(self, shape: Any, dtype: Any = None) -> Tensor:
        """Zeros of this shape and dtype."""
        return tf.zeros(shape, dtype or floatx())


class Ones(Initializer):
    """Ones.

    >>> import graphrt as tf
    >>> tf.keras.initializers.Ones()((2,)).numpy().tolist()
    [1.0, 1.0]
    """

    def __call__(self, shape: Any, dtype: Any = None) -> Tensor:
        """Ones of this shape and dtype."""
        return tf.ones(shape, dtype or floatx())


class Constant(Initializer):
    """`value` everywhere, or an array that is broadcast to the shape.

    >>> import graphrt as tf
    >>> tf.keras.initializers.Constant(3.0)((2,)).numpy().tolist()
    [3.0, 3.0]
    """

    def __init__(self, value: TensorLike = 0.0) -> None:
        self.value = value

    def __call__(self, shape: Any, dtype: Any = None) -> Tensor:
        """The value, in this shape and dtype."""
        value = tf.cast(self.value, dtype or floatx())
        try:
            return tf.broadcast_to(value, shape)
        except tf.errors.InvalidArgumentError as error:
            raise ValueError(
                f"An initial value of shape {tuple(value.shape)} does not fit a weight of {shape}"
            ) from error


class Identity(Initializer):
    """The identity matrix, times `gain`.

    >>> import graphrt as tf
    >>> tf.keras.initializers.Identity(2.0)((2, 2)).numpy().tolist()
    [[2.0, 0.0], [0.0, 2.0]]

    Raises:
      ValueError: (when called) the shape is not that of a matrix.
    """

    _told_if_other = frozenset({"gain"})

    def __init__(self, gain: float = 1.0) -> None:
        self.gain = gain

    def __call__(self, shape: Any, dtype: Any = None) -> Tensor:
        """The matrix in this shape and dtype."""
        if len(shape) != 2:
            raise ValueError(
                "Identity matrix initializer can only be used for 2D matrices. "
                f"Received: shape={tuple(shape)} of rank {len(shape)}."
            )
        rows, columns = shape
        return self.gain * tf.eye(rows, columns, dtype=dtype or floatx())


class _Random(Initializer):
    """What has a seed: a number, a `SeedGenerator`, or None for one from Python's generator."""

    def __init__(self, seed: SeedGenerator | Mapping[str, Any] | int | None = None) -> None:
        if isinstance(seed, Mapping):  # what `get_config` told of a generator
            if "config" not in seed:
                raise ValueError(
                    f"seed must be a number, None, or the configuration of a SeedGenerator, found {shown(seed)}"
                )
            seed = SeedGenerator(**seed["config"])
        self._given_seed = seed
        self.seed = random.make_default_seed() if seed is None else seed

    def get_config(self) -> dict[str, Any]:
        """The arguments of the constructor, with the seed that was given."""
        return {**super().get_config(), "seed": serialize_value(self._given_seed)}


class RandomNormal(_Random):
    """Normally distributed numbers.

    >>> import graphrt as tf
    >>> tf.keras.initializers.RandomNormal(seed=1)((2,)).numpy().round(4).tolist()
    [0.0063..., -0.0247...]
    """

    def __init__(self, mean: float = 0.0, stddev: float = 0.05, seed: SeedGenerator | int | None = None) -> None:
        self.mean, self.stddev = mean, stddev
        super().__init__(seed)

    def __call__(self, shape: Any, dtype: Any = None) -> Tensor:
        """Numbers in this shape and dtype."""
        return random.normal(shape, self.mean, self.stddev, dtype, self.seed)


class TruncatedNormal(RandomNormal):
    """Normally distributed numbers, drawn again when they are further than two `stddev` from `mean`.

    >>> import graphrt as tf
    >>> bool(tf.reduce_all(abs(tf.keras.initializers.TruncatedNormal(seed=1)((100,))) <= 0.1))
    True
    """

    def __call__(self, shape: Any, dtype: Any = None) -> Tensor:
        """Numbers in this shape and dtype."""
        return random.truncated_normal(shape, self.mean, self.stddev, dtype, self.seed)


class RandomUniform(_Random):
    """Numbers from `minval` to `maxval`, all equally likely.

    >>> import graphrt as tf
    >>> tf.keras.initializers.RandomUniform(0, 10, seed=1)((3,), "int32").shape
    TensorShape([3])
    """

    def __init__(self, minval: float = -0.05, maxval: float = 0.05, seed: SeedGenerator | int | None = None) -> None:
        self.minval, self.maxval = minval, maxval
        super().__init__(seed)

    def __call__(self, shape: Any, dtype: Any = None) -> Tensor:
        """Numbers in this shape and dtype."""
        return random.uniform(shape, self.minval, self.maxval, dtype, self.seed)


def compute_fans(shape: Any) -> tuple[int, int]:
    """How many inputs and outputs a weight of this shape connects; kernels of convolutions count their window."""
    shape = tuple(shape)
    if not shape:
        return 1, 1
    if len(shape) == 1:
        return shape[0], shape[0]
    window = math.prod(shape[:-2])
    return shape[-2] * window, shape[-1] * window


_NORMAL_OF_TWO = 0.87962566103423978  # the standard deviation of a unit normal that is cut off at two


class VarianceScaling(_Random):
    """Numbers whose variance is `scale` divided by the fan that `mode` names.

    `mode` is 'fan_in', 'fan_out' or 'fan_avg'; `distribution` 'truncated_normal', 'untruncated_normal' or 'uniform'.

    >>> import graphrt as tf
    >>> x = tf.keras.initializers.VarianceScaling(2.0, "fan_in", "uniform", seed=1)((300, 300))
    >>> bool(abs(tf.math.reduce_std(x) - (2 / 300) ** 0.5) < 1e-3)
    True

    Raises:
      ValueError: `scale` is not positive, or `mode` or `distribution` is not known.
    """

    def __init__(
        self,
        scale: float = 1.0,
        mode: str = "fan_in",
        distribution: str = "truncated_normal",
        seed: SeedGenerator | int | None = None,
        input_axes: Any = None,
        output_axes: Any = None,
    ) -> None:
        if scale <= 0.0:
            raise ValueError(f"Argument `scale` must be positive float. Received: scale={scale}")
        if mode not in ("fan_in", "fan_out", "fan_avg"):
            raise ValueError(f"Invalid `mode` argument: {mode}. Please use one of 'fan_in', 'fan_out', 'fan_avg'.")
        distribution = str(distribution).lower()
        distribution = "truncated_normal" if distribution == "normal" else distribution
        if distribution not in ("uniform", "truncated_normal", "untruncated_normal"):
            raise ValueError(
                f"Invalid `distribution` argument: {distribution}. Please use one of 'uniform', 'truncated_normal', "
                "'untruncated_normal'."
            )
        self.scale, self.mode, self.distribution = scale, mode, distribution
        self.input_axes, self.output_axes = input_axes, output_axes
        super().__init__(seed)

    def _fans(self, shape: Any) -> tuple[int, int]:
        if self.input_axes is None and self.output_axes is None:
            return compute_fans(shape)
        inner, outer = _axes(self.input_axes, shape), _axes(self.output_axes, shape)
        window = math.prod(n for axis, n in enumerate(shape) if axis not in inner and axis not in outer)
        return window * math.prod(shape[a] for a in inner), window * math.prod(shape[a] for a in outer)

    def __call__(self, shape: Any, dtype: Any = None) -> Tensor:
        """Numbers in this shape and dtype."""
        fan_in, fan_out = self._fans(shape)
        fan = {"fan_in": fan_in, "fan_out": fan_out, "fan_avg": (fan_in + fan_out) / 2.0}[self.mode]
        scale = self.scale / max(1.0, fan)
        if self.distribution == "truncated_normal":
            return random.truncated_normal(shape, 0.0, math.sqrt(scale) / _NORMAL_OF_TWO, dtype, self.seed)
        if self.distribution == "untruncated_normal":
            return random.normal(shape, 0.0, math.sqrt(scale), dtype, self.seed)
        limit = float(np.sqrt(np.float32(3.0 * scale)))  # as Keras, whatever the dtype
        return random.uniform(shape, -limit, limit, dtype, self.seed)


def _axes(axes: list[int], shape: Any) -> list[int]:
    axes = [] if axes is None else [axes] if isinstance(axes, int) else axes
    return [a % len(shape) for a in axes]


class _Scaled(VarianceScaling):
    """A `VarianceScaling` of fixed scale, mode and distribution."""

    _fixed: tuple[float, str, str] = (1.0, "fan_in", "uniform")

    def __init__(
        self, seed: SeedGenerator | int | None = None, input_axes: Any = None, output_axes: Any = None
    ) -> None:
        super().__init__(*self._fixed, seed, input_axes, output_axes)


class GlorotUniform(_Scaled):
    """Uniform numbers up to sqrt(6 / (fan_in + fan_out)): what most layers begin with.

    >>> import graphrt as tf
    >>> tf.keras.initializers.GlorotUniform(seed=1)((3, 2)).numpy().round(3)[1].tolist()
    [0.2199..., -0.2349...]
    """

    _fixed = (1.0, "fan_avg", "uniform")


class GlorotNormal(_Scaled):
    """Normal numbers of variance 2 / (fan_in + fan_out).

    >>> import graphrt as tf
    >>> tf.keras.initializers.GlorotNormal(seed=1)((3, 2)).shape
    TensorShape([3, 2])
    """

    _fixed = (1.0, "fan_avg", "truncated_normal")


class HeUniform(_Scaled):
    """Uniform numbers up to sqrt(6 / fan_in).

    >>> import graphrt as tf
    >>> tf.keras.initializers.HeUniform(seed=1)((3, 2)).shape
    TensorShape([3, 2])
    """

    _fixed = (2.0, "fan_in", "uniform")


class HeNormal(_Scaled):
    """Normal numbers of variance 2 / fan_in.

    >>> import graphrt as tf
    >>> tf.keras.initializers.HeNormal(seed=1)((3, 2)).shape
    TensorShape([3, 2])
    """

    _fixed = (2.0, "fan_in", "truncated_normal")


class LecunUniform(_Scaled):
    """Uniform numbers up to sqrt(3 / fan_in).

    >>> import graphrt as tf
    >>> tf.keras.initializers.LecunUniform(seed=1)((3, 2)).shape
    TensorShape([3, 2])
    """

    _fixed = (1.0, "fan_in", "uniform")


class LecunNormal(_Scaled):
    """Normal numbers of variance 1 / fan_in.

    >>> import graphrt as tf
    >>> tf.keras.initializers.LecunNormal(seed=1)((3, 2)).shape
    TensorShape([3, 2])
    """

    _fixed = (1.0, "fan_in", "truncated_normal")


class Orthogonal(_Random):
    """A matrix with orthonormal rows or columns, times `gain`; more dimensions are flattened into the first.

    >>> import graphrt as tf
    >>> q = tf.keras.initializers.Orthogonal(seed=1)((4, 2))
    >>> abs(tf.transpose(q) @ q).numpy().round(3).tolist()
    [[1.0, 0.0], [0.0, 1.0]]

    Raises:
      ValueError: (when called) the shape has fewer than two dimensions.
    """

    def __init__(self, gain: float = 1.0, seed: SeedGenerator | int | None = None) -> None:
        self.gain = gain
        super().__init__(seed)

    def __call__(self, shape: Any, dtype: Any = None) -> Tensor:
        """The matrix in this shape and dtype."""
        shape = tuple(shape)
        if len(shape) < 2:
            raise ValueError(
                "The tensor to initialize must be at least two-dimensional. "
                f"Received: shape={shape} of rank {len(shape)}."
            )
        rows, columns = math.prod(shape[:-1]), shape[-1]
        drawn = random.normal((max(rows, columns), min(rows, columns)), dtype=dtype, seed=self.seed)
        q, r = tf.linalg.qr(drawn)
        q = q * tf.sign(tf.linalg.diag_part(r))
        q = tf.transpose(q) if rows < columns else q
        return self.gain * tf.reshape(q, shape)


IdentityInitializer = identity = Identity
OrthogonalInitializer = orthogonal = Orthogonal
zeros, ones, constant = Zeros, Ones, Constant
random_normal, random_uniform, truncated_normal = RandomNormal, RandomUniform, TruncatedNormal
glorot_normal, glorot_uniform, he_normal, he_uniform = GlorotNormal, GlorotUniform, HeNormal, HeUniform
lecun_normal, lecun_uniform, variance_scaling = LecunNormal, LecunUniform, VarianceScaling

_REGISTRY = Registry(
    "initializer", Initializer,
    {"normal": "random_normal", "uniform": "random_uniform", "one": "ones", "zero": "zeros"},
)  # fmt: skip
_REGISTRY.add(globals(), [n for n in __all__ if n[0].isupper()])


def get(identifier: Any) -> Any:
    """The initializer of this name, configuration or class; an array becomes a constant.

    >>> import graphrt as tf
    >>> type(tf.keras.initializers.get("he_normal")).__name__
    'HeNormal'

    Raises:
      ValueError: the name is not known.
    """
    if isinstance(identifier, (np.ndarray, tf.Tensor)):
        return Constant(identifier)
    return _REGISTRY.get(identifier)


def serialize(initializer: Initializer) -> dict[str, Any]:
    """The configuration from which `deserialize` makes it again.

    >>> import graphrt as tf
    >>> tf.keras.initializers.serialize(tf.keras.initializers.Zeros())["class_name"]
    'Zeros'
    """
    return described(initializer)


def deserialize(config: Any, custom_objects: Mapping[str, Any] | None = None) -> Any:
    """The initializer of a configuration.

    >>> import graphrt as tf
    >>> config = {"class_name": "Constant", "config": {"value": 3.0}}
    >>> tf.keras.initializers.deserialize(config)((2,)).numpy()
    array([3., 3.], dtype=float32)
    """
    with custom_object_scope(custom_objects):
        return get(config)
