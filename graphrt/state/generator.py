"""`tf.random.Generator`: a stream of random numbers whose position is a variable.

The state is three integers: the counter (low and high half), and the key. A draw reads the state and moves the counter
on by 256 blocks for each number, so that what was drawn before does not depend on how it was drawn.
"""

from __future__ import annotations

import functools
import math
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import numpy as np

from graphrt import errors
from graphrt.ir.op import STATEFUL, OpDef, define
from graphrt.ops.array.concat_split import Pack
from graphrt.ops.array.creation import zeros_like
from graphrt.ops.array.shape import Shape, broadcast_dynamic_shape
from graphrt.ops.io.printing import Assert
from graphrt.ops.math.arithmetic import AddV2, Mul
from graphrt.ops.math.casting import bitcast, cast
from graphrt.ops.math.comparison import GreaterEqual, Less
from graphrt.ops.math.reduction import reduce_all, reduce_prod
from graphrt.ops.random.philox import non_deterministic
from graphrt.ops.random.samplers import binomial
from graphrt.ops.random.sampling_ops import (
    AUTO,
    PHILOX,
    StatelessRandomNormalV2,
    StatelessRandomUniformFullIntV2,
    StatelessRandomUniformIntV2,
    StatelessRandomUniformV2,
    StatelessTruncatedNormalV2,
    algorithm_number,
)
from graphrt.ops.support.kernel_helpers import bad
from graphrt.state.variable import Variable
from graphrt.tensor.changes import atomically
from graphrt.tensor.context import current_graph, init_scope, scope
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import EagerTensor, Tensor, TensorLike, static_array
from graphrt.types import dtype as dtypes
from graphrt.types.dtype import DType, as_dtype
from graphrt.types.likes import Array, DTypeLike, ShapeLike
from graphrt.types.limits import check_bytes
from graphrt.types.nesting import shown, walkable
from graphrt.types.shape import broadcast, is_static

if TYPE_CHECKING:
    from graphrt.ops.random.sampling_ops import Algorithm
    from graphrt.state.storage import Storage

_MASK = 2**64 - 1


# --- the op that moves a state on ------------------------------------------------------------------------------------
def _ahead(resource: Storage, alg: Array | int, delta: Any) -> tuple[Array, Array]:
    """The state, and what it is after `delta` numbers."""
    if int(alg) not in (PHILOX, AUTO):
        raise bad(f"Unsupported algorithm id: {int(alg)}")
    old = resource.value
    if np.shape(old) != (3,) or old.dtype != np.int64:
        raise bad(f"the state of a Philox generator is 3 numbers of int64, found {old.dtype}{list(np.shape(old))}")
    low, high, key = (int(v) & _MASK for v in old)
    counter = (low | high << 64) + 256 * int(delta) & (2**128 - 1)
    return old, np.array([counter & _MASK, counter >> 64, key], np.uint64).view(np.int64)


def _read_and_skip(resource: Storage, alg: Array | int, delta: Any) -> Array:
    with resource.lock:
        old, resource.value = _ahead(resource, alg, delta)
    return old


RngReadAndSkip = define(
    "RngReadAndSkip", "resource: resource, alg: int32, delta: uint64 -> value: int64",
    infer=lambda c: (3,), kernel=_read_and_skip, vjp=lambda c, g: [None] * 3, traits=(STATEFUL,),
)  # fmt: skip
_COUNTED = (dtypes.float16, dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64)
StatefulRandomBinomial = define(
    "StatefulRandomBinomial",
    "resource: resource, algorithm: int64, shape: S, counts: T, probs: T -> output: dtype",
    attrs="T: type = float64; dtype: type = int64", allowed={"T": _COUNTED, "dtype": _COUNTED},
    infer=lambda c: c.shape_from(2),
    kernel=lambda resource, algorithm, shape, counts, probs, *, dtype: _draw_binomial(
        resource, algorithm, shape, counts, probs, dtype
    ),
    vjp=lambda c, g: [None] * 5, traits=(STATEFUL,),
)  # fmt: skip


def _draw_binomial(
    resource: Storage, algorithm: Array, shape: Array, counts: Array, probs: Array, dtype: DType
) -> Array:
    dims = tuple(int(d) for d in shape)
    if min(dims, default=0) < 0:
        raise bad(f"a shape has no negative sizes, found {list(dims)}")
    n, p = np.broadcast_to(counts, dims), np.broadcast_to(probs, dims)
    with resource.lock:  # the state moves on once the numbers are there: drawing them may fail
        old, new = _ahead(resource, algorithm, np.prod(dims, dtype=np.int64))
        low, high, key = (int(v) & _MASK for v in old)
        found = binomial(key, low | high << 64, n, p, dtype.as_numpy_dtype)[()]
        resource.value = new
    return found


