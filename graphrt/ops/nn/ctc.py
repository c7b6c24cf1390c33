"""Connectionist temporal classification: its loss, and decoders of what networks trained with it give."""

from __future__ import annotations

import heapq
import itertools
import math
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.errors import ShapeError
from graphrt.ir.graph import InferContext
from graphrt.ir.op import define
from graphrt.ops.array.concat_split import concat, stack
from graphrt.ops.array.creation import ones_like, sequence_mask
from graphrt.ops.array.creation import range as range_
from graphrt.ops.array.gather_scatter import GatherNd, GatherV2, scatter_nd
from graphrt.ops.array.identity import PreventGradient
from graphrt.ops.array.selection import where
from graphrt.ops.array.shape import ExpandDims, reshape, transpose
from graphrt.ops.array.shape import shape as shape_
from graphrt.ops.array.slicing import boolean_mask
from graphrt.ops.math.arg_extrema import ArgMax
from graphrt.ops.math.casting import cast
from graphrt.ops.math.comparison import Equal, Greater, NotEqual
from graphrt.ops.math.cumulative import Cumsum
from graphrt.ops.math.logical import LogicalAnd
from graphrt.ops.math.reduction import reduce_max, reduce_sum
from graphrt.ops.sparse.tensor import SparseTensor
from graphrt.ops.support.kernel_helpers import bad
from graphrt.ops.support.shape_rules import as_tensor
from graphrt.tensor.context import scope
from graphrt.tensor.tensor import Tensor, TensorLike
from graphrt.types.dtype import float32, float64, int32, int64
from graphrt.types.likes import Array
from graphrt.types.limits import check_bytes

__all__ = [
    "collapse_repeated", "ctc_beam_search_decoder", "ctc_greedy_decoder", "ctc_loss", "ctc_unique_labels",
]  # fmt: skip

_FLOATS = (float32, float64)


# --- the loss --------------------------------------------------------------------------------------------------------
def _log_softmax(x: Array) -> Array:
    shifted = x - x.max(axis=-1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))


def _one_loss(scores: Array, labels: list[int], blank: int, merge: bool) -> tuple[float, Any]:
    """Loss of one sequence of log probabilities, and its gradient by the logits they came from."""
    states = [blank]
    for label in labels:
        states += [label, blank]
    count, steps = len(states), len(scores)
    path = np.array(states)
    # from which states before: itself, the one before, and over a blank when the label is another one
    stays = np.zeros(count)
    if not merge:
        stays[1::2] = -np.inf
    jumps = np.full(count, -np.inf)
    for s in range(3, count, 2):
        if not merge or states[s] != states[s - 2]:
            jumps[s] = 0.0

    def forward(emitted: Array) -> Array:
        found = np.full((steps, count), -np.inf)
        found[0, :2] = emitted[0, :2]
        for t in range(1, steps):
            before = found[t - 1]
            one = np.concatenate([[-np.inf], before[:-1]])
            two = np.concatenate([[-np.inf, -np.inf], before[:-2]])[:count] + jumps
            found[t] = np.logaddexp(np.logaddexp(before + stays, one), two) + emitted[t]
        return found

    emitted = scores[:, path]
    if not steps:
        return (0.0 if not labels else math.inf), np.zeros_like(scores)
    alpha = forward(emitted)
    turned_jumps = jumps
    jumps = np.concatenate([[-np.inf, -np.inf], turned_jumps[:1:-1]])[:count] if count > 2 else turned_jumps
    beta = forward(emitted[::-1, ::-1])[::-1, ::-1]
    total = np.logaddexp(alpha[-1, -1], alpha[-1, -2]) if count > 1 else alpha[-1, -1]
    if not np.isfinite(total):
        return math.inf, np.zeros_like(scores)
    weights = np.exp(alpha + beta - emitted - total)
    expected = np.zeros_like(scores)
    np.add.at(expected.T, path, weights.T)
    return -float(total), np.exp(scores) - expected


