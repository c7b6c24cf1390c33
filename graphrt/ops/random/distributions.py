"""Random tensors, as users call for them (see `random_ops` for the ops beneath)."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphrt import errors
from graphrt.ir.op import OpDef, provide
from graphrt.ops.array.concat_split import Pack
from graphrt.ops.array.padding import pad
from graphrt.ops.array.shape import BroadcastArgs, BroadcastTo
from graphrt.ops.math.arithmetic import AddV2, Maximum, Mul
from graphrt.ops.random.sampling_ops import (
    Algorithm,
    Multinomial,
    RandomGamma,
    RandomIndexShuffle,
    RandomPoissonV2,
    RandomShuffle,
    RandomStandardNormal,
    RandomUniform,
    RandomUniformInt,
    StatelessMultinomial,
    StatelessParameterizedTruncatedNormal,
    StatelessRandomBinomial,
    StatelessRandomGammaV3,
    StatelessRandomGetKeyCounter,
    StatelessRandomNormalV2,
    StatelessRandomPoisson,
    StatelessRandomUniformFullIntV2,
    StatelessRandomUniformIntV2,
    StatelessRandomUniformV2,
    StatelessShuffle,
    StatelessTruncatedNormalV2,
    TruncatedNormal,
    algorithm_number,
    get_seed,
    set_seed,
)
from graphrt.ops.support.shape_rules import as_tensor, shape_tensor
from graphrt.tensor.context import scope
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import Tensor, TensorLike
from graphrt.tensor.values import to_numpy
from graphrt.types import dtype as dtypes
from graphrt.types.dtype import DType, as_dtype, from_numpy
from graphrt.types.likes import Array, DTypeLike, ShapeLike
from graphrt.types.nesting import shown

__all__ = [
    "Algorithm", "categorical", "fold_in", "gamma", "index_shuffle", "normal", "poisson", "random_index_shuffle",
    "set_seed", "shuffle", "split", "stateless_binomial", "stateless_categorical", "stateless_fold_in",
    "stateless_gamma", "stateless_normal", "stateless_parameterized_truncated_normal", "stateless_poisson",
    "stateless_shuffle", "stateless_split", "stateless_truncated_normal", "stateless_uniform", "truncated_normal",
    "uniform",
]  # fmt: skip


def _shape(shape: Any) -> Tensor:
    """A shape argument as an integer vector, which the ops require."""
    if isinstance(shape, Tensor):
        return shape
    return convert_to_tensor(shape, dtype_hint=dtypes.int32, name="shape")


def _seeds(seed: Any) -> dict[str, Any]:
    first, second = get_seed(seed)
    return {"seed": first, "seed2": second}


def _scaled(raw: Tensor, factor: Tensor, offset: Tensor, name: str | None) -> Tensor:
    return AddV2(Mul(raw, factor, name="mul"), offset, name=name)


def _integer_bounds(minval: Any, maxval: Any, dtype: DType) -> tuple[Any, Any]:
    if maxval is None:
        raise ValueError(errors.at_user_line(f"Must specify maxval for integer dtype {shown(dtype)}"))
    return convert_to_tensor(minval, dtype, name="min"), convert_to_tensor(maxval, dtype, name="max")


# --- stateful --------------------------------------------------------------------------------------------------------
@provide
def uniform(
    shape: object, minval: TensorLike = 0, maxval: TensorLike | None = None, dtype: DTypeLike = dtypes.float32,
    seed: int | None = None, name: str | None = None
) -> Tensor:  # fmt: skip
    """Numbers from `minval` (inclusive) to `maxval` (exclusive; 1 for floats when None), all equally likely.

    >>> import graphrt as tf
    >>> tf.random.set_seed(5)
    >>> tf.random.uniform([2]).numpy().round(4).tolist()
    [0.6263999938964844, 0.5297999978065491]

    Raises:
      ValueError: `dtype` is an integer type and `maxval` is None, or `dtype` is neither integer nor floating.
    """
    dtype = as_dtype(dtype)
    if dtype not in (*dtypes.FLOATING, dtypes.int32, dtypes.int64):
        raise ValueError(f"Argument `dtype` got invalid value {shown(dtype)}: floats, int32 and int64 can be drawn.")
    with scope(name, "random_uniform") as full:
        dims = _shape(shape)
        if dtype.is_integer:
            low, high = _integer_bounds(minval, maxval, dtype)
            return RandomUniformInt(dims, low, high, **_seeds(seed), name=full)
        plain = maxval is None or (not isinstance(maxval, Tensor) and maxval is not None and _is(maxval, 1))
        if plain and _is(minval, 0):
            return RandomUniform(dims, dtype=dtype, **_seeds(seed))
        low = convert_to_tensor(minval, dtype, name="min")
        high = convert_to_tensor(1 if maxval is None else maxval, dtype, name="max")
        raw = RandomUniform(dims, dtype=dtype, **_seeds(seed))
        return _scaled(raw, high - low, low, full)


def _is(value: Any, wanted: int) -> bool:
    return isinstance(value, (int, float)) and value == wanted


@provide
def normal(
    shape: ShapeLike, mean: TensorLike = 0.0, stddev: TensorLike = 1.0, dtype: DTypeLike = dtypes.float32,
    seed: int | None = None, name: str | None = None
) -> Tensor:  # fmt: skip
    """Numbers of the normal distribution.

    >>> import graphrt as tf
    >>> tf.random.normal([2, 3]).shape
    TensorShape([2, 3])
    """
    dtype = as_dtype(dtype)
    with scope(name, "random_normal") as full:
        dims = _shape(shape)
        center, deviation = convert_to_tensor(mean, dtype, name="mean"), convert_to_tensor(stddev, dtype, name="stddev")
        raw = RandomStandardNormal(dims, dtype=dtype, **_seeds(seed))
        return _scaled(raw, deviation, center, full)


@provide
def truncated_normal(
    shape: ShapeLike, mean: TensorLike = 0.0, stddev: TensorLike = 1.0, dtype: DTypeLike = dtypes.float32,
    seed: int | None = None, name: str | None = None
) -> Tensor:  # fmt: skip
    """Numbers of the normal distribution, drawn again where they are more than two deviations from the mean.

    >>> import graphrt as tf
    >>> bool(tf.reduce_all(tf.abs(tf.random.truncated_normal([100])) < 2.0))
    True
    """
    dtype = as_dtype(dtype)
    with scope(name, "truncated_normal") as full:
        dims = _shape(shape)
        center, deviation = convert_to_tensor(mean, dtype, name="mean"), convert_to_tensor(stddev, dtype, name="stddev")
        raw = TruncatedNormal(dims, dtype=dtype, **_seeds(seed))
        return _scaled(raw, deviation, center, full)


@provide
def shuffle(value: TensorLike, seed: int | None = None, name: str | None = None) -> Tensor:
    """The slices of `value` along its first dimension, in another order.

    >>> import graphrt as tf
    >>> sorted(tf.random.shuffle([1, 2, 3]).numpy().tolist())
    [1, 2, 3]
    """
    return RandomShuffle(value, **_seeds(seed), name=name)


@provide
def categorical(
    logits: TensorLike, num_samples: TensorLike, dtype: DTypeLike | None = None, seed: int | None = None,
    name: str | None = None
) -> Tensor:  # fmt: skip
    """`num_samples` classes for each row of `logits` (log probabilities, not necessarily normalised).

    >>> import graphrt as tf
    >>> tf.random.categorical([[0.0, float("-inf")]], 3).numpy().tolist()
    [[0, 0, 0]]
    """
    with scope(name, "categorical"):
        return Multinomial(
            logits, num_samples, output_dtype=as_dtype(dtype) if dtype is not None else dtypes.int64, **_seeds(seed)
        )


def _spread_alpha(alpha: TensorLike, beta: Any, dtype: DType) -> tuple[Any, Any]:
    beta = convert_to_tensor(1 if beta is None else beta, dtype, name="beta")
    alpha = convert_to_tensor(alpha, dtype, name="alpha")
    full = BroadcastArgs(shape_tensor(alpha), shape_tensor(beta))
    return BroadcastTo(alpha, full), beta


@provide
def gamma(
    shape: ShapeLike, alpha: TensorLike, beta: Any = None, dtype: DTypeLike = dtypes.float32, seed: int | None = None,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """Samples of gamma distributions, `shape` of them for each pair of `alpha` (shape) and `beta` (inverse scale).

    >>> import graphrt as tf
    >>> tf.random.gamma([5], [0.5, 1.5]).shape
    TensorShape([5, 2])
    """
    dtype = as_dtype(dtype)
    with scope(name, "random_gamma"):
        dims = _shape(shape)
        alpha, beta = _spread_alpha(alpha, beta, dtype)
        raw = RandomGamma(dims, alpha, **_seeds(seed))
        return Maximum(_tiny(dtype), raw / beta)


def _tiny(dtype: DType) -> Array:
    return np.finfo(dtype.as_numpy_dtype).tiny


@provide
def poisson(
    shape: ShapeLike, lam: TensorLike, dtype: DTypeLike = dtypes.float32, seed: int | None = None,
    name: str | None = None
) -> Tensor:  # fmt: skip
    """Samples of Poisson distributions, `shape` of them for each rate in `lam`.

    >>> import graphrt as tf
    >>> tf.random.poisson([5], [0.5, 1.5]).shape
    TensorShape([5, 2])
    """
    with scope(name, "random_poisson"):
        return RandomPoissonV2(_shape(shape), as_tensor(lam, name="lam"), dtype=as_dtype(dtype), **_seeds(seed))


# --- stateless -------------------------------------------------------------------------------------------------------
def _generator(seed: TensorLike) -> tuple[Any, Any]:
    key, counter = StatelessRandomGetKeyCounter(seed, **_seed_type(seed))
    return key, counter


def _seed_type(seed: TensorLike) -> dict[str, Any]:
    """The attribute that says of which type a seed is: Python's numbers are int32 where they fit."""
    if isinstance(seed, Tensor) or hasattr(seed, "__tf_tensor__"):
        return {}
    if isinstance(seed, (list, tuple)) and any(isinstance(v, Tensor) or hasattr(v, "__tf_tensor__") for v in seed):
        return {}
    found = from_numpy(to_numpy(seed).dtype)
    return {"Tseed": found if found in dtypes.INDEX else dtypes.int64}