# --- states ----------------------------------------------------------------------------------------------------------
def _state_of_seed(seed: Any) -> Array:
    """The state that a seed stands for: an integer of up to 192 bits, or up to three integers."""
    if isinstance(seed, int):
        return np.array([seed >> 64 * i & _MASK for i in range(3)], np.uint64).view(np.int64)
    words = np.asarray(seed.numpy() if isinstance(seed, EagerTensor) else walkable(seed)).reshape(-1).tolist()
    if len(words) > 3:
        raise ValueError(f"a seed has at most 3 integers, found {len(words)}")
    return np.array([0] * (3 - len(words)) + [w & _MASK for w in words], np.uint64).view(np.int64)


def create_rng_state(seed: int, alg: str) -> Tensor:
    """The state of a generator as three int64, for `Generator.from_state`.

    >>> import graphrt as tf
    >>> tf.random.create_rng_state(7, "philox").numpy().tolist()
    [7, 0, 0]

    Raises:
      ValueError: the algorithm is not offered.
    """
    algorithm_number(alg)
    return convert_to_tensor(_state_of_seed(seed))


_P = ParamSpec("_P")
_Result = TypeVar("_Result")


def _whole(method: Callable[_P, _Result]) -> Callable[_P, _Result]:
    """A method that moves the state on, or fails and leaves it as it was."""

    @functools.wraps(method)
    def call(*args: _P.args, **kwargs: _P.kwargs) -> _Result:
        return atomically((), lambda: method(*args, **kwargs))

    return call