def _label_rows(indices: Array, values: Array, batch: int) -> list[list[int]]:
    rows: list[list[int]] = [[] for _ in range(batch)]
    for (row, _), value in zip(np.asarray(indices).tolist(), np.asarray(values).tolist()):
        if not 0 <= row < batch:
            raise bad(f"label batch index {row} is not in [0, {batch})")
        rows[row].append(value)
    return rows


def _loss_kernel(
    inputs: Array, indices: Array, values: Array, lengths: Array, *, preprocess_collapse_repeated: bool,
    ctc_merge_repeated: bool, ignore_longer_outputs_than_inputs: bool,
) -> tuple[Array, Array]:  # fmt: skip
    if inputs.ndim != 3:
        raise bad("inputs is not a 3-Tensor")
    steps, batch, classes = inputs.shape
    if len(lengths) != batch:
        raise bad("len(sequence_length) != batch_size")
    scores = _log_softmax(inputs.astype(np.float64))
    losses, gradient = np.zeros(batch, inputs.dtype), np.zeros_like(inputs)
    for b, labels in enumerate(_label_rows(indices, values, batch)):
        size = int(lengths[b])
        if not 0 <= size <= steps:
            raise bad(f"sequence_length({b}) <= {steps}")
        if any(v < 0 for v in labels):
            raise bad(f"All labels must be nonnegative integers, batch: {b}")
        end = next((i for i, v in enumerate(labels) if v >= classes - 1), len(labels))  # where no labels follow
        if any(v < classes - 1 for v in labels[end:]):
            raise bad(f"Saw a non-null label (index >= num_classes - 1) following a null label, batch: {b}")
        labels = labels[:end]
        if preprocess_collapse_repeated:
            labels = [k for k, _ in itertools.groupby(labels)]
        if len(labels) > size and not ignore_longer_outputs_than_inputs:
            raise bad(f"Not enough time for target transition sequence (required: {len(labels)}, available: {size}){b}")
        if len(labels) > size:
            continue
        losses[b], gradient[:size, b] = _one_loss(scores[:size, b], labels, classes - 1, ctc_merge_repeated)
    return losses, gradient


def _loss_vjp(call: Any, g: object, _: object) -> list[Any]:
    slope = PreventGradient(  # it is computed with the loss, so nothing tells how it depends on the logits
        call.outputs[1], message="Currently there is no way to take the second derivative of ctc_loss"
    )
    return [ExpandDims(ExpandDims(g, np.int32(0)), np.int32(2)) * slope, None, None, None]


CTCLoss = define(
    "CTCLoss",
    "inputs: T, labels_indices: int64[2], labels_values: int32[1], sequence_length: int32[1] -> loss: T, gradient: T",
    attrs="preprocess_collapse_repeated: bool = False; ctc_merge_repeated: bool = True; "
    "ignore_longer_outputs_than_inputs: bool = False; T: type = float32",
    allowed={"T": _FLOATS}, infer=lambda c: [_batch(c), c.dims(0)], kernel=_loss_kernel, vjp=_loss_vjp,
)  # fmt: skip


def _batch(c: Any) -> Any:
    dims = c.dims(0)
    if dims is not None and len(dims) != 3:
        raise ShapeError(f"Shape must be rank 3 but is rank {len(dims)}")
    return (None if dims is None else dims[1],)


def _blank_last(logits: Tensor, blank: Any) -> tuple[Any, Any]:
    """Logits with the blank as the last class, and the number of classes."""
    if logits.dims is not None and len(logits.dims) != 3:
        raise ValueError(errors.at_user_line(f"logits have 3 dimensions (time, batch, classes), found {logits.dims}"))
    classes = logits.dims[2] if logits.dims is not None else None
    count = shape_(logits)[2] if classes is None else classes
    if classes is not None and not -classes <= blank < classes:
        raise ValueError(errors.at_user_line(f"blank_index must be in [{-classes}, {classes}), found {blank}"))
    if blank < 0:
        blank = count + blank  # a tensor where the number of classes is one
    if isinstance(blank, int) and classes is not None and blank == classes - 1:
        return logits, blank
    last = reshape(cast(as_tensor(blank), int32), [1])
    order = concat([range_(blank), range_(blank + 1, count), last], 0)
    return GatherV2(logits, order, np.int32(2)), blank