@provide
def stateless_uniform(
    shape: ShapeLike, seed: TensorLike, minval: TensorLike | None = 0, maxval: TensorLike | None = None,
    dtype: DTypeLike = dtypes.float32, name: str | None = None, alg: Algorithm | int | str = "auto_select"
) -> Tensor:  # fmt: skip
    """Numbers from `minval` (inclusive) to `maxval` (exclusive) that follow from `seed`, two integers, alone.

    For integers, both bounds None stands for every value of the type.

    >>> import graphrt as tf
    >>> tf.random.stateless_uniform([2], seed=(1, 2)).numpy().round(4).tolist()
    [0.8440999984741211, 0.19200000166893005]

    Raises:
      ValueError: `dtype` cannot be drawn, or only one bound is given for unsigned integers.
    """
    dtype = as_dtype(dtype)
    known = (*dtypes.FLOATING, dtypes.int32, dtypes.int64, dtypes.uint32, dtypes.uint64)
    if dtype not in known:
        raise ValueError(f"Argument `dtype` got invalid value {dtype!r}. Accepted: {', '.join(t.name for t in known)}.")
    with scope(name, "stateless_random_uniform") as full:
        dims = _shape(shape)
        if dtype.is_integer and minval is None:
            if maxval is not None:
                raise ValueError(
                    f"For integer dtype {dtype!r}, argument `minval` and `maxval` must be both None or both not None."
                )
            key, counter = _generator(seed)
            return StatelessRandomUniformFullIntV2(dims, key, counter, _alg(alg), dtype=dtype, name=full)
        if dtype.is_unsigned:
            raise ValueError(
                f"Argument `dtype` got invalid value {shown(dtype)} when argument `minval` is not None. "
                "Unsigned integers are drawn from their whole range: leave both bounds None."
            )
        if dtype.is_integer:
            low, high = _integer_bounds(minval, maxval, dtype)
            key, counter = _generator(seed)
            return StatelessRandomUniformIntV2(dims, key, counter, _alg(alg), low, high, name=full)
        low = convert_to_tensor(0 if minval is None else minval, dtype, name="min")
        high = convert_to_tensor(1 if maxval is None else maxval, dtype, name="max")
        key, counter = _generator(seed)
        raw = StatelessRandomUniformV2(dims, key, counter, algorithm_number(alg), dtype=dtype)
        return _scaled(raw, high - low, low, full)


