"""Random tensors: stateful ops, which draw from a stream of their own, and stateless ones, which are functions.

The seeds of a stateful op come from `set_seed` and from its own `seed`: both unset gives other numbers at each run of
the program; otherwise runs repeat each other, and give the numbers that TensorFlow gives.
"""

from __future__ import annotations

import enum
import random as python_random
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.errors import ShapeError
from graphrt.ir.code import Code, Template, commas
from graphrt.ir.graph import InferContext, Node
from graphrt.ir.op import DRAWS, READS, STATEFUL, UNORDERED, OpDef, define, provide
from graphrt.ops.array.creation import range as range_
from graphrt.ops.array.shape import BroadcastTo, Rank, Shape
from graphrt.ops.math.elementwise import Exp
from graphrt.ops.math.reduction import reduce_sum
from graphrt.ops.math.special.gamma import Erfc
from graphrt.ops.random import philox as rb
from graphrt.ops.random import samplers
from graphrt.ops.support.shape_rules import require_rank, unbroadcast_to
from graphrt.tensor.context import current_graph
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import Tensor
from graphrt.types import dtype as dtypes
from graphrt.types.dtype import INDEX, REAL, DType
from graphrt.types.likes import Array
from graphrt.types.nesting import Choices, shown
from graphrt.types.shape import Dims

__all__ = ["Algorithm", "get_seed", "set_seed"]


# --- seeds -----------------------------------------------------------------------------------------------------------
DEFAULT_SEED = 87654321
_MAX_INT32 = 2**31 - 1


class _Seeds:
    """The global seed, and what gives each eager op a seed of its own."""

    def __init__(self) -> None:
        self.seed: int | None = None
        self.source = python_random.Random()


_seeds = _Seeds()


@provide
def set_seed(seed: int | None) -> None:
    """Sets the global seed: from here on the stateful random ops repeat, run by run, what they give.

    >>> import graphrt as tf
    >>> tf.random.set_seed(7); a = tf.random.uniform([2])
    >>> tf.random.set_seed(7); b = tf.random.uniform([2])
    >>> bool(tf.reduce_all(a == b))
    True
    """
    _seeds.seed = None if seed is None else int(seed)
    _seeds.source = python_random.Random(_seeds.seed)
    rb.reset_streams()


def get_seed(op_seed: int | None) -> tuple[int, int]:
    """The two seeds of an op that was given `op_seed`; (0, 0) stands for seeds that nobody chose."""
    graph = current_graph()
    if op_seed is not None:
        first, second = (DEFAULT_SEED if _seeds.seed is None else _seeds.seed), int(op_seed)
    elif _seeds.seed is None:
        return 0, 0
    elif graph is None:
        first, second = _seeds.seed, _seeds.source.randint(0, _MAX_INT32)
    else:
        count = graph.collections.get("random ops without a seed of their own", 0)
        graph.collections["random ops without a seed of their own"] = count + 1
        first, second = _seeds.seed, count
    first, second = first % _MAX_INT32, second % _MAX_INT32
    return (0, _MAX_INT32) if first == 0 and second == 0 else (first, second)


# --- stateful ops ----------------------------------------------------------------------------------------------------
def _shape_of(shape: Any) -> tuple[int, ...]:
    if np.ndim(shape) != 1:
        raise errors.InvalidArgumentError(None, None, f"shape must be 1-D, got an array of rank {np.ndim(shape)}")
    dims = tuple(int(d) for d in shape)
    if any(d < 0 for d in dims):
        raise errors.InvalidArgumentError(None, None, f"Dimension {min(dims)} must be >= 0")
    return dims


def _count(dims: tuple[int, ...]) -> int:
    total = 1
    for d in dims:
        total *= d
    return total


_DRAWN = Template("{}({})")


