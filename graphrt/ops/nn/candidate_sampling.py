"""Losses over many classes that look at a sample of them, and the samplers that choose it."""

from __future__ import annotations

import math
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from graphrt.errors import ShapeError
from graphrt.ir.graph import InferContext
from graphrt.ir.op import DRAWS, STATEFUL, FileAccess, OpDef, define
from graphrt.ops.array.concat_split import concat, stack
from graphrt.ops.array.creation import ones_like, zeros_like
from graphrt.ops.array.gather_scatter import GatherV2, TensorScatterAdd
from graphrt.ops.array.identity import stop_gradient
from graphrt.ops.array.shape import ExpandDims, reshape, shape
from graphrt.ops.io.files import told
from graphrt.ops.io.whole_files import regular
from graphrt.ops.linalg.matmul import matmul
from graphrt.ops.math.arithmetic import Maximum
from graphrt.ops.math.casting import cast
from graphrt.ops.math.elementwise import Abs, Exp, Log, Log1p
from graphrt.ops.math.reduction import reduce_sum
from graphrt.ops.nn.losses import SoftmaxCrossEntropyWithLogits
from graphrt.ops.random import philox as rb
from graphrt.ops.random.philox import Stream, Words
from graphrt.ops.random.sampling_ops import get_seed
from graphrt.ops.support.kernel_helpers import bad
from graphrt.ops.support.shape_rules import as_tensor
from graphrt.tensor.context import scope
from graphrt.tensor.tensor import Tensor, TensorLike
from graphrt.types.dtype import int32, int64
from graphrt.types.likes import Array, PathLike
from graphrt.types.limits import current as limits_now

__all__ = [
    "all_candidate_sampler", "compute_accidental_hits", "fixed_unigram_candidate_sampler",
    "learned_unigram_candidate_sampler", "log_uniform_candidate_sampler", "nce_loss", "sampled_softmax_loss",
    "uniform_candidate_sampler",
]  # fmt: skip


# --- samplers --------------------------------------------------------------------------------------------------------
# A sampler is the chances of the classes, and how one is made of the words of a generator, as TensorFlow makes it: so the
# same seeds give the same classes.
_Sampler = tuple[Array, Callable[[Words], int]]
_TRIES = 1 << 21  # for the classes of a call
_RESERVED = 512  # blocks that belong to each candidate of a call


def _draw(sample: Callable[[Words], int], count: int, unique: bool, stream: Stream) -> tuple[list[int], int]:
    """`count` classes, and in how many tries."""
    words = Words.at(*stream.reserve(_RESERVED * count))
    if not unique:
        return [sample(words) for _ in range(count)], count
    found: dict[int, None] = {}
    tries = 0
    most = min(limits_now().iterations, _TRIES)
    while len(found) < count:
        tries += 1
        if tries > most:
            raise bad(f"of {count} different classes {most} tries drew {len(found)} only: the others are too rare")
        found.setdefault(sample(words))
    return list(found), tries


def _expected(chances: Array, labels: Array, tries: int, count: int) -> Array:
    p = np.asarray(chances, np.float64)[labels].astype(np.float32)
    return p * np.float32(count) if tries == count else -np.expm1(np.float32(tries) * np.log1p(-p))


def _below(words: Words, count: int, bits: int = 32) -> int:
    """A whole number below `count`, all equally likely."""
    first = words() if bits == 32 else words() | words() << 32
    if count & count - 1 == 0:
        return first & count - 1
    while first < (1 << bits) % count:
        first = words() if bits == 32 else words() | words() << 32
    return first % count


def _check_true(true: Array, num_true: int, range_max: int) -> None:
    if np.ndim(true) != 2:
        raise bad("true_classes must be a matrix")
    if true.shape[1] != num_true:
        raise bad(f"true_classes must have {num_true} columns (num_true), found {true.shape[1]}")
    wrong = (true < 0) | (true >= range_max)
    if wrong.any():
        raise bad(f"`true_candidate` out of range [0, {range_max}), received {int(true[wrong][0])}")