def _alg(alg: Any) -> Tensor:
    return convert_to_tensor(algorithm_number(alg), dtypes.int32, name="alg")


def _stateless_gauss(
    op: OpDef, default: str, shape: Any, seed: TensorLike, mean: Any, stddev: Any, dtype: Any, name: str | None,
    alg: str
) -> Tensor:  # fmt: skip
    dtype = as_dtype(dtype)
    with scope(name, default) as full:
        dims = _shape(shape)
        center, deviation = convert_to_tensor(mean, dtype, name="mean"), convert_to_tensor(stddev, dtype, name="stddev")
        key, counter = _generator(seed)
        return _scaled(op(dims, key, counter, algorithm_number(alg), dtype=dtype), deviation, center, full)


@provide
def stateless_normal(
    shape: ShapeLike, seed: TensorLike, mean: TensorLike = 0.0, stddev: TensorLike = 1.0,
    dtype: DTypeLike = dtypes.float32, name: str | None = None, alg: str = "auto_select"
) -> Tensor:  # fmt: skip
    """Numbers of the normal distribution that follow from `seed`, two integers, alone.

    >>> import graphrt as tf
    >>> tf.random.stateless_normal([2], seed=(1, 2)).numpy().round(4).tolist()
    [0.5440999865531921, 0.20739999413490295]
    """
    return _stateless_gauss(
        StatelessRandomNormalV2, "stateless_random_normal", shape, seed, mean, stddev, dtype, name, alg
    )