class Generator:
    """A source of random numbers with a state of its own, reproducible from its seed, eagerly and in functions.

    >>> import graphrt as tf
    >>> tf.random.Generator.from_seed(1).uniform([2]).numpy().round(4)
    array([0.7875, 0.3907], dtype=float32)

    Raises:
      ValueError: neither or both of `copy_from` and `state` are given, or the algorithm is not offered.
    """

    def __init__(self, copy_from: Generator | None = None, state: TensorLike | None = None, alg: object = None) -> None:
        if copy_from is not None:
            if state is not None or alg is not None:
                raise ValueError("Generator takes either `copy_from`, or `state` and `alg`")
            errors.expect(copy_from, Generator, "copy_from", "a tf.random.Generator")
            state, alg = copy_from.state.numpy(), copy_from.algorithm
        elif state is None:
            raise ValueError("Generator needs `copy_from`, or `state` and `alg`: see Generator.from_seed")
        algorithm_number("philox" if alg is None else alg)
        self._algorithm = PHILOX  # what every accepted name stands for
        if isinstance(state, Variable):
            self._state = state
        else:
            with init_scope():
                value = np.asarray(state.numpy() if isinstance(state, EagerTensor) else state, np.int64).reshape(3)
                self._state = Variable(value, dtype=dtypes.int64, trainable=False, name="StateVar")

    # --- making ---
    @classmethod
    def from_state(cls, state: TensorLike, alg: str) -> Generator:
        """A generator that goes on from `state`: a vector of three int64, or a variable, which is then shared."""
        return cls(state=state, alg=alg)

    @classmethod
    def from_seed(cls, seed: TensorLike, alg: Algorithm | str | None = None) -> Generator:
        """A generator whose numbers follow from `seed`, an integer or up to three of them."""
        return cls(state=_state_of_seed(seed), alg=alg)

    @classmethod
    def from_non_deterministic_state(cls, alg: Any = None) -> Generator:
        """A generator that starts where nobody can foresee."""
        return cls(state=non_deterministic(3), alg=alg)

    @classmethod
    def from_key_counter(cls, key: int, counter: Any, alg: TensorLike) -> Generator:
        """A generator of this `key`, at this `counter` (two integers, low half first)."""
        return cls(state=[*np.reshape(counter, -1).tolist(), int(key)], alg=alg)

    # --- what it is ---
    @property
    def state(self) -> Variable:
        """The state, a variable of three int64."""
        return self._state

    @property
    def algorithm(self) -> int:
        """The number of the algorithm."""
        return self._algorithm

    @property
    def key(self) -> Tensor:
        """The key, a scalar."""
        return self._state.read_value()[2]

    # --- moving ---
    def reset(self, state: TensorLike) -> None:
        """Goes to `state`."""
        self._state.assign(state)

    def reset_from_seed(self, seed: int) -> None:
        """Goes to the start that `seed` stands for."""
        self._state.assign(_state_of_seed(seed))

    def reset_from_key_counter(self, key: int, counter: Any) -> None:
        """Goes to `key` and `counter`."""
        self._state.assign([*np.reshape(counter, -1).tolist(), int(key)])

    def skip(self, delta: TensorLike) -> Tensor:
        """Moves on as if `delta` numbers had been drawn; gives the state before."""
        delta = convert_to_tensor(delta) if not isinstance(delta, Tensor) else delta
        return self._skip(delta)

    def _skip(self, count: Tensor) -> Tensor:
        algorithm = cast(self._algorithm, dtypes.int32)
        return RngReadAndSkip(self._state.handle, algorithm, cast(count, dtypes.uint64))

    def _draw(self, shape: Tensor, dtype: DType) -> tuple[Any, Any]:
        """Key and counter of as many numbers as `shape` has."""
        _check_shape(shape, dtype)
        state = self._skip(reduce_prod(shape))
        counter, key = bitcast(state[0:2], dtypes.uint64), bitcast(state[2:3], dtypes.uint64)
        return key, counter

    # --- drawing ---
    @_whole
    def uniform(
        self, shape: Any, minval: TensorLike = 0, maxval: TensorLike | None = None, dtype: DTypeLike = dtypes.float32,
        name: str | None = None
    ) -> Tensor:  # fmt: skip
        """Numbers from `minval` (inclusive) to `maxval` (exclusive; 1 for floats when None); any integers if both are None.

        Raises:
          ValueError: `dtype` is an integer type and only `maxval` is None.
        """
        dtype = as_dtype(dtype)
        if dtype.is_integer and minval is None and maxval is None:
            return self.uniform_full_int(shape, dtype, name)
        with scope(name, "stateful_uniform") as full:
            dims = _shape(shape)
            if dtype.is_integer:
                if maxval is None:
                    raise ValueError(errors.at_user_line(f"Must specify maxval for integer dtype {shown(dtype)}"))
                low, high = convert_to_tensor(minval, dtype, name="min"), convert_to_tensor(maxval, dtype, name="max")
                _check_range(low, high)
                key, counter = self._draw(dims, dtype)
                return StatelessRandomUniformIntV2(dims, key, counter, self._algorithm, low, high, name=full)
            low = convert_to_tensor(minval, dtype, name="min")
            high = convert_to_tensor(1 if maxval is None else maxval, dtype, name="max")
            _check_fit(dims, low, high)
            key, counter = self._draw(dims, dtype)
            raw = StatelessRandomUniformV2(dims, key, counter, self._algorithm, dtype=dtype)
            return AddV2(Mul(raw, high - low, name="mul"), low, name=full)

    @_whole
    def uniform_full_int(self, shape: ShapeLike, dtype: DTypeLike = dtypes.uint64, name: str | None = None) -> Tensor:
        """Integers, every value of `dtype` equally likely."""
        with scope(name, "stateful_uniform_full_int") as full:
            dims = _shape(shape)
            key, counter = self._draw(dims, as_dtype(dtype))
            return StatelessRandomUniformFullIntV2(
                dims, key, counter, self._algorithm, dtype=as_dtype(dtype), name=full
            )

    @_whole
    def normal(
        self, shape: ShapeLike, mean: TensorLike = 0.0, stddev: TensorLike = 1.0, dtype: DTypeLike = dtypes.float32,
        name: str | None = None
    ) -> Tensor:  # fmt: skip
        """Numbers of the normal distribution."""
        return self._gauss(StatelessRandomNormalV2, "stateful_normal", shape, mean, stddev, dtype, name)

    @_whole
    def truncated_normal(
        self, shape: ShapeLike, mean: TensorLike = 0.0, stddev: TensorLike = 1.0, dtype: DTypeLike = dtypes.float32,
        name: str | None = None
    ) -> Tensor:  # fmt: skip
        """Numbers of the normal distribution within two deviations of the mean."""
        return self._gauss(StatelessTruncatedNormalV2, "truncated_normal", shape, mean, stddev, dtype, name)

    def _gauss(self, op: OpDef, default: str, shape: Any, mean: Any, stddev: Any, dtype: Any, name: str | None) -> Any:
        dtype = as_dtype(dtype)
        with scope(name, default) as full:
            dims = _shape(shape)
            center = convert_to_tensor(mean, dtype, name="mean")
            deviation = convert_to_tensor(stddev, dtype, name="stddev")
            _check_fit(dims, center, deviation)
            key, counter = self._draw(dims, dtype)
            raw = op(dims, key, counter, self._algorithm, dtype=dtype)
            return AddV2(Mul(raw, deviation, name="mul"), center, name=full)

    def binomial(
        self, shape: ShapeLike, counts: TensorLike, probs: TensorLike, dtype: DTypeLike = dtypes.int32,
        name: str | None = None
    ) -> Tensor:  # fmt: skip
        """How many of `counts` trials succeed, each with probability `probs`; both broadcast to `shape`."""
        with scope(name, "binomial"):
            p = convert_to_tensor(probs, name="probs")
            n = convert_to_tensor(counts, p.dtype, name="counts")
            return StatefulRandomBinomial(
                self._state.handle, np.int64(self._algorithm), _shape(shape), n, p, dtype=as_dtype(dtype)
            )

    @_whole
    def make_seeds(self, count: int = 1) -> Tensor:
        """`count` seeds for the stateless functions, as the columns of an int64 matrix of two rows."""
        first = self.uniform_full_int([count], dtypes.int64)
        return Pack([first, zeros_like(first)], name="stack")

    @_whole
    def split(self, count: int = 1) -> list[Generator]:
        """`count` new generators that follow from this one and are independent of it."""
        keys = self.uniform_full_int([count], dtypes.int64).numpy().tolist()
        return [Generator.from_key_counter(key, [0, 0], self._algorithm) for key in keys]

    def __repr__(self) -> str:
        return f"<tf.random.Generator state={self._state.numpy().tolist()}>"