def ctc_loss(
    labels: Any, logits: TensorLike, label_length: TensorLike | None, logit_length: TensorLike,
    logits_time_major: bool = True, unique: TensorLike | None = None, blank_index: int | None = None,
    name: str | None = None
) -> Tensor:  # fmt: skip
    """The negative logarithm of the probability of each label sequence, over all its alignments with the logits.

    `labels` are a matrix, with `label_length` labels in each row, or sparse; `logits` of shape [time, batch, classes].

    >>> import graphrt as tf
    >>> tf.nn.ctc_loss([[1]], tf.zeros([2, 1, 2]), [1], [2]).numpy().round(4).tolist()
    [0.28769999742507935]

    Raises:
      ValueError: the labels are sparse and `blank_index` is missing, or it is out of range.
    """
    with scope(name, "ctc_loss"):
        x = as_tensor(logits)
        if not logits_time_major:
            x = transpose(x, [1, 0, 2])
        sparse = isinstance(labels, SparseTensor)
        if blank_index is None:
            if sparse:
                raise ValueError(
                    errors.at_user_line("Argument `blank_index` must be provided when labels is a SparseTensor.")
                )
            blank_index = 0
        turned, blank = _blank_last(x, blank_index)
        if sparse:
            at, values = labels.indices, cast(labels.values, int32)
        else:
            dense = cast(as_tensor(labels), int32)
            sizes = cast(as_tensor(label_length), int32)
            mask = sequence_mask(sizes, shape_(dense)[1])
            at = where(mask)
            values = GatherNd(dense, at)
        if blank is not None:  # labels behind the blank moved one to the front
            values = where(Greater(values, cast(as_tensor(blank), int32)), values - np.int32(1), values)
        lengths = cast(as_tensor(logit_length), int32)
        wide = cast(turned, float32) if turned.dtype not in _FLOATS else turned
        loss = CTCLoss(wide, at, values, lengths, ignore_longer_outputs_than_inputs=not sparse)[0]
        if not sparse:  # no alignment has this many labels, and the op says 0
            loss = where(Greater(sizes, lengths), as_tensor(math.inf, loss.dtype), loss)
        return loss if wide is turned else cast(loss, turned.dtype)


# --- labels ----------------------------------------------------------------------------------------------------------
def collapse_repeated(labels: TensorLike, seq_length: TensorLike, name: str | None = None) -> tuple[Tensor, Tensor]:
    """Label sequences with runs of one label as a single one, and their new lengths.

    >>> import graphrt as tf
    >>> found, sizes = tf.nn.collapse_repeated([[1, 1, 2, 2, 1]], [5])
    >>> found.numpy().tolist(), sizes.numpy().tolist()
    ([[1, 2, 1]], [3])
    """
    with scope(name, "collapse_repeated_labels"):
        x, sizes = as_tensor(labels), as_tensor(seq_length)
        inside = sequence_mask(sizes, shape_(x)[1])
        first = ones_like(x[:, :1], dtype="bool")
        new = concat([first, NotEqual(x[:, 1:], x[:, :-1])], 1)
        kept = LogicalAnd(new, inside)
        counts = reduce_sum(cast(kept, int32), 1)
        widest = reduce_max(counts)
        target = where(sequence_mask(counts, widest))
        found = scatter_nd(target, boolean_mask(x, kept), stack([shape_(x, out_type=int64)[0],
                                                                               cast(widest, int64)]))  # fmt: skip
        return found, cast(counts, sizes.dtype)