def _sampled(
    true: Array, sampler: _Sampler, num_true: int, count: int, unique: bool, stream: Stream
) -> tuple[Array, Array, Array]:
    chances, sample = sampler
    if unique and count > np.count_nonzero(chances):
        raise bad("Sampler's range is too small.")
    _check_true(true, num_true, len(chances))
    labels, tries = _draw(sample, count, unique, stream)
    chosen = np.array(labels, np.int64)
    return (
        chosen, _expected(chances, true, tries, count), _expected(chances, chosen, tries, count)
    )  # fmt: skip


def _sampler_dims(c: InferContext) -> list[tuple[int, ...]]:
    dims, count = c.dims(0), c.attrs["num_sampled"]
    if dims is not None and len(dims) != 2:
        raise ShapeError(f"Shape must be rank 2 but is rank {len(dims)}")
    if dims is not None and dims[1] is not None and dims[1] != c.attrs["num_true"]:
        raise ShapeError(f"Dimension must be {c.attrs['num_true']} but is {dims[1]}")
    return [(count,), (None if dims is None else dims[0], c.attrs["num_true"]), (count,)]


_OUT = "true_classes: int64 -> sampled_candidates: int64, true_expected_count: float32, sampled_expected_count: float32"
_COMMON = "num_true: int >= 1; num_sampled: int >= 1; unique: bool; "


def _define(type_: str, sampler_of: Callable[[int], _Sampler], attrs: str) -> OpDef:
    def kernel(
        true: Array, *, num_true: int, num_sampled: int, unique: bool, range_max: int, seed: int, seed2: int
    ) -> tuple[Array, Array, Array]:
        stream = rb.stream_for((type_, num_true, num_sampled, unique, range_max, seed, seed2), seed, seed2)
        return _sampled(true, sampler_of(range_max), num_true, num_sampled, unique, stream)

    return define(
        type_, _OUT, attrs=_COMMON + attrs + "seed: int = 0; seed2: int = 0", infer=_sampler_dims, kernel=kernel,
        vjp=lambda call, *g: [None], traits=(STATEFUL, DRAWS),
    )  # fmt: skip


def _uniform(count: int) -> _Sampler:
    return np.full(count, 1.0 / count), lambda words: _below(words, count, 64)


def _log_uniform(count: int) -> _Sampler:
    places, most = np.arange(count), math.log1p(count)
    chances = np.log((places + 2.0) / (places + 1.0)) / most
    return chances, lambda words: (int(math.exp(words.unit() * most)) - 1) % count


def _by_weight(weights: Array) -> _Sampler:
    """For whole weights: the class in whose stretch of their sum a number lies."""
    edges = np.cumsum(weights)
    total = int(edges[-1])

    def sample(words: Words) -> int:
        return int(np.searchsorted(edges, _below(words, total), side="right"))

    return weights / total, sample


def _by_alias(weights: Array) -> _Sampler:
    """By Walker's method: each class fills a bucket of one size with a part of another class, if need be.

    Source: https://en.wikipedia.org/wiki/Alias_method
    """
    count = len(weights)
    share = [w * count / float(np.sum(weights, dtype=np.float64)) for w in weights.tolist()]
    other = list(range(count))
    low, high = [i for i, s in enumerate(share) if s < 1], [i for i, s in enumerate(share) if s >= 1]
    while low and high:
        small, large = low.pop(), high.pop()
        other[small] = large
        share[large] -= 1.0 - share[small]
        (low if share[large] < 1 else high).append(large)
    for left in (*low, *high):  # what rounding left over
        share[left] = 1.0
    kept = np.array(share, np.float32)

    def sample(words: Words) -> int:
        chance = words.unit32()
        at = _below(words, count)
        return at if chance < kept[at] else other[at]

    return weights / weights.sum(), sample


UniformCandidateSampler = _define("UniformCandidateSampler", _uniform, "range_max: int >= 1; ")
LogUniformCandidateSampler = _define("LogUniformCandidateSampler", _log_uniform, "range_max: int >= 1; ")