def _stateful(
    type_: str, schema: str, draw: Callable[..., Any], infer: Callable[..., Any], attrs: str, allowed: dict[Any, Any],
    key: str, vjp: Callable[..., Any] | None = None
) -> OpDef:  # fmt: skip
    """Declares an op that draws: `draw(stream, dtype, *arrays)`; `key` is the attribute that holds the dtype."""

    def run(stream: rb.Stream, dtype: DType, *arrays: Array) -> Array:
        found = draw(stream, dtype.as_numpy_dtype, *arrays)
        return found[()] if found.ndim == 0 else found

    def emit(emitter: Any, node: Node, inputs: list[Code]) -> list[Code]:
        # a node of a compiled graph has a stream of its own
        stream = rb.Stream(node.attrs["seed"], node.attrs["seed2"])
        return [_DRAWN(emitter.bind(partial(run, stream, node.attrs[key]), type_), commas(inputs))]

    kernel: Callable[..., Any]
    if key == "dtype":

        def kernel(*arrays: Array, seed: int, seed2: int, dtype: DType) -> Array:
            return run(rb.stream_for((type_, seed, seed2, dtype.name), seed, seed2), dtype, *arrays)

    elif key == "Tout":

        def kernel(*arrays: Array, seed: int, seed2: int, Tout: DType) -> Array:
            return run(rb.stream_for((type_, seed, seed2, Tout.name), seed, seed2), Tout, *arrays)

    elif key == "output_dtype":

        def kernel(*arrays: Array, seed: int, seed2: int, output_dtype: DType) -> Array:
            return run(rb.stream_for((type_, seed, seed2, output_dtype.name), seed, seed2), output_dtype, *arrays)

    else:

        def kernel(*arrays: Array, seed: int, seed2: int, T: DType) -> Array:
            return run(rb.stream_for((type_, seed, seed2, T.name), seed, seed2), T, *arrays)

    return define(
        type_, schema, attrs=f"seed: int = 0; seed2: int = 0{attrs}", allowed=allowed, infer=infer, kernel=kernel,
        emit=emit, vjp=vjp or (lambda c, g: [None] * len(c.inputs)), traits=(STATEFUL, READS, DRAWS, UNORDERED),
    )  # fmt: skip


def _shaped(c: InferContext) -> Dims:
    require_rank(c, 0, 1)
    return c.shape_from(0)


def _draw(function: Callable[..., Any]) -> Callable[..., Any]:
    def draw(stream: rb.Stream, dtype: type, shape: Array) -> Array:
        dims = _shape_of(shape)
        count = _count(dims)
        return function(*stream.reserve(256 * count), count, dtype).reshape(dims)

    return draw


def _draw_int(stream: rb.Stream, dtype: type, shape: Array, minval: Array, maxval: Array) -> Array:
    dims = _shape_of(shape)
    count = _count(dims)
    if np.ndim(minval) or np.ndim(maxval):
        raise errors.InvalidArgumentError(None, None, "minval and maxval must be scalars")
    if minval >= maxval and count:
        raise errors.InvalidArgumentError(None, None, f"Need minval < maxval, got {minval} >= {maxval}")
    return rb.uniform_int(*stream.reserve(256 * count), count, minval, maxval, dtype).reshape(dims)


_FLOAT_ALLOWED = {"dtype": (dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64), "T": INDEX}
_SHAPE_SCHEMA = "shape: T -> output: dtype"
RandomUniform = _stateful(
    "RandomUniform", _SHAPE_SCHEMA, _draw(rb.uniform), _shaped, "; dtype: type", _FLOAT_ALLOWED, "dtype"
)
RandomStandardNormal = _stateful(
    "RandomStandardNormal", _SHAPE_SCHEMA, _draw(rb.normal), _shaped, "; dtype: type", _FLOAT_ALLOWED, "dtype"
)
TruncatedNormal = _stateful(
    "TruncatedNormal", _SHAPE_SCHEMA, _draw(rb.truncated_normal), _shaped, "; dtype: type", _FLOAT_ALLOWED, "dtype"
)
RandomUniformInt = _stateful(
    "RandomUniformInt", "shape: T, minval: Tout[0], maxval: Tout[0] -> output: Tout", _draw_int, _shaped, "",
    {"Tout": INDEX, "T": INDEX}, "Tout",
)  # fmt: skip