def ctc_unique_labels(labels: TensorLike, name: str | None = None) -> tuple[Tensor, Tensor]:
    """For each row its different labels, filled up with 0, and for each label which of them it is.

    >>> import graphrt as tf
    >>> found, places = tf.nn.ctc_unique_labels([[3, 4, 4, 3]])
    >>> found.numpy().tolist(), places.numpy().tolist()
    ([[3, 4, 0, 0]], [[0, 1, 1, 0]])
    """
    with scope(name, "ctc_unique_labels"):
        x = cast(as_tensor(labels), int64)
        same = Equal(ExpandDims(x, np.int32(2)), ExpandDims(x, np.int32(1)))
        first = ArgMax(cast(same, int32), np.int32(2), output_type=int32)  # where each label stands first
        new = Equal(first, range_(shape_(x)[1]))
        order = Cumsum(cast(new, int32), np.int32(1)) - np.int32(1)
        places = GatherV2(order, first, np.int32(1), batch_dims=1)
        at = where(new)
        target = stack([at[:, 0], cast(GatherNd(order, at), int64)], axis=1)
        return scatter_nd(target, GatherNd(x, at), shape_(x, out_type=int64)), places


# --- decoders --------------------------------------------------------------------------------------------------------
def _check_decoder(inputs: Array, lengths: Array) -> None:
    if inputs.ndim != 3:
        raise bad("inputs is not a 3-Tensor")
    steps, batch, _ = inputs.shape
    if len(lengths) != batch:
        raise errors.FailedPreconditionError(None, None, "len(sequence_length) != batch_size")
    for b, size in enumerate(np.asarray(lengths).tolist()):
        if size > steps:
            raise errors.FailedPreconditionError(None, None, f"sequence_length({b}) <= {steps}")


def _as_sparse(rows: list[list[int]]) -> tuple[Any, Any, Any]:
    places = [(b, i) for b, row in enumerate(rows) for i in range(len(row))]
    values = [v for row in rows for v in row]
    shape = [len(rows), max(map(len, rows), default=0)]
    return np.array(places, np.int64).reshape(-1, 2), np.array(values, np.int64), np.array(shape, np.int64)


def _greedy_kernel(
    inputs: Array, lengths: Array, *, merge_repeated: bool, blank_index: int
) -> tuple[Array, Array, Array, Array]:
    _check_decoder(inputs, lengths)
    classes = inputs.shape[2]
    blank = blank_index + classes if blank_index < 0 else blank_index
    steps, batch, _ = inputs.shape
    sizes = np.asarray(lengths, np.int64)
    sizes = np.where(sizes < 0, np.maximum(sizes + steps, 0), sizes)
    best, top = inputs.argmax(axis=2).T, np.ascontiguousarray(inputs.max(axis=2).T)
    totals = np.zeros((batch, 1), inputs.dtype)
    for size in np.unique(sizes[sizes > 0]).tolist():  # sums of one size are made alike
        totals[sizes == size, 0] = -top[sizes == size, :size].sum(axis=1)
    kept = (best != blank) & (np.arange(steps) < sizes[:, None])
    if merge_repeated:
        kept[:, 1:] &= best[:, 1:] != best[:, :-1]
    rows, at = np.nonzero(kept)
    counts = kept.sum(axis=1)
    places = np.stack([rows, np.arange(rows.size) - (np.cumsum(counts) - counts)[rows]], axis=1).astype(np.int64)
    shape = np.array([batch, counts.max(initial=0)], np.int64)
    return places, best[rows, at].astype(np.int64), shape, totals


CTCGreedyDecoder = define(
    "CTCGreedyDecoder",
    "inputs: T, sequence_length: int32[1] "
    "-> decoded_indices: int64, decoded_values: int64, decoded_shape: int64, log_probability: T",
    attrs="merge_repeated: bool = False; blank_index: int = -1; T: type = float32", allowed={"T": _FLOATS},
    infer=lambda c: [(None, 2), (None,), (2,), (*_batch(c), 1)], kernel=_greedy_kernel,
    vjp=lambda call, *g: [None, None],
)  # fmt: skip