_learned_lock = threading.Lock()
_learned: OrderedDict[Stream, Array] = OrderedDict()  # state: locked by _learned_lock
_KEPT = 64  # samplers; those that were not used for longest begin to learn anew


def _learned_kernel(
    true: Array, *, num_true: int, num_sampled: int, unique: bool, range_max: int, seed: int, seed2: int
) -> tuple[Array, Array, Array]:
    key = (LearnedUnigramCandidateSampler.type, num_true, num_sampled, unique, range_max, seed, seed2)
    stream = rb.stream_for(key, seed, seed2)
    with _learned_lock:
        weights = _learned.get(stream)
    if weights is None:
        weights = np.ones(range_max, np.int64)
    found = _sampled(true, _by_weight(weights), num_true, num_sampled, unique, stream)
    more = np.bincount(np.reshape(true, -1), minlength=range_max)  # what was true is more likely the next time
    with _learned_lock:
        _learned[stream] = _learned.get(stream, np.ones(range_max, np.int64)) + more
        _learned.move_to_end(stream)
        if len(_learned) > _KEPT:
            _learned.popitem(last=False)
    return found


LearnedUnigramCandidateSampler = define(
    "LearnedUnigramCandidateSampler", _OUT, attrs=_COMMON + "range_max: int >= 1; seed: int = 0; seed2: int = 0",
    infer=_sampler_dims, kernel=_learned_kernel, vjp=lambda call, *g: [None], traits=(STATEFUL, DRAWS),
)  # fmt: skip


def _unigrams(path: str) -> list[float]:
    """The last column of a file of comma-separated values. Errors say which line is wrong, not what stands in it."""
    found = []
    try:
        with open(path, encoding="utf-8", errors="surrogateescape", opener=regular) as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    try:
                        found.append(float(line.rstrip().rpartition(",")[2]))
                    except ValueError:
                        raise bad(f"line {number} of {path} does not end in a number") from None
    except OSError as error:
        raise told(error, path) from None
    return found


def _fixed_kernel(
    true: Array, *, num_true: int, num_sampled: int, unique: bool, range_max: int, vocab_file: str, distortion: float,
    num_reserved_ids: int, num_shards: int, shard: int, unigrams: list[float], seed: int, seed2: int,
) -> tuple[Array, Array, Array]:  # fmt: skip
    if bool(vocab_file) == bool(unigrams):
        raise bad("Must provide exactly one of vocab_file and unigrams.")
    if vocab_file:
        unigrams = _unigrams(vocab_file)
    if len(unigrams) + num_reserved_ids != range_max:
        raise bad(f"range_max is {range_max} but vocabulary has size {len(unigrams) + num_reserved_ids}")
    if shard >= num_shards:
        raise bad(f"shard must be below num_shards, {num_shards}, found {shard}")
    weights = np.concatenate([np.zeros(num_reserved_ids), np.power(np.array(unigrams, float), distortion)])
    mine = np.arange(range_max) % num_shards == shard
    weights = np.where(mine, weights, 0.0)
    key = (num_true, num_sampled, unique, range_max, vocab_file, distortion, num_reserved_ids, num_shards, shard)
    stream = rb.stream_for((FixedUnigramCandidateSampler.type, *key, *unigrams, seed, seed2), seed, seed2)
    return _sampled(true, _by_alias(weights.astype(np.float32)), num_true, num_sampled, unique, stream)


FixedUnigramCandidateSampler = define(
    "FixedUnigramCandidateSampler", _OUT,
    attrs=_COMMON + "range_max: int >= 1; vocab_file: string = ''; distortion: float = 1.0; num_reserved_ids: int = 0; "
    "num_shards: int >= 1 = 1; shard: int >= 0 = 0; unigrams: list(float) = []; seed: int = 0; seed2: int = 0",
    infer=_sampler_dims, kernel=_fixed_kernel, vjp=lambda call, *g: [None], traits=(STATEFUL, DRAWS),
    file_access=FileAccess("reads files", lambda c: bool(c.attrs["vocab_file"])),
)  # fmt: skip