def _shape(shape: Any) -> Tensor:
    if isinstance(shape, Tensor):
        return shape
    return convert_to_tensor(shape, dtype_hint=dtypes.int32, name="shape")


# Eagerly a draw that fails moves the state back. In a graph it is several ops: what they refuse comes before the first.
def _check_shape(shape: Tensor, dtype: DType) -> None:
    if current_graph() is None:
        return
    known = static_array(shape)
    if known is None:
        Assert(reduce_all(GreaterEqual(shape, zeros_like(shape))), ["a shape has no negative sizes, found", shape])
        return
    if (known < 0).any():
        raise errors.ShapeError(errors.at_user_line(f"a shape has no negative sizes, found {known.tolist()}"))
    check_bytes(math.prod(known.reshape(-1).tolist()) * dtype.size, f"{dtype.name} numbers of shape {known.tolist()}")


def _check_range(low: Tensor, high: Tensor) -> None:
    if current_graph() is None:
        return
    least, most = static_array(low), static_array(high)
    if least is None or most is None:
        Assert(reduce_all(Less(low, high)), ["Need minval < maxval, got", low, high])
    elif not (least < most).all():
        raise errors.ShapeError(errors.at_user_line(f"Need minval < maxval, got {least} >= {most}"))


def _check_fit(shape: Tensor, *parameters: Any) -> None:
    if current_graph() is None:
        return
    known = static_array(shape)
    for value in parameters:
        if known is not None and is_static(value.dims):
            broadcast(tuple(known.reshape(-1).tolist()), value.dims)  # which fails where they do not fit
        elif value.dims != ():
            joined = broadcast_dynamic_shape(
                shape, cast(Shape(value), shape.dtype)
            )  # which fails where they do not fit
            Assert(reduce_all(GreaterEqual(joined, zeros_like(joined))), ["shapes do not fit", joined])


# --- the generator of the process ------------------------------------------------------------------------------------
# state: locked by _global_lock
_global: list[Generator] = []
_global_lock = threading.Lock()


def get_global_generator() -> Generator:
    """The generator of the process, made at first use from a start nobody can foresee.

    >>> import graphrt as tf
    >>> tf.random.get_global_generator() is tf.random.get_global_generator()
    True
    """
    with _global_lock:
        if not _global:
            _global.append(Generator.from_non_deterministic_state())
        return _global[0]


def set_global_generator(generator: Generator) -> None:
    """Makes `generator` the generator of the process.

    >>> import graphrt as tf
    >>> tf.random.set_global_generator(tf.random.Generator.from_seed(1))
    >>> tf.random.get_global_generator().state.numpy().tolist()
    [1, 0, 0]
    """
    with _global_lock:
        _global[:] = [generator]
