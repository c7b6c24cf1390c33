"""Shapes, parts and places of tensors."""

# names of another format: those of ONNX's ops

from __future__ import annotations

from typing import Any

import numpy as np

from graphrt.export.onnx.reader import Reading, Use
from graphrt.export.onnx.readings.elementwise import number, vector
from graphrt.ops.array.concat_split import ConcatV2, Pack, Split, SplitV
from graphrt.ops.array.creation import Fill, OneHot, Range
from graphrt.ops.array.gather_scatter import (
    GatherNd,
    GatherV2,
    TensorScatterAdd,
    TensorScatterMax,
    TensorScatterMin,
    TensorScatterUpdate,
)
from graphrt.ops.array.padding import MirrorPad, PadV2, ReverseSequence
from graphrt.ops.array.repetition import Tile
from graphrt.ops.array.selection import SelectV2, Where
from graphrt.ops.array.shape import (
    BroadcastTo,
    ExpandDims,
    Reshape,
    Shape,
    Size,
    Squeeze,
    Transpose,
    broadcast_dynamic_shape,
)
from graphrt.ops.array.slicing import Slice, StridedSlice
from graphrt.ops.array.sorting import UniqueWithCounts
from graphrt.ops.math.arithmetic import Maximum, Minimum
from graphrt.ops.math.casting import cast
from graphrt.ops.math.comparison import Equal, GreaterEqual, LessEqual
from graphrt.ops.math.division import FloorMod
from graphrt.ops.math.reduction import Prod
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import Tensor
from graphrt.types.dtype import bool_, int32, int64
from graphrt.types.likes import Array


def whole(values: Any) -> Tensor:
    """Numbers known by now as a tensor of int64."""
    return convert_to_tensor(np.asarray(values, np.int64))


def shape64(x: Tensor) -> Tensor:
    """The shape of `x` as int64."""
    return Shape(x, out_type=int64)


def _axis(c: Use, axis: int, rank: int) -> int:
    if not -rank <= axis < max(rank, 1):
        raise ValueError(f"the axis {axis} of a tensor of rank {rank}")
    return axis + rank if axis < 0 else axis


def _shape(c: Use) -> Tensor:
    found = shape64(c[0])
    if not c.has("start") and not c.has("end"):
        return found
    rank = c.rank()
    start, stop, _ = slice(c.whole("start", 0), c.whole("end", rank)).indices(rank)
    return found[start : max(stop, start)]


def _reshape(c: Use) -> Tensor:
    shape = cast(c[1], int64)
    known = c.const(1)
    if c.whole("allowzero", 0) or (known is not None and 0 not in known):
        return Reshape(c[0], shape)
    own = shape64(c[0])
    if known is not None:
        sizes = [own[i] if d == 0 else whole(d) for i, d in enumerate(known.tolist())]
        return Reshape(c[0], Pack(sizes) if sizes else shape)
    missing = Maximum(Size(shape, out_type=int64) - Size(own, out_type=int64), whole(0))
    longer = ConcatV2([own, Fill(Reshape(missing, vector([1])), whole(1))], np.int32(0))
    copied = longer[: Size(shape)]
    return Reshape(c[0], SelectV2(Equal(shape, whole(0)), copied, shape))


def _axes(c: Use, index: int = 1) -> list[int]:
    return [int(a) for a in np.atleast_1d(c.constant(index, "its axes"))]


def _squeeze(c: Use) -> Tensor:
    if c.given(1) is None and not c.has("axes"):
        return Squeeze(c[0])
    axes = c.ints("axes") if c.has("axes") else _axes(c)
    return Squeeze(c[0], squeeze_dims=axes) if axes else c[0]


def _unsqueeze(c: Use) -> Tensor:
    axes = c.ints("axes") if c.has("axes") else _axes(c)
    rank = c.rank() + len(axes)
    found = c[0]
    for axis in sorted(_axis(c, a, rank) for a in axes):
        found = ExpandDims(found, np.int32(axis))
    return found


