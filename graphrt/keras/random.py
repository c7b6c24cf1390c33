"""`keras.random`: random tensors from seeds, and `SeedGenerator`, a stream of seeds whose position is a variable.

Numbers follow from the seed alone, and are those that Keras draws with TensorFlow.
"""

from __future__ import annotations

import random as _python_random
import threading
from typing import Any

import graphrt as tf
from graphrt.keras.config import floatx
from graphrt.keras.configurable import Configurable
from graphrt.keras.names import auto_name, forget_names, path_scope
from graphrt.keras.variable import Variable
from graphrt.tensor.tensor import Tensor
from graphrt.types.likes import DTypeLike, ShapeLike, TensorLike
from graphrt.types.nesting import said

__all__ = [
    "SeedGenerator", "beta", "binomial", "categorical", "dropout", "gamma", "normal", "randint", "shuffle",
    "truncated_normal", "uniform",
]  # fmt: skip


_SEEDS = 2**31 - 2  # how many seeds there are


def make_default_seed() -> int:
    """A seed from Python's generator, which `keras.utils.set_random_seed` sets."""
    return _python_random.randint(1, int(1e9))


class SeedGenerator(Configurable):
    """Gives another seed at each call of `next`, eagerly and in functions.

    >>> import graphrt as tf
    >>> seeds = tf.keras.random.SeedGenerator(5)
    >>> seeds.next().numpy().tolist(), seeds.next().numpy().tolist()
    ([5, 0], [5, 1])

    Raises:
      ValueError: `seed` is no integer.
    """

    def __init__(self, seed: int | None = None, name: str | None = None, **kwargs: object) -> None:
        self.name = name or auto_name("seed_generator")
        seed = make_default_seed() if seed is None else seed
        if not isinstance(seed, int):
            raise ValueError(f"Argument `seed` must be an integer. Received: seed={said(seed)}")
        self._seed = seed
        with path_scope(self.name):
            self.state = Variable(
                tf.constant([seed, 0], tf.int64), dtype="int64", trainable=False, name="seed_generator_state"
            )

    def next(self, ordered: bool = True) -> Tensor:
        """The next seed, two integers."""
        seed = tf.identity(self.state)
        self.state.assign_add([0, 1])
        return seed

    def get_config(self) -> dict[str, Any]:
        """The seed it was made of, and the name."""
        return {"seed": self._seed, "name": self.name}


def draw_seed(seed: object) -> Tensor:
    """Two integers, from a number, a `SeedGenerator`, or None for any seed; such as Keras leaves of them for 32 bits."""
    if isinstance(seed, int):
        return tf.constant([seed % _SEEDS, 0], tf.int64)
    if seed is None:
        return _anywhere().next()
    if isinstance(seed, SeedGenerator):
        return tf.math.floormod(seed.next(), _SEEDS)
    raise ValueError(
        "Argument `seed` must be either an integer or an instance of `SeedGenerator`. "
        f"Received: seed={said(seed)} (of type {type(seed)})"
    )


_lock = threading.RLock()
_global: list[SeedGenerator] = []  # state: locked by _lock


def _anywhere() -> SeedGenerator:
    with _lock:
        if not _global:
            with tf.init_scope():
                _global.append(SeedGenerator(name="global_seed_generator"))
        return _global[0]


def forget_global_seeds() -> None:
    """What draws without a seed starts anew."""
    with _lock:
        _global.clear()


def clear_session(free_memory: bool = True) -> None:
    """Forgets the names given to layers and models so far, which count anew, and the seed drawn from when none is given.

    >>> import graphrt as tf
    >>> tf.keras.utils.clear_session()
    >>> tf.keras.layers.Dense(1).name, tf.keras.layers.Dense(1).name
    ('dense', 'dense_1')
    >>> tf.keras.utils.clear_session()
    >>> tf.keras.layers.Dense(1).name
    'dense'
    """
    forget_names()
    forget_global_seeds()


def normal(
    shape: ShapeLike, mean: TensorLike = 0.0, stddev: TensorLike = 1.0, dtype: DTypeLike | None = None, seed: Any = None
) -> Tensor:
    """Normally distributed numbers.

    >>> import graphrt as tf
    >>> tf.keras.random.normal((2,), seed=1).numpy().round(4).tolist()
    [0.1266..., -0.4930...]
    """
    return tf.random.stateless_normal(shape, draw_seed(seed), mean, stddev, dtype or floatx())


def truncated_normal(
    shape: ShapeLike, mean: TensorLike = 0.0, stddev: TensorLike = 1.0, dtype: DTypeLike | None = None,
    seed: SeedGenerator | int | None = None
) -> Tensor:  # fmt: skip
    """Normally distributed numbers, none further than two `stddev` from `mean`.

    >>> import graphrt as tf
    >>> found = tf.keras.random.truncated_normal((3,), seed=1).numpy()
    >>> found.shape, bool(abs(found).max() <= 2)
    ((3,), True)
    """
    return tf.random.stateless_truncated_normal(shape, draw_seed(seed), mean, stddev, dtype or floatx())


def uniform(
    shape: ShapeLike, minval: TensorLike = 0.0, maxval: TensorLike = 1.0, dtype: DTypeLike | None = None,
    seed: Any = None
) -> Tensor:  # fmt: skip
    """Numbers from `minval` to `maxval`, all equally likely.

    >>> import graphrt as tf
    >>> found = tf.keras.random.uniform((3,), seed=1).numpy()
    >>> found.shape, bool(found.min() >= 0 and found.max() < 1)
    ((3,), True)
    """
    return tf.random.stateless_uniform(shape, draw_seed(seed), minval, maxval, dtype or floatx())