def _all_kernel(true: Array, *, num_true: int, num_sampled: int) -> tuple[Array, Array, Array]:
    _check_true(true, num_true, num_sampled)
    return np.arange(num_sampled), np.ones(np.shape(true), np.float32), np.ones(num_sampled, np.float32)


AllCandidateSampler = define(
    "AllCandidateSampler", _OUT, attrs=_COMMON + "seed: int = 0; seed2: int = 0", infer=_sampler_dims,
    kernel=_all_kernel, vjp=lambda call, *g: [None], traits=(STATEFUL, DRAWS),
)  # fmt: skip


def _seeds(seed: int | None) -> dict[str, int]:
    first, second = get_seed(seed)
    return {"seed": first, "seed2": second}


class Sampled(NamedTuple):
    """What a sampler gives: the classes, and how often the true and the sampled ones are to be expected."""

    sampled_candidates: Tensor
    true_expected_count: Tensor
    sampled_expected_count: Tensor


def _named(op: OpDef, found: Iterable[Tensor]) -> Sampled:
    return type(op.type, (Sampled,), {"__slots__": ()})(*found)


def uniform_candidate_sampler(
    true_classes: TensorLike, num_true: int, num_sampled: int, unique: bool, range_max: int, seed: int | None = None,
    name: str | None = None,
) -> Sampled:  # fmt: skip
    """`num_sampled` of the classes below `range_max`, all equally likely, and how often each (and each true class) is
    to be expected among them.

    >>> import graphrt as tf
    >>> found = tf.random.uniform_candidate_sampler([[0]], 1, 3, True, 3, seed=1)
    >>> sorted(found.sampled_candidates.numpy().tolist())
    [0, 1, 2]

    Raises:
      InvalidArgumentError: there are too few classes, or a true class is none of them.
    """
    return _named(UniformCandidateSampler, UniformCandidateSampler(
        as_tensor(true_classes, int64), num_true=num_true, num_sampled=num_sampled, unique=unique, range_max=range_max,
        name=name, **_seeds(seed)))  # fmt: skip


def log_uniform_candidate_sampler(
    true_classes: TensorLike, num_true: int, num_sampled: int, unique: bool, range_max: int, seed: int | None = None,
    name: str | None = None,
) -> Sampled:  # fmt: skip
    """As `uniform_candidate_sampler`, but lower classes are more likely, as words by their rank are (Zipf).

    >>> import graphrt as tf
    >>> tf.random.log_uniform_candidate_sampler([[0]], 1, 3, True, 9, seed=1).sampled_candidates.shape
    TensorShape([3])
    """
    return _named(LogUniformCandidateSampler, LogUniformCandidateSampler(
        as_tensor(true_classes, int64), num_true=num_true, num_sampled=num_sampled, unique=unique, range_max=range_max,
        name=name, **_seeds(seed)))  # fmt: skip


def learned_unigram_candidate_sampler(
    true_classes: TensorLike, num_true: int, num_sampled: int, unique: bool, range_max: int, seed: int | None = None,
    name: str | None = None,
) -> Sampled:  # fmt: skip
    """As `uniform_candidate_sampler`, but classes become the more likely the more often they were true.

    >>> import graphrt as tf
    >>> tf.random.learned_unigram_candidate_sampler([[0]], 1, 3, True, 9, seed=1).sampled_candidates.shape
    TensorShape([3])
    """
    return _named(LearnedUnigramCandidateSampler, LearnedUnigramCandidateSampler(
        as_tensor(true_classes, int64), num_true=num_true, num_sampled=num_sampled, unique=unique, range_max=range_max,
        name=name, **_seeds(seed)))  # fmt: skip