def ctc_greedy_decoder(
    inputs: TensorLike, sequence_length: TensorLike, merge_repeated: bool = True, blank_index: int | None = None
) -> tuple[list[SparseTensor], Tensor]:
    """The most likely class of each step, without blanks (and repetitions): `([sparse labels], negative sum of logits)`.

    >>> import graphrt as tf
    >>> logits = tf.one_hot([[0], [0], [1], [2]], 3)
    >>> tf.nn.ctc_greedy_decoder(logits, [4])[0][0].values.numpy().tolist()
    [0, 1]

    Raises:
      FailedPreconditionError: a sequence is longer than the logits.
    """
    found = CTCGreedyDecoder(
        as_tensor(inputs),
        sequence_length,
        merge_repeated=merge_repeated,
        blank_index=-1 if blank_index is None else blank_index,
    )
    return [SparseTensor(*found[:3])], found[3]


_BYTES = 600  # that a beam takes


class _Beam:
    """A label sequence in the search: log probabilities of ending in a blank, in the label, and of both."""

    __slots__ = ("children", "label", "new", "old", "parent")

    def __init__(self, parent: _Beam | None, label: int) -> None:
        self.parent, self.label = parent, label
        self.children: dict[int, _Beam] = {}
        self.old = [-math.inf, -math.inf, -math.inf]  # total, blank, label
        self.new = [-math.inf, -math.inf, -math.inf]

    @property
    def active(self) -> bool:
        return self.new[0] != -math.inf

    def sequence(self) -> list[int]:
        found, at = [], self
        while at.parent is not None:
            found.append(at.label)
            at = at.parent
        return found[::-1]


def _add(a: float, b: float) -> float:
    return float(np.logaddexp(a, b)) if a != -math.inf or b != -math.inf else -math.inf


def _search(scores: Array, width: int, top: int) -> list[tuple[list[int], float]]:
    """The `top` most likely label sequences by beam search; the blank is the last class."""
    blank = scores.shape[1] - 1
    root = _Beam(None, -1)
    root.new = [0.0, 0.0, -math.inf]
    leaves = [root]
    for step in scores.tolist():
        branches = sorted(leaves, key=lambda b: -b.new[0])
        for b in branches:
            b.old = list(b.new)
        leaves = []
        for b in branches:
            if b.parent is not None:
                if b.parent.active:
                    before = b.parent.old[1] if b.label == b.parent.label else b.parent.old[0]
                    b.new[2] = _add(b.new[2], before)
                b.new[2] += step[b.label]
            b.new[1] = b.old[0] + step[blank]
            b.new[0] = _add(b.new[1], b.new[2])
            leaves.append(b)
        _grow(branches, leaves, step, blank, width)
    leaves.sort(key=lambda b: -b.new[0])
    if len(leaves) < top:
        raise bad("Less leaves in the beam search than requested.")
    return [(b.sequence(), b.new[0]) for b in leaves[:top]]


def _grow(branches: list[_Beam], leaves: list[_Beam], step: list[float], blank: int, width: int) -> None:
    best = [(b.new[0], i, b) for i, b in enumerate(leaves)]  # a heap: the least likely one stands first
    heapq.heapify(best)
    count = len(best)

    def candidate(total: float) -> bool:
        return total > -math.inf and (len(best) < width or total > best[0][0])

    for b in branches:
        if not candidate(b.old[0]):
            break
        for label in range(blank):
            child = b.children.get(label)
            if child is not None and child.active:
                continue
            before = b.old[1] if label == b.label else b.old[0]
            value = step[label] + before
            if candidate(value):
                if child is None:
                    child = b.children[label] = _Beam(b, label)
                child.new = [value, -math.inf, value]
                if len(best) == width:
                    heapq.heappop(best)[2].new = [-math.inf, -math.inf, -math.inf]
                heapq.heappush(best, (value, count, child))
                count += 1
            elif child is not None:
                child.old = [-math.inf] * 3
                child.new = [-math.inf] * 3
    leaves[:] = [b for _, _, b in sorted(best, key=lambda entry: entry[1])]