def randint(
    shape: ShapeLike,
    minval: TensorLike,
    maxval: TensorLike,
    dtype: DTypeLike = "int32",
    seed: SeedGenerator | int | None = None,
) -> Tensor:
    """Integers from `minval` to `maxval` (exclusive).

    >>> import graphrt as tf
    >>> found = tf.keras.random.randint((3,), 0, 10, seed=1).numpy()
    >>> found.shape, bool(found.min() >= 0 and found.max() < 10)
    ((3,), True)
    """
    kind = tf.as_dtype(dtype)
    drawn = kind if kind in (tf.int32, tf.int64) else tf.int64
    return tf.cast(tf.random.stateless_uniform(shape, draw_seed(seed), minval, maxval, drawn), kind)


def categorical(
    logits: TensorLike, num_samples: int, dtype: DTypeLike = "int32", seed: SeedGenerator | int | None = None
) -> Tensor:
    """Samples of the categories whose logarithmic probabilities are the rows of `logits`.

    >>> import graphrt as tf
    >>> found = tf.keras.random.categorical(tf.zeros([1, 4]), 3, seed=1).numpy()
    >>> found.shape, bool(found.max() < 4)
    ((1, 3), True)
    """
    return tf.cast(tf.random.stateless_categorical(logits, num_samples, draw_seed(seed)), dtype)


def _gamma(shape: ShapeLike, seed: Any, alpha: TensorLike, dtype: DTypeLike | None) -> Tensor:
    kind = tf.as_dtype(dtype or floatx())
    drawn = tf.float32 if kind is tf.bfloat16 else kind  # in which gamma variates are not drawn
    return tf.cast(tf.random.stateless_gamma(shape, seed, alpha=tf.cast(alpha, drawn), dtype=drawn), kind)


def gamma(
    shape: ShapeLike, alpha: TensorLike, dtype: DTypeLike | None = None, seed: SeedGenerator | int | None = None
) -> Tensor:
    """Numbers of the gamma distribution of shape `alpha`.

    >>> import graphrt as tf
    >>> found = tf.keras.random.gamma((3,), 2.0, seed=1).numpy()
    >>> found.shape, bool(found.min() > 0)
    ((3,), True)
    """
    return _gamma(shape, draw_seed(seed), alpha, dtype)


def beta(
    shape: ShapeLike,
    alpha: TensorLike,
    beta: TensorLike,
    dtype: DTypeLike | None = None,
    seed: SeedGenerator | int | None = None,
) -> Tensor:
    """Numbers of the beta distribution.

    >>> import graphrt as tf
    >>> found = tf.keras.random.beta((3,), 2.0, 3.0, seed=1).numpy()
    >>> found.shape, bool(found.min() > 0 and found.max() < 1)
    ((3,), True)
    """
    first = draw_seed(seed)
    a, b = _gamma(shape, first, alpha, dtype), _gamma(shape, first + 12, beta, dtype)
    return a / (a + b)


def binomial(
    shape: ShapeLike, counts: TensorLike, probabilities: TensorLike, dtype: DTypeLike | None = None,
    seed: SeedGenerator | int | None = None
) -> Tensor:  # fmt: skip
    """How many of `counts` tries succeed when each does with its probability.

    >>> import graphrt as tf
    >>> found = tf.keras.random.binomial((3,), 10.0, 0.5, seed=1).numpy()
    >>> found.shape, bool(found.max() <= 10)
    ((3,), True)
    """
    kind = tf.as_dtype(dtype or floatx())
    drawn = tf.float32 if kind is tf.bfloat16 else kind
    found = tf.random.stateless_binomial(shape, draw_seed(seed), counts=counts, probs=probabilities, output_dtype=drawn)
    return tf.cast(found, kind)


def shuffle(x: TensorLike, axis: int = 0, seed: SeedGenerator | int | None = None) -> Tensor:
    """`x` with its parts along `axis` in another order.

    >>> import graphrt as tf
    >>> found = tf.keras.random.shuffle([1, 2, 3], seed=1).numpy()
    >>> found.shape, sorted(found.tolist()) == [1, 2, 3]
    ((3,), True)
    """
    x = tf.convert_to_tensor(x)
    order = tf.argsort(tf.random.stateless_uniform([tf.shape(x)[axis]], draw_seed(seed)))
    return tf.gather(x, order, axis=axis)


def dropout(
    inputs: TensorLike, rate: float, noise_shape: Any = None, seed: SeedGenerator | int | None = None
) -> Tensor:
    """`inputs` with a share of `rate` set to zero, and the rest scaled so that the sum stays about the same.

    >>> import graphrt as tf
    >>> tf.keras.random.dropout(tf.ones(5), 0.5, seed=3).numpy().tolist()
    [0.0, 2.0, 2.0, 2.0, 0.0]
    """
    inputs = tf.convert_to_tensor(inputs)
    shape: Any = tf.shape(inputs)
    if noise_shape is not None:
        shape = [shape[i] if n is None else n for i, n in enumerate(noise_shape)]
    draw = tf.random.stateless_uniform(shape, draw_seed(seed), dtype=inputs.dtype)
    kept = draw >= tf.cast(rate, inputs.dtype)
    scale = 1.0 / (1.0 - rate) if rate < 1 else 0.0  # nothing is kept of all
    return tf.where(kept, inputs * tf.cast(scale, inputs.dtype), tf.zeros_like(inputs))