def _draw_shuffle(stream: rb.Stream, dtype: type, value: Array) -> Array:
    if np.ndim(value) == 0 or value.shape[0] <= 1:
        return np.asarray(value)
    count = value.shape[0]
    return value[rb.shuffled(*stream.reserve(-(-(count - 1) // 4)), count)]


RandomShuffle = _stateful("RandomShuffle", "value: T -> output: T", _draw_shuffle, lambda c: c.dims(0), "", {}, "T")


def _categorical_dims(c: InferContext) -> Dims:
    require_rank(c, 0, 2)
    dims, count = c.dims(0), c.const(1)
    return (None if dims is None else dims[0], None if count is None else int(count))


def _draw_categorical(stream: rb.Stream, dtype: type, logits: Array, num_samples: Array) -> Array:
    samplers.check_categorical(logits, num_samples)
    rows, count = logits.shape[0], int(num_samples)
    key, counter = stream.reserve(rows * -(-count // 4) * 4 * 512)
    return samplers.categorical(key, counter, logits, count).astype(dtype)


Multinomial = _stateful(
    "Multinomial", "logits: T, num_samples: int32[0] -> output: output_dtype", _draw_categorical, _categorical_dims,
    "; output_dtype: type = int64", {"T": REAL, "output_dtype": INDEX}, "output_dtype",
)  # fmt: skip


def _shape_then_parameters(c: InferContext) -> Dims:
    require_rank(c, 0, 1)
    lead, rest = c.shape_from(0), c.dims(len(c.inputs) - 1)
    return None if lead is None or rest is None else lead + rest


def _draw_gamma(stream: rb.Stream, dtype: type, shape: Array, alpha: Array) -> Array:
    dims = _shape_of(shape)
    count = _count(dims) * np.size(alpha)
    return samplers.gamma(*stream.reserve(256 * count), dims, np.asarray(alpha), dtype)


def _gamma_vjp(c: Any, g: object) -> list[Any]:
    alpha, sample = c.inputs[-1], c.outputs[0]
    slope = g * RandomGammaGrad(BroadcastTo(alpha, Shape(sample)), sample)
    extra = Rank(sample) - Rank(alpha)
    return [*[None] * (len(c.inputs) - 1), reduce_sum(slope, axis=range_(extra))]


RandomGamma = _stateful(
    "RandomGamma", "shape: S, alpha: T -> output: T", _draw_gamma, _shape_then_parameters, "",
    {"S": INDEX, "T": (dtypes.float16, dtypes.float32, dtypes.float64)}, "T", _gamma_vjp,
)  # fmt: skip
RandomGammaGrad = define(
    "RandomGammaGrad", "alpha: T, sample: T -> output: T", allowed={"T": (dtypes.float32, dtypes.float64)},
    infer=lambda c: c.dims(0), kernel=lambda alpha, sample: samplers.gamma_slope(alpha, sample),
)  # fmt: skip


def _draw_poisson(stream: rb.Stream, dtype: type, shape: Array, rate: Array) -> Array:
    dims = _shape_of(shape)
    count = _count(dims) * np.size(rate)
    return samplers.poisson(*stream.reserve(256 * count), dims, np.asarray(rate), dtype)


_COUNTED = (dtypes.float16, dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64)
RandomPoissonV2 = _stateful(
    "RandomPoissonV2", "shape: S, rate: R -> output: dtype", _draw_poisson, _shape_then_parameters,
    "; R: type = float64; dtype: type = int64", {"S": INDEX, "R": _COUNTED, "dtype": _COUNTED}, "dtype",
)  # fmt: skip


# --- stateless ops ---------------------------------------------------------------------------------------------------
PHILOX, THREEFRY, AUTO = 1, 2, 3


class Algorithm(enum.IntEnum, metaclass=Choices):
    """Names of generators. Only Philox is offered; AUTO_SELECT chooses it.

    >>> import graphrt as tf
    >>> tf.random.Generator.from_seed(1, alg=tf.random.Algorithm.PHILOX).algorithm
    1
    """

    PHILOX = 1
    THREEFRY = 2
    AUTO_SELECT = 3


def algorithm_number(alg: Any) -> int:
    """The number of a generator that is given by name, by number or as a member of `Algorithm`."""
    if isinstance(alg, str):
        found = {"philox": PHILOX, "threefry": THREEFRY, "auto_select": AUTO}.get(alg)
        if found is None:
            raise ValueError(f"Argument `alg` got unsupported string value {alg!r}. Supported: philox, auto_select.")
        alg = found
    if int(alg) not in (PHILOX, AUTO):
        raise ValueError(f"Unsupported random number generation algorithm {shown(alg)}: only Philox is offered.")
    return int(alg)


def _key_counter(seed: Array) -> tuple[Any, Any]:
    key, counter = rb.key_and_counter(seed.tolist())
    return np.array([key], np.uint64), np.array([counter & (2**64 - 1), counter >> 64], np.uint64)


def _check_seed(c: InferContext) -> None:
    dims = c.dims(0)
    if dims is not None and dims not in ((2,), (None,)):
        raise ShapeError(f"seed must have shape [2], not {list(dims)}")


def _infer_key_counter(c: InferContext) -> list[tuple[int, ...]]:
    _check_seed(c)
    return [(1,), (2,)]


StatelessRandomGetKeyCounter = define(
    "StatelessRandomGetKeyCounter", "seed: Tseed -> key: uint64, counter: uint64", attrs="Tseed: type = int64",
    allowed={"Tseed": INDEX}, infer=_infer_key_counter, kernel=_key_counter, vjp=lambda c, *g: [None],
)  # fmt: skip
StatelessRandomGetKeyCounterAlg = define(
    "StatelessRandomGetKeyCounterAlg", "seed: Tseed -> key: uint64, counter: uint64, alg: int32",
    attrs="Tseed: type = int64", allowed={"Tseed": INDEX},
    infer=lambda c: [*_infer_key_counter(c), ()], kernel=lambda seed: (*_key_counter(seed), np.int32(PHILOX)),
    vjp=lambda c, *g: [None],
)  # fmt: skip
StatelessRandomGetAlg = define(
    "StatelessRandomGetAlg", "-> alg: int32", infer=lambda c: (), kernel=lambda: np.int32(PHILOX),
    traits=(STATEFUL, READS),
)  # fmt: skip


def _generator(key: Array, counter: Array) -> tuple[int, int]:
    if np.shape(key) != (1,):
        raise errors.InvalidArgumentError(None, None, f"key must have shape [1], not {list(np.shape(key))}")
    if np.shape(counter) != (2,):
        raise errors.InvalidArgumentError(None, None, f"counter must have shape [2], not {list(np.shape(counter))}")
    low, high = counter.tolist()
    return int(key.reshape(-1)[0]), low | high << 64


def _check_alg(alg: Array) -> None:
    if int(alg) not in (PHILOX, AUTO):
        raise errors.InvalidArgumentError(None, None, f"Unsupported algorithm id: {int(alg)}")


def _stateless(type_: str, function: Callable[..., Any], types: tuple[DType, ...], default: str) -> OpDef:
    def kernel(shape: Array, key: Array, counter: Array, alg: Array, *, dtype: DType) -> Array:
        _check_alg(alg)
        dims = _shape_of(shape)
        return function(*_generator(key, counter), _count(dims), dtype.as_numpy_dtype).reshape(dims)[()]

    return define(
        type_, "shape: Tshape, key: uint64[1], counter: uint64[1], alg: int32[0] -> output: dtype",
        attrs=f"dtype: type = {default}; Tshape: type = int32", allowed={"dtype": types, "Tshape": INDEX},
        infer=_shaped, kernel=kernel, vjp=lambda c, g: [None] * 4,
    )  # fmt: skip


_FLOATS = (dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64)
_INTS = (dtypes.int32, dtypes.int64, dtypes.uint32, dtypes.uint64)
StatelessRandomUniformV2 = _stateless("StatelessRandomUniformV2", rb.uniform, _FLOATS, "float32")
StatelessRandomNormalV2 = _stateless("StatelessRandomNormalV2", rb.normal, _FLOATS, "float32")
StatelessTruncatedNormalV2 = _stateless("StatelessTruncatedNormalV2", rb.truncated_normal, _FLOATS, "float32")
StatelessRandomUniformFullIntV2 = _stateless("StatelessRandomUniformFullIntV2", rb.uniform_full_int, _INTS, "uint64")


def _stateless_int(
    shape: Array, key: Array, counter: Array, alg: Array, minval: Array, maxval: Array, *, dtype: DType
) -> Array:
    _check_alg(alg)
    dims = _shape_of(shape)
    if np.any(minval >= maxval) and _count(dims):
        raise errors.InvalidArgumentError(None, None, f"Need minval < maxval, got {minval} >= {maxval}")
    return rb.uniform_int(*_generator(key, counter), _count(dims), minval, maxval, dtype.as_numpy_dtype).reshape(dims)[
        ()
    ]


StatelessRandomUniformIntV2 = define(
    "StatelessRandomUniformIntV2",
    "shape: Tshape, key: uint64[1], counter: uint64[1], alg: int32[0], minval: dtype[0], maxval: dtype[0] -> output: dtype",
    attrs="Tshape: type = int32", allowed={"dtype": _INTS, "Tshape": INDEX},
    infer=_shaped, kernel=_stateless_int, vjp=lambda c, g: [None] * 6,
)  # fmt: skip


def _stateless_shuffle(value: Array, key: Array, counter: Array, alg: Array) -> Array:
    _check_alg(alg)
    if np.ndim(value) == 0 or value.shape[0] <= 1:
        return value
    return value[rb.shuffled(*_generator(key, counter), value.shape[0])]


StatelessShuffle = define(
    "StatelessShuffle", "value: T, key: uint64, counter: uint64, alg: int32 -> output: T",
    infer=lambda c: c.dims(0), kernel=_stateless_shuffle, vjp=lambda c, g: [None] * 4,
)  # fmt: skip


def _stateless_categorical(logits: Array, num_samples: Array, seed: Array, *, output_dtype: DType) -> Array:
    samplers.check_categorical(logits, num_samples)
    key, counter = rb.key_and_counter(seed.tolist())
    return samplers.categorical(key, counter, logits, int(num_samples)).astype(output_dtype.as_numpy_dtype)


StatelessMultinomial = define(
    "StatelessMultinomial", "logits: T, num_samples: int32[0], seed: Tseed[1] -> output: output_dtype",
    attrs="Tseed: type = int64; output_dtype: type = int64",
    allowed={"T": REAL, "Tseed": INDEX, "output_dtype": INDEX},
    infer=_categorical_dims, kernel=_stateless_categorical, vjp=lambda c, g: [None] * 3,
)  # fmt: skip


def _stateless_gamma(shape: Array, key: Array, counter: Array, alg: Array, alpha: Array) -> Array:
    _check_alg(alg)
    dims = _shape_of(shape)
    alpha = np.asarray(alpha)
    lead = dims[: len(dims) - alpha.ndim]
    if dims[len(lead) :] != alpha.shape:
        raise errors.InvalidArgumentError(
            None, None, f"Shape passed in must end with broadcasted shape: {list(dims)} vs. {list(alpha.shape)}"
        )
    return samplers.gamma(*_generator(key, counter), lead, alpha, alpha.dtype)[()]


def _gamma_v3_vjp(c: object, g: object) -> list[Any]:
    return [None, None, None, None, _gamma_vjp(c, g)[-1]]


StatelessRandomGammaV3 = define(
    "StatelessRandomGammaV3",
    "shape: shape_dtype, key: uint64[1], counter: uint64[1], alg: int32[0], alpha: dtype -> output: dtype",
    attrs="shape_dtype: type = int32",
    allowed={"dtype": (dtypes.float16, dtypes.float32, dtypes.float64), "shape_dtype": INDEX},
    infer=_shaped, kernel=_stateless_gamma, vjp=_gamma_v3_vjp,
)  # fmt: skip


def _stateless_poisson(shape: Array, seed: Array, lam: Array, *, dtype: DType) -> Array:
    key, counter = rb.key_and_counter(seed.tolist())
    lam = np.asarray(lam)
    lead = _leading(_shape_of(shape), lam.shape)
    return samplers.poisson(key, counter, lead, lam, dtype.as_numpy_dtype)[()]


def _leading(dims: tuple[int, ...], tail: tuple[int, ...]) -> tuple[int, ...]:
    lead = dims[: len(dims) - len(tail)]
    if dims[len(lead) :] != tail:
        raise errors.InvalidArgumentError(
            None, None, f"Shape passed in must end with broadcasted shape: {list(dims)} vs. {list(tail)}"
        )
    return lead


StatelessRandomPoisson = define(
    "StatelessRandomPoisson", "shape: T, seed: Tseed[1], lam: Rtype -> output: dtype",
    attrs="dtype: type; Tseed: type = int64",
    allowed={"Rtype": _COUNTED, "dtype": _COUNTED, "T": INDEX, "Tseed": INDEX},
    infer=_shaped, kernel=_stateless_poisson, vjp=lambda c, g: [None] * 3,
)  # fmt: skip


def _stateless_binomial(shape: Array, seed: Array, counts: Array, probs: Array, *, dtype: DType) -> Array:
    key, counter = rb.key_and_counter(seed.tolist())
    dims = _shape_of(shape)
    try:
        n, p = np.broadcast_to(counts, dims), np.broadcast_to(probs, dims)
    except ValueError:
        raise errors.InvalidArgumentError(
            None, None, f"Shape passed in must end with broadcasted shape, found {list(dims)}"
        ) from None
    return samplers.binomial(key, counter, n, p, dtype.as_numpy_dtype)[()]


StatelessRandomBinomial = define(
    "StatelessRandomBinomial", "shape: S, seed: Tseed[1], counts: T, probs: T -> output: dtype",
    attrs="Tseed: type = int64; T: type = float64; dtype: type = int64",
    allowed={"S": INDEX, "Tseed": INDEX, "T": _COUNTED, "dtype": _COUNTED},
    infer=_shaped, kernel=_stateless_binomial, vjp=lambda c, g: [None] * 4,
)  # fmt: skip


def _stateless_bounded_normal(
    shape: Array, seed: Array, means: Array, stddevs: Array, minvals: Array, maxvals: Array
) -> Array:
    key, counter = rb.key_and_counter(seed.tolist())
    return samplers.bounded_normal(key, counter, _shape_of(shape), means, stddevs, minvals, maxvals)[()]


def _bounded_normal_vjp(call: Any, g: object) -> list[Any]:
    """How a number moves with the parameters while its quantile stays.

    z = (x - mean) / deviation has the quantile u = (cdf(z) - cdf(low)) / (cdf(high) - cdf(low)) of the numbers between.
    """
    _, _, mean, deviation, minimum, maximum = call.inputs
    x = call.outputs[0]
    half = convert_to_tensor(0.5, x.dtype)

    def density(t: Tensor) -> Tensor:
        return Exp(-half * t * t)

    def cdf(t: Tensor) -> Tensor:
        return half * Erfc(t * convert_to_tensor(-(0.5**0.5), x.dtype))

    z, low, high = ((v - mean) / deviation for v in (x, minimum, maximum))
    u = (cdf(z) - cdf(low)) / (cdf(high) - cdf(low))
    to_low, to_high = (1 - u) * density(low) / density(z), u * density(high) / density(z)
    slopes = [1 - to_low - to_high, z - low * to_low - high * to_high, to_low, to_high]
    parameters = (mean, deviation, minimum, maximum)
    return [None, None, *(unbroadcast_to(g * s, p) for s, p in zip(slopes, parameters))]


StatelessParameterizedTruncatedNormal = define(
    "StatelessParameterizedTruncatedNormal",
    "shape: S, seed: Tseed[1], means: dtype, stddevs: dtype, minvals: dtype, maxvals: dtype -> output: dtype",
    attrs="Tseed: type = int64",
    allowed={"S": INDEX, "Tseed": INDEX, "dtype": (dtypes.float16, dtypes.float32, dtypes.float64)},
    infer=_shaped, kernel=_stateless_bounded_normal, vjp=_bounded_normal_vjp,
)  # fmt: skip
RandomIndexShuffle = define(
    "RandomIndexShuffle",
    "index: dtype[0..1], seed: Tseed, max_index: dtype[0..1] -> output: dtype", attrs="rounds: int = 4",
    allowed={"dtype": (dtypes.int32, dtypes.uint32, dtypes.int64, dtypes.uint64),
             "Tseed": (dtypes.int32, dtypes.uint32, dtypes.int64, dtypes.uint64)},
    infer=lambda c: c.dims(0), kernel=lambda index, seed, max_index, *, rounds: samplers.shuffled_index(
        index, seed, max_index, rounds),
    vjp=lambda c, g: [None] * 3,
)  # fmt: skip