def fixed_unigram_candidate_sampler(
    true_classes: TensorLike, num_true: int, num_sampled: int, unique: bool, range_max: int, vocab_file: PathLike = "",
    distortion: float = 1.0, num_reserved_ids: int = 0, num_shards: int = 1, shard: int = 0, unigrams: Any = (),
    seed: int | None = None, name: str | None = None,
) -> Sampled:  # fmt: skip
    """As `uniform_candidate_sampler`, but classes are as likely as `unigrams` (or the file) says, to the power of
    `distortion`.

    >>> import graphrt as tf
    >>> found = tf.random.fixed_unigram_candidate_sampler([[0]], 1, 2, True, 3, unigrams=[1., 0., 1.], seed=1)
    >>> sorted(found.sampled_candidates.numpy().tolist())
    [0, 2]

    Raises:
      InvalidArgumentError: there are not as many unigrams as classes.
    """
    return _named(FixedUnigramCandidateSampler, FixedUnigramCandidateSampler(
        as_tensor(true_classes, int64), num_true=num_true, num_sampled=num_sampled, unique=unique, range_max=range_max,
        vocab_file=vocab_file, distortion=distortion, num_reserved_ids=num_reserved_ids, num_shards=num_shards,
        shard=shard, unigrams=[float(v) for v in unigrams], name=name, **_seeds(seed)))  # fmt: skip


def all_candidate_sampler(
    true_classes: TensorLike, num_true: int, num_sampled: int, unique: bool, seed: int | None = None,
    name: str | None = None,
) -> Sampled:  # fmt: skip
    """All classes below `num_sampled`.

    >>> import graphrt as tf
    >>> tf.random.all_candidate_sampler([[0]], 1, 3, True).sampled_candidates.numpy().tolist()
    [0, 1, 2]
    """
    return _named(AllCandidateSampler, AllCandidateSampler(
        as_tensor(true_classes, int64), num_true=num_true, num_sampled=num_sampled, unique=unique, name=name,
        **_seeds(seed)))  # fmt: skip


# --- hits ------------------------------------------------------------------------------------------------------------
def _hits_kernel(true: Array, sampled: Array, *, num_true: int) -> tuple[Array, Array, Array]:
    if np.ndim(true) != 2 or true.shape[1] != num_true:
        raise bad("true_candidates must be a batch_size * num_true matrix")
    where: dict[int, list[int]] = {}
    for i, label in enumerate(np.asarray(sampled).tolist()):
        where[label] = [i]  # the last of equal candidates
    rows, places = [], []
    for row, labels in enumerate(true.tolist()):
        for label in labels:
            for place in where.get(label, ()):
                rows.append(row)
                places.append(place)
    weights = np.full(len(rows), np.finfo(np.float32).min, np.float32)
    return np.array(rows, np.int32), np.array(places, np.int64), weights


ComputeAccidentalHits = define(
    "ComputeAccidentalHits",
    "true_classes: int64[2], sampled_candidates: int64[1] -> indices: int32, ids: int64, weights: float32",
    attrs="num_true: int; seed: int = 0; seed2: int = 0", infer=lambda c: [(None,), (None,), (None,)],
    kernel=_hits_kernel, vjp=lambda call, *g: [None, None],
)  # fmt: skip


class Hits(NamedTuple):
    """The result of `compute_accidental_hits`, named as in TensorFlow."""

    indices: Tensor
    ids: Tensor
    weights: Tensor


Hits.__name__ = ComputeAccidentalHits.type


def compute_accidental_hits(
    true_classes: TensorLike, sampled_candidates: TensorLike, num_true: int, seed: int | None = None,
    name: str | None = None,
) -> Hits:  # fmt: skip
    """Where a sampled class is a true one: rows, places in the sample, and weights that rule them out.

    >>> import graphrt as tf
    >>> found = tf.nn.compute_accidental_hits([[1], [3]], [3, 0], 1)
    >>> found.indices.numpy().tolist(), found.ids.numpy().tolist()
    ([1], [0])
    """
    return Hits(*ComputeAccidentalHits(
        as_tensor(true_classes, int64), as_tensor(sampled_candidates, int64), num_true=num_true, name=name,
        **_seeds(seed)))  # fmt: skip


# --- losses ----------------------------------------------------------------------------------------------------------
def _whole(parts: Any) -> Tensor:
    """Weights that may come in parts, one after the other."""
    if isinstance(parts, (list, tuple)):
        found = [as_tensor(p) for p in parts]
        return found[0] if len(found) == 1 else concat(found, 0)
    return as_tensor(parts)