def _flatten(c: Use) -> Tensor:
    axis = c.whole("axis", 1)
    axis = axis + c.rank() if axis < 0 else axis
    shape = shape64(c[0])
    first = Prod(shape[:axis], vector([0]), keep_dims=True)
    rest = Prod(shape[axis:], vector([0]), keep_dims=True)
    return Reshape(c[0], ConcatV2([first, rest], np.int32(0)))


def _transpose(c: Use) -> Tensor:
    order = c.ints("perm") if c.has("perm") else list(range(c.rank()))[::-1]
    return Transpose(c[0], np.asarray(order, np.int32))


def _expand(c: Use) -> Tensor:
    return BroadcastTo(c[0], broadcast_dynamic_shape(shape64(c[0]), cast(c[1], int64)))


def _filled(c: Use) -> Tensor:
    value: Array = c.tensor("value").reshape(()) if c.has("value") else np.asarray(0, np.float32)
    return Fill(cast(c[0], int64), convert_to_tensor(value))


def _concat(c: Use) -> Tensor:
    parts = [c[i] for i in range(len(c.inputs))]
    return parts[0] if len(parts) == 1 else ConcatV2(parts, np.int32(c.whole("axis")))


def _split(c: Use) -> list[Tensor]:
    axis = _axis(c, c.whole("axis", 0), c.rank())
    count = len(c.node.output)
    if c.given(1) is not None:
        sizes: Any = cast(c[1], int64)
    else:
        whole_ = c.dims()[axis]
        if whole_ is None:
            return list(_listed(Split(np.int32(axis), c[0], num_split=count)))
        each = -(-whole_ // count)
        sizes = np.asarray([max(min(each, whole_ - i * each), 0) for i in range(count)], np.int64)
    return _listed(SplitV(c[0], sizes, np.int32(axis), num_split=count))


def _listed(found: Any) -> list[Tensor]:
    return list(found) if isinstance(found, (list, tuple)) else [found]


def _slice(c: Use) -> Tensor:
    rank = c.rank()
    axes = _axes(c, 3) if c.given(3) is not None else list(range(c[1].shape.num_elements() or 0))
    steps = c.constant(4, "its steps").tolist() if c.given(4) is not None else [1] * len(axes)
    places = {_axis(c, a, rank): i for i, a in enumerate(axes)}
    open_, strides = 0, [1] * rank
    for axis in range(rank):
        if axis not in places:
            open_ |= 1 << axis
        else:
            strides[axis] = int(steps[places[axis]])
    begin, end = (_spread(c, i, places, rank) for i in (1, 2))
    return StridedSlice(c[0], begin, end, whole(strides), begin_mask=open_, end_mask=open_)


def _spread(c: Use, index: int, places: dict[int, int], rank: int) -> Tensor:
    known = c.const(index)
    if known is not None:
        return whole([int(known[places[a]]) if a in places else 0 for a in range(rank)])
    given = cast(c[index], int64)
    return Pack([given[places[a]] if a in places else whole(0) for a in range(rank)])


def _wrapped(c: Use, indices: Tensor, axis: int) -> Tensor:
    """Indices that may count from the end."""
    known = c.const(1)
    if known is not None and not np.any(known < 0):
        return indices
    size = cast(shape64(c[0])[axis], indices.dtype)
    return SelectV2(indices < convert_to_tensor(np.asarray(0, indices.dtype.as_numpy_dtype)), indices + size, indices)


def _gather(c: Use) -> Tensor:
    axis = c.whole("axis", 0)
    return GatherV2(c[0], _wrapped(c, c[1], axis), np.int32(axis))


def _element_places(c: Use, indices: Tensor, axis: int) -> Tensor:
    """For each element of `indices` the whole place it stands for."""
    rank = c.rank()
    shape = shape64(indices)
    places = []
    for i in range(rank):
        if i == axis:
            places.append(cast(_wrapped(c, indices, axis), int64))
        else:
            line = Range(whole(0), shape[i], whole(1))
            form = [1] * rank
            form[i] = -1
            places.append(BroadcastTo(Reshape(line, whole(form)), shape))
    return Pack(places, axis=rank)


def _gather_elements(c: Use) -> Tensor:
    axis = _axis(c, c.whole("axis", 0), c.rank())
    return GatherNd(c[0], _element_places(c, c[1], axis))


_REDUCTIONS = {
    "none": lambda: TensorScatterUpdate, "add": lambda: TensorScatterAdd, "max": lambda: TensorScatterMax,
    "min": lambda: TensorScatterMin,
}  # fmt: skip


def _scatter_with(c: Use) -> Any:
    kind = c.text("reduction", "none")
    if kind not in _REDUCTIONS:
        raise ValueError(f"a scatter that reduces by {kind!r} cannot be read")
    return _REDUCTIONS[kind]()


def _scatter_elements(c: Use) -> Tensor:
    axis = _axis(c, c.whole("axis", 0), c.rank())
    return _scatter_with(c)(c[0], _element_places(c, c[1], axis), c[2])


def _all_from_front(c: Use) -> Tensor:
    """Places of which each number may count from the end."""
    indices = cast(c[1], int64)
    known = c.const(1)
    if known is not None and not np.any(known < 0):
        return indices
    batch = c.whole("batch_dims", 0)
    size = shape64(c[0])[batch : batch + (c.dims(1)[-1] or 0)]
    return SelectV2(indices < whole(0), indices + size, indices)


def _gather_nd(c: Use) -> Tensor:
    batch = c.whole("batch_dims", 0)
    places = _all_from_front(c)
    if not batch:
        return GatherNd(c[0], places)
    shape = shape64(places)
    own = []
    for i in range(batch):
        form = [1] * c.rank(1)
        form[i] = -1
        line = Reshape(Range(whole(0), shape[i], whole(1)), whole(form))
        own.append(BroadcastTo(line, ConcatV2([shape[:-1], whole([1])], np.int32(0))))
    return GatherNd(c[0], ConcatV2([*own, places], np.int32(-1)))


def _scatter_nd(c: Use) -> Tensor:
    return _scatter_with(c)(c[0], _all_from_front(c), c[2])


def _pad(c: Use) -> Tensor:
    rank = c.rank()
    pads = cast(c[1], int64)
    pairs = Transpose(Reshape(pads, whole([2, -1])), vector([1, 0]))
    if c.given(3) is not None:
        rows = [whole([0, 0])] * rank
        for i, axis in enumerate(_axes(c, 3)):
            rows[_axis(c, axis, rank)] = pairs[i]
        pairs = Pack(rows)
    mode = c.text("mode", "constant")
    if mode == "reflect":
        return MirrorPad(c[0], pairs, mode="REFLECT")
    if mode in ("edge", "wrap"):
        return _padded_with_own(c[0], pairs, mode)
    if mode != "constant":
        raise ValueError(f"padding by {mode!r} cannot be read")
    zero = whole(0)
    if c.const(1) is None or np.any(c.constant(1, "pads") < 0):  # negative paddings cut
        shape = shape64(c[0])
        begin, less = Maximum(-pairs[:, 0], zero), Maximum(-pairs[:, 1], zero)
        x = Slice(c[0], begin, shape - begin - less)
    else:
        x = c[0]
    value = Reshape(c[2], whole([])) if c.given(2) is not None else number(c, 0)
    return PadV2(x, Maximum(pairs, zero), value)


def _padded_with_own(x: Tensor, pairs: Tensor, mode: str) -> Tensor:
    """More of the elements at the edge, or the elements again from the other side; paddings below zero cut."""
    shape = shape64(x)
    for axis in range(x.shape.rank or 0):
        size = shape[axis]
        places = Range(-pairs[axis, 0], size + pairs[axis, 1], whole(1))
        places = FloorMod(places, size) if mode == "wrap" else Minimum(Maximum(places, whole(0)), size - 1)
        x = GatherV2(x, places, np.int32(axis))
    return x


def _range(c: Use) -> Tensor:
    return Range(*(Reshape(c[i], whole([])) for i in range(3)))


def _one_hot(c: Use) -> Tensor:
    depth = Reshape(cast(c[1], int64), whole([]))
    indices = cast(c[0], int64)
    indices = SelectV2(indices < whole(0), indices + depth, indices)
    return OneHot(indices, cast(depth, int32), c[2][1], c[2][0], axis=_one_hot_axis(c))


def _one_hot_axis(c: Use) -> int:
    axis = c.whole("axis", -1)
    return axis + c.rank() + 1 if axis < -1 else axis


def _non_zero(c: Use) -> Tensor:
    return Transpose(Where(c[0]), vector([1, 0]))


def _triangle(c: Use) -> Tensor:
    k = cast(Reshape(c[1], whole([])), int64) if c.given(1) is not None else whole(0)
    shape = shape64(c[0])
    rows = ExpandDims(Range(whole(0), shape[-2], whole(1)), np.int32(1))
    columns = Range(whole(0), shape[-1], whole(1))
    kept = GreaterEqual(columns - rows, k) if c.whole("upper", 1) else LessEqual(columns - rows, k)
    zero = convert_to_tensor(False) if c.dtype is bool_ else number(c, 0)
    return SelectV2(kept, c[0], zero)


def _eye(c: Use) -> Tensor:
    from graphrt.export.onnx import schema  # lazy: protobuf

    dtype = schema.DTYPES[c.whole("dtype", schema.NUMBERS[c.dtype])]
    shape = shape64(c[0])
    rows = ExpandDims(Range(whole(0), shape[0], whole(1)), np.int32(1))
    columns = Range(whole(0), shape[1], whole(1))
    return cast(Equal(columns - rows, whole(c.whole("k", 0))), dtype)


def _unique(c: Use) -> list[Tensor]:
    if c.has("axis") or c.whole("sorted", 1):
        raise ValueError("only elements in the order of their first place can be read")
    values, places, counts = UniqueWithCounts(Reshape(c[0], whole([-1])), out_idx=int64)
    size = Size(places, out_type=int64)
    line = Range(whole(0), size, whole(1))
    none = Fill(Reshape(Size(values, out_type=int64), whole([1])), size)
    first = TensorScatterMin(none, ExpandDims(places, np.int32(1)), line)
    return [values, first, places, counts]


def _reverse_sequence(c: Use) -> Tensor:
    return ReverseSequence(c[0], cast(c[1], int64), seq_dim=c.whole("time_axis", 0), batch_dim=c.whole("batch_axis", 1))


def _compress(c: Use) -> Tensor:
    x = c[0] if c.has("axis") else Reshape(c[0], whole([-1]))
    kept = Reshape(Where(c[1]), whole([-1]))
    return GatherV2(x, kept, np.int32(c.whole("axis", 0)))


READINGS: dict[str, Reading] = {
    "Compress": _compress,
    "Concat": _concat,
    "ConstantOfShape": _filled,
    "Expand": _expand,
    "EyeLike": _eye,
    "Flatten": _flatten,
    "Gather": _gather,
    "GatherElements": _gather_elements,
    "GatherND": _gather_nd,
    "NonZero": _non_zero,
    "OneHot": _one_hot,
    "Pad": _pad,
    "Range": _range,
    "Reshape": _reshape,
    "ReverseSequence": _reverse_sequence,
    "ScatterElements": _scatter_elements,
    "ScatterND": _scatter_nd,
    "Shape": _shape,
    "Size": lambda c: Size(c[0], out_type=int64),
    "Slice": _slice,
    "Split": _split,
    "Squeeze": _squeeze,
    "Tile": lambda c: Tile(c[0], cast(c[1], int64)),
    "Transpose": _transpose,
    "Trilu": _triangle,
    "Unique": _unique,
    "Unsqueeze": _unsqueeze,
}