def _check_beams(dims: tuple[int, ...], width: int) -> None:
    """Raises ResourceExhaustedError where the beams that are kept would take more memory than a tensor may."""
    steps, _, classes = dims
    beams, kept = 1, 0
    for step in range(steps):
        beams = min(width, beams * classes)
        kept += beams
        if beams == width:
            kept += (steps - step - 1) * beams
            break
    check_bytes(kept * _BYTES, f"a beam search of {width} beams in {steps} steps")


def _beam_kernel(
    inputs: Array, lengths: Array, *, beam_width: int, top_paths: int, merge_repeated: bool
) -> list[Array]:
    _check_decoder(inputs, lengths)
    if top_paths > beam_width:
        raise bad("requested more paths than the beam width.")
    batch = inputs.shape[1]
    chances = np.zeros((batch, top_paths), inputs.dtype)
    rows: list[list[list[int]]] = [[] for _ in range(top_paths)]
    _check_beams(inputs.shape, beam_width)
    scores = _log_softmax(inputs.astype(np.float64))
    for b, size in enumerate(np.asarray(lengths).tolist()):
        for i, (labels, chance) in enumerate(_search(scores[:size, b], beam_width, top_paths)):
            rows[i].append([k for k, _ in itertools.groupby(labels)] if merge_repeated else labels)
            chances[b, i] = chance
    parts = [_as_sparse(r) for r in rows]
    return [*(p[0] for p in parts), *(p[1] for p in parts), *(p[2] for p in parts), chances]


def _beam_dims(c: InferContext) -> list[Any]:
    top, (batch,) = c.attrs["top_paths"], _batch(c)
    if batch is None and c.dims(1) is not None and c.rank(1) == 1:
        (batch,) = c.dims(1)  # type: ignore[misc]  # of rank 1
    return [*[(None, 2)] * top, *[(None,)] * top, *[(2,)] * top, (batch, top)]


CTCBeamSearchDecoder = define(
    "CTCBeamSearchDecoder",
    "inputs: T, sequence_length: int32[1] -> decoded_indices: top_paths * int64, decoded_values: top_paths * int64, "
    "decoded_shape: top_paths * int64, log_probability: T",
    attrs="beam_width: int >= 1; top_paths: int >= 1; merge_repeated: bool = True; T: type = float32",
    allowed={"T": _FLOATS},
    infer=_beam_dims, kernel=_beam_kernel, vjp=lambda call, *g: [None, None],
)  # fmt: skip


def ctc_beam_search_decoder(
    inputs: TensorLike, sequence_length: TensorLike, beam_width: int = 100, top_paths: int = 1
) -> tuple[list[SparseTensor], Tensor]:
    """The `top_paths` most likely label sequences: `(sparse labels of each rank, log probabilities)`.

    >>> import graphrt as tf
    >>> logits = tf.one_hot([[0], [2], [1], [1]], 3) * 5.
    >>> tf.nn.ctc_beam_search_decoder(logits, [4], beam_width=3)[0][0].values.numpy().tolist()
    [0, 1]

    Raises:
      InvalidArgumentError: more paths than beams are asked for.
      FailedPreconditionError: a sequence is longer than the logits.
    """
    found = CTCBeamSearchDecoder(
        as_tensor(inputs), sequence_length, beam_width=beam_width, top_paths=top_paths, merge_repeated=False
    )
    triples = zip(found[:top_paths], found[top_paths : 2 * top_paths], found[2 * top_paths : 3 * top_paths])
    return [SparseTensor(*t) for t in triples], found[-1]