@provide
def stateless_truncated_normal(
    shape: ShapeLike, seed: TensorLike, mean: TensorLike = 0.0, stddev: TensorLike = 1.0,
    dtype: DTypeLike = dtypes.float32, name: str | None = None, alg: str = "auto_select"
) -> Tensor:  # fmt: skip
    """Numbers of the normal distribution within two deviations that follow from `seed`, two integers, alone.

    >>> import graphrt as tf
    >>> tf.random.stateless_truncated_normal([3], seed=(1, 2)).shape
    TensorShape([3])
    """
    return _stateless_gauss(
        StatelessTruncatedNormalV2, "stateless_truncated_normal", shape, seed, mean, stddev, dtype, name, alg
    )


@provide
def stateless_categorical(
    logits: TensorLike, num_samples: TensorLike, seed: TensorLike, dtype: DTypeLike = dtypes.int64,
    name: str | None = None
) -> Tensor:  # fmt: skip
    """`num_samples` classes for each row of `logits` that follow from `seed`, two integers, alone.

    >>> import graphrt as tf
    >>> tf.random.stateless_categorical([[0.0, 0.0]], 4, seed=(1, 2)).shape
    TensorShape([1, 4])
    """
    with scope(name, "stateless_categorical"):
        return StatelessMultinomial(logits, num_samples, seed, output_dtype=as_dtype(dtype), **_seed_type(seed))


@provide
def stateless_gamma(
    shape: ShapeLike, seed: TensorLike, alpha: TensorLike, beta: TensorLike | None = None,
    dtype: DTypeLike = dtypes.float32, name: str | None = None
) -> Tensor:  # fmt: skip
    """Gamma samples of shape `shape`, whose last dimensions are those of `alpha` and `beta`; a function of `seed`.

    >>> import graphrt as tf
    >>> tf.random.stateless_gamma([4, 2], seed=(1, 2), alpha=[0.5, 3.0]).shape
    TensorShape([4, 2])
    """
    dtype = as_dtype(dtype)
    with scope(name, "stateless_random_gamma"):
        dims = _shape(shape)
        alpha, beta = _spread_alpha(alpha, beta, dtype)
        key, counter = _generator(seed)
        raw = StatelessRandomGammaV3(dims, key, counter, algorithm_number("auto_select"), alpha)
        return Maximum(_tiny(dtype), raw / beta)


@provide
def stateless_poisson(
    shape: ShapeLike, seed: TensorLike, lam: TensorLike, dtype: DTypeLike = dtypes.int32, name: str | None = None
) -> Tensor:
    """Poisson samples of shape `shape`, whose last dimensions are those of `lam`; a function of `seed`.

    >>> import graphrt as tf
    >>> tf.random.stateless_poisson([4, 2], seed=(1, 2), lam=[0.5, 3.0]).shape
    TensorShape([4, 2])
    """
    with scope(name, "stateless_random_poisson"):
        return StatelessRandomPoisson(
            _shape(shape), seed, as_tensor(lam, name="lam"), dtype=as_dtype(dtype), **_seed_type(seed)
        )