def _logits(
    weights: Any, biases: Any, labels: Any, inputs: Any, num_sampled: int, num_classes: int, num_true: int,
    sampled_values: Any, remove_hits: bool, seed: int | None,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """Logits of the true and of the sampled classes, and the labels that go with them."""
    table, bias, x = _whole(weights), _whole(biases), as_tensor(inputs)
    true = cast(as_tensor(labels), int64)
    if sampled_values is None:
        sampled_values = log_uniform_candidate_sampler(true, num_true, num_sampled, True, num_classes, seed)
    chosen, true_count, chosen_count = (stop_gradient(as_tensor(v)) for v in sampled_values)
    chosen = cast(chosen, int64)
    flat = reshape(true, [-1])
    everything = concat([flat, chosen], 0)
    rows, offsets = GatherV2(table, everything, np.int32(0)), GatherV2(bias, everything, np.int32(0))
    size = shape(flat)[0]
    true_rows = reshape(rows[:size], stack([-1, num_true, shape(rows)[1]]))
    true_logits = reduce_sum(ExpandDims(x, np.int32(1)) * true_rows, 2)
    true_logits = true_logits + reshape(offsets[:size], [-1, num_true])
    sampled_logits = matmul(x, rows[size:], transpose_b=True) + offsets[size:]
    if remove_hits:
        hits = compute_accidental_hits(true, chosen, num_true, seed)
        places = stack([cast(hits.indices, int32), cast(hits.ids, int32)], axis=1)
        sampled_logits = TensorScatterAdd(sampled_logits, places, cast(hits.weights, sampled_logits.dtype))
    true_logits = true_logits - Log(cast(true_count, true_logits.dtype))
    sampled_logits = sampled_logits - Log(cast(chosen_count, sampled_logits.dtype))
    share = ones_like(true_logits) / as_tensor(num_true, true_logits.dtype)
    out = concat([true_logits, sampled_logits], 1)
    return out, concat([share, zeros_like(sampled_logits)], 1)


def nce_loss(
    weights: TensorLike, biases: TensorLike, labels: TensorLike, inputs: TensorLike, num_sampled: int, num_classes: int,
    num_true: int = 1, sampled_values: TensorLike | None = None, remove_accidental_hits: bool = False,
    name: str = "nce_loss"
) -> Tensor:  # fmt: skip
    """The noise-contrastive estimation loss of each row: the true classes against a sample of the others.

    >>> import graphrt as tf
    >>> tf.nn.nce_loss(tf.zeros([4, 2]), tf.zeros([4]), tf.constant([[1]]), tf.ones([1, 2]), 2, 4).shape
    TensorShape([1])
    """
    with scope(name, "nce_loss"):
        logits, targets = _logits(
            weights, biases, labels, inputs, num_sampled, num_classes, num_true, sampled_values, remove_accidental_hits,
            None,
        )  # fmt: skip
        one = as_tensor(0, logits.dtype)
        losses = Maximum(logits, one) - logits * targets + Log1p(Exp(-Abs(logits)))
        return reduce_sum(losses, 1)


def sampled_softmax_loss(
    weights: TensorLike, biases: TensorLike, labels: TensorLike, inputs: TensorLike, num_sampled: int, num_classes: int,
    num_true: int = 1, sampled_values: TensorLike | None = None, remove_accidental_hits: bool = True,
    seed: int | None = None, name: str = "sampled_softmax_loss"
) -> Tensor:  # fmt: skip
    """The softmax cross entropy of each row over the true classes and a sample of the others.

    >>> import graphrt as tf
    >>> tf.nn.sampled_softmax_loss(tf.zeros([4, 2]), tf.zeros([4]), tf.constant([[1]]), tf.ones([1, 2]), 2, 4).shape
    TensorShape([1])
    """
    with scope(name, "sampled_softmax_loss"):
        logits, targets = _logits(
            weights, biases, labels, inputs, num_sampled, num_classes, num_true, sampled_values, remove_accidental_hits,
            seed,
        )  # fmt: skip
        return SoftmaxCrossEntropyWithLogits(logits, stop_gradient(targets))[0]