@provide
def stateless_binomial(
    shape: ShapeLike, seed: TensorLike, counts: TensorLike, probs: TensorLike, output_dtype: DTypeLike = dtypes.int32,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """Binomial samples of shape `shape`, to which `counts` and `probs` broadcast; a function of `seed`.

    >>> import graphrt as tf
    >>> tf.random.stateless_binomial([2], seed=(1, 2), counts=10.0, probs=1.0).numpy().tolist()
    [10, 10]
    """
    with scope(name, "stateless_random_binomial"):
        dims = _shape(shape)
        p = as_tensor(probs, name="probs")
        n = convert_to_tensor(counts, p.dtype, name="counts")
        return StatelessRandomBinomial(dims, seed, n, p, dtype=as_dtype(output_dtype), **_seed_type(seed))


@provide
def stateless_parameterized_truncated_normal(
    shape: ShapeLike, seed: TensorLike, means: TensorLike = 0.0, stddevs: TensorLike = 1.0, minvals: TensorLike = -2.0,
    maxvals: TensorLike = 2.0, name: str | None = None,
) -> Tensor:  # fmt: skip
    """Normal samples between `minvals` and `maxvals`; the parameters broadcast to `shape`; a function of `seed`.

    >>> import graphrt as tf
    >>> x = tf.random.stateless_parameterized_truncated_normal([3], (1, 2), minvals=1.0, maxvals=1.5)
    >>> bool(tf.reduce_all((x >= 1.0) & (x <= 1.5)))
    True
    """
    with scope(name, "stateless_parameterized_truncated_normal"):
        dims = _shape(shape)
        given = [means, stddevs, minvals, maxvals]
        dtype = next((v.dtype for v in given if isinstance(v, (Tensor, np.ndarray, np.generic))), dtypes.float32)
        names = ("means", "stddevs", "minvals", "maxvals")
        parameters = [convert_to_tensor(v, dtype, name=n) for v, n in zip(given, names)]
        return StatelessParameterizedTruncatedNormal(dims, seed, *parameters, **_seed_type(seed))


@provide
def stateless_shuffle(value: TensorLike, seed: TensorLike, alg: str = "auto_select", name: str | None = None) -> Tensor:
    """The slices of `value` along its first dimension, in an order that follows from `seed` alone.

    >>> import graphrt as tf
    >>> tf.random.experimental.stateless_shuffle([1, 2, 3], seed=(1, 2)).shape
    TensorShape([3])
    """
    with scope(name, "stateless_shuffle"):
        key, counter = _generator(seed)
        return StatelessShuffle(as_tensor(value, name="value"), key, counter, algorithm_number(alg))


def split(seed: TensorLike, num: int = 2, alg: str = "auto_select") -> Tensor:
    """`num` new seeds, of shape [num, 2], that follow from `seed`.

    >>> import graphrt as tf
    >>> tf.random.split((1, 2), 3).shape
    TensorShape([3, 2])
    """
    seed = as_tensor(seed)
    return stateless_uniform([num, 2], seed, None, None, seed.dtype, alg=alg)


@provide
def fold_in(seed: TensorLike, data: TensorLike, alg: str = "auto_select") -> Tensor:
    """A new seed that follows from `seed` and the integer `data`.

    >>> import graphrt as tf
    >>> tf.random.fold_in((1, 2), 3).shape
    TensorShape([2])
    """
    data = as_tensor(data)
    first = stateless_uniform([], seed, None, None, data.dtype, alg=alg)
    return Pack([first, data], name="stack")


stateless_split = split
stateless_fold_in = fold_in


@provide
def random_index_shuffle(
    index: TensorLike, seed: TensorLike, max_index: TensorLike, rounds: int = 4, name: str | None = None
) -> Tensor:
    """Where a permutation of `0 ... max_index`, chosen by the three integers of `seed`, sends `index`.

    >>> import graphrt as tf
    >>> sorted(int(tf.random_index_shuffle(i, (1, 2, 3), 4)) for i in range(5))
    [0, 1, 2, 3, 4]
    """
    return RandomIndexShuffle(index, seed, max_index, rounds=rounds, name=name)


_FIRST_OF_SEED = 498247692  # TensorFlow's: of the three integers of the op two are the caller's


@provide
def index_shuffle(index: TensorLike, seed: TensorLike, max_index: TensorLike) -> Tensor:
    """Where a permutation of `0 ... max_index`, chosen by the two integers of `seed`, sends `index`.

    `index` and `max_index` may be vectors, `seed` of shape (n, 2): what is single is taken for each.

    >>> import graphrt as tf
    >>> sorted(tf.random.experimental.index_shuffle(tf.range(4), seed=[5, 9], max_index=3).numpy().tolist())
    [0, 1, 2, 3]

    Raises:
      InvalidArgumentError: `seed` does not have two integers, or `index` is greater than `max_index`.
    """
    pair = convert_to_tensor(seed, name="seed")
    if pair.dims and pair.dims[-1] not in (2, None):
        raise errors.InvalidArgumentError(None, None, f"seed must be two integers, found the shape {pair.shape}")
    before = [[0, 0]] * (len(pair.dims or (0,)) - 1) + [[1, 0]]
    return random_index_shuffle(index, pad(pair, before, constant_values=_FIRST_OF_SEED), max_index)
