"""Ops that make, cut, join and rearrange arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphrt.export.jax.package import jnp, lax
from graphrt.export.jax.replay import Rows, Rule, Use, as_array, is_known


def _same(c: Use) -> Any:
    return c.held(0)


def _all_same(c: Use) -> Any:
    return [c.held(i) for i in range(len(c))]


def _shape(c: Use) -> Any:
    return np.asarray(np.shape(c[0]), c.dtype())


def _reshape(c: Use) -> Any:
    return jnp.reshape(as_array(c[0]), c.ints(1, "the shape"))


def _strided_slice(c: Use) -> Any:
    return as_array(c[0])[_index(c)]


_MASKS = ("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask")


def _index(c: Use) -> tuple[Any, ...]:
    """The key of a strided slice; single indices may be computed."""
    masks = {k: int(c.attr(k)) for k in _MASKS}
    begin, end = c[1], c[2]
    strides = c.known(3, "the strides of a slice")
    keys: list[Any] = []
    for i in range(len(strides)):
        bit = 1 << i
        if masks["ellipsis_mask"] & bit:
            keys.append(Ellipsis)
        elif masks["new_axis_mask"] & bit:
            keys.append(None)
        elif masks["shrink_axis_mask"] & bit:
            keys.append(int(begin[i]) if is_known(begin) else begin[i])
        else:
            ends: list[Any] = []
            for mask, values in (("begin_mask", begin), ("end_mask", end)):
                if masks[mask] & bit:
                    ends.append(None)
                elif is_known(values):
                    ends.append(int(values[i]))
                else:
                    c.refuse("the limits of a slice must follow from constants and shapes")
            keys.append(slice(ends[0], ends[1], int(strides[i])))
    return tuple(keys)


def _strided_slice_grad(c: Use) -> Any:
    dims = c.ints(0, "the shape of what was sliced")
    return jnp.zeros(dims, c.dtype()).at[_index(c)].set(as_array(c[4]))


def _slice(c: Use) -> Any:
    x, sizes = as_array(c[0]), c.ints(2, "the size of a slice")
    begin = c[1]
    if is_known(begin):
        starts = [int(b) for b in begin]
        return x[tuple(slice(b, None if n < 0 else b + n) for b, n in zip(starts, sizes))]
    if any(n < 0 for n in sizes):
        c.refuse("the size of a slice that begins where is computed must be given")
    return lax.dynamic_slice(x, list(begin), sizes)


def _expand_dims(c: Use) -> Any:
    axis = int(c.known(1, "the axis").reshape(()))
    return jnp.expand_dims(as_array(c[0]), axis)


def _squeeze(c: Use) -> Any:
    axes = tuple(c.attr("squeeze_dims"))
    return jnp.squeeze(as_array(c[0]), axes or None)


def _transpose(c: Use) -> Any:
    return jnp.transpose(as_array(c[0]), c.ints(1, "the order of axes"))


def _concat(c: Use) -> Any:
    return jnp.concatenate([as_array(v) for v in c.inputs[:-1]], int(c.known(len(c) - 1, "the axis").reshape(())))


def _concat_first(c: Use) -> Any:
    return jnp.concatenate([as_array(v) for v in c.inputs[1:]], int(c.known(0, "the axis").reshape(())))


def _pack(c: Use) -> Any:
    return jnp.stack([as_array(v) for v in c.inputs], c.attr("axis"))


def _unpack(c: Use) -> Any:
    x, axis = as_array(c[0]), c.attr("axis")
    return [lax.index_in_dim(x, i, axis % x.ndim, False) for i in range(c.attr("num"))]


def _split(c: Use) -> Any:
    return jnp.split(as_array(c[1]), c.attr("num_split"), int(c.known(0, "the axis").reshape(())))


def _split_sizes(c: Use) -> Any:
    x, axis = as_array(c[0]), int(c.known(2, "the axis").reshape(()))
    sizes = np.array(c.ints(1, "the sizes"))
    sizes[sizes < 0] = x.shape[axis] - sizes[sizes >= 0].sum()
    return jnp.split(x, np.cumsum(sizes)[:-1].tolist(), axis)


def _pad(c: Use) -> Any:
    widths = c.known(1, "the padding").tolist()
    value = as_array(c[2]) if len(c) > 2 else np.zeros((), c.dtype())
    return jnp.pad(as_array(c[0]), widths, constant_values=value)


def _mirror_pad(c: Use) -> Any:
    return jnp.pad(as_array(c[0]), c.known(1, "the padding").tolist(), mode=c.attr("mode").lower())


def _tile(c: Use) -> Any:
    return jnp.tile(as_array(c[0]), c.ints(1, "the multiples"))


def _broadcast(c: Use) -> Any:
    return jnp.broadcast_to(as_array(c[0]), c.ints(1, "the shape"))


def _fill(c: Use) -> Any:
    return jnp.broadcast_to(as_array(c[1]), c.ints(0, "the shape"))


def _range(c: Use) -> Any:
    made: Any = c.node.op.kernel  # it counts the steps
    return made(*(c.known(i, "what a range runs over")[()] for i in range(3)))


def _gather(c: Use) -> Any:
    x, at = as_array(c[0]), as_array(c[1])
    axis = int(c.known(2, "the axis").reshape(())) if len(c) > 2 else 0
    batch = int(c.node.attrs.get("batch_dims", 0))
    batch += at.ndim if batch < 0 else 0
    axis += x.ndim if axis < 0 else 0
    if not batch:
        return jnp.take(x, at, axis, mode="clip")
    dims = x.shape[:batch]
    rows = x.reshape(-1, *x.shape[batch:])
    which = at.reshape(-1, *at.shape[batch:])
    made = jnp.stack([jnp.take(rows[i], which[i], axis - batch, mode="clip") for i in range(rows.shape[0])])
    return made.reshape(*dims, *made.shape[1:])


def _gather_nd(c: Use) -> Any:
    x, at = as_array(c[0]), as_array(c[1])
    return x[tuple(jnp.moveaxis(at, -1, 0))]


def _places(at: Any) -> tuple[Any, ...]:
    return tuple(jnp.moveaxis(as_array(at), -1, 0))


def _scatter_nd(c: Use) -> Any:
    return jnp.zeros(c.ints(2, "the shape"), c.dtype()).at[_places(c[0])].add(as_array(c[1]))


def _scatter(how: str) -> Rule:
    return lambda c: getattr(as_array(c[0]).at[_places(c[1])], how)(as_array(c[2]))


def _one_hot(c: Use) -> Any:
    at, depth, axis = as_array(c[0]), int(c.known(1, "the depth").reshape(())), c.attr("axis")
    place = axis if axis >= 0 else at.ndim
    dims = [1] * (at.ndim + 1)
    dims[place] = depth
    return jnp.where(jnp.expand_dims(at, place) == jnp.arange(depth, dtype=at.dtype).reshape(dims), c[2], c[3])


def _reverse(c: Use) -> Any:
    return jnp.flip(as_array(c[0]), c.ints(1, "the axes"))


def _roll(c: Use) -> Any:
    shifts = c[1]
    moved = tuple(shifts.reshape(-1).tolist()) if is_known(shifts) else tuple(shifts.reshape(-1))
    return jnp.roll(as_array(c[0]), moved, c.ints(2, "the axes"))


def _top(c: Use) -> Any:
    k = int(c.known(1, "k").reshape(())) if len(c) > 1 else c.attr("k")
    return lax.top_k(as_array(c[0]), k)


def _inverted(c: Use) -> Any:
    at = as_array(c[0])
    return jnp.zeros_like(at).at[at].set(jnp.arange(at.shape[0], dtype=at.dtype))


def _searched(side: str) -> Rule:
    def rule(c: Use) -> Any:
        rows, values = as_array(c[0]), as_array(c[1])
        return jnp.stack([jnp.searchsorted(r, v, side) for r, v in zip(rows, values)])

    return rule


def _where(c: Use) -> Any:
    c.refuse("how many elements are found is known only when it runs")


def _diag(c: Use) -> Any:
    x = as_array(c[0])
    return x[..., None] * jnp.eye(x.shape[-1], dtype=x.dtype)


def _diag_part(c: Use) -> Any:
    return jnp.diagonal(as_array(c[0]), axis1=-2, axis2=-1)


def _diag_v3(c: Use) -> Any:
    if c.ints(1, "k") != (0,) or c.ints(2, "the rows") != (-1,) or c.ints(3, "the columns") != (-1,):
        c.refuse("only the main diagonal has a counterpart")
    x = as_array(c[0])
    return jnp.where(jnp.eye(x.shape[-1], dtype=bool), x[..., None], c[4])


def _diag_part_v3(c: Use) -> Any:
    if c.ints(1, "k") != (0,):
        c.refuse("only the main diagonal has a counterpart")
    return _diag_part(c)


def _set_diag(c: Use) -> Any:
    if len(c) > 2 and c.ints(2, "k") != (0,):
        c.refuse("only the main diagonal has a counterpart")
    x, d = as_array(c[0]), as_array(c[1])
    rows = np.arange(d.shape[-1])
    return x.at[..., rows, rows].set(d)


def _band_part(c: Use) -> Any:
    x = as_array(c[0])
    low, high = (as_array(c[i]).reshape(()) for i in (1, 2))
    i, j = np.indices(x.shape[-2:])
    return jnp.where(((low < 0) | (i - j <= low)) & ((high < 0) | (j - i <= high)), x, jnp.zeros((), x.dtype))


def _space_to_depth(c: Use) -> Any:
    n = c.attr("block_size")
    if c.attr("data_format") != "NHWC":
        c.refuse("only NHWC has a counterpart")
    x = as_array(c[0])
    b, h, w, d = x.shape
    return x.reshape(b, h // n, n, w // n, n, d).transpose(0, 1, 3, 2, 4, 5).reshape(b, h // n, w // n, n * n * d)


def _depth_to_space(c: Use) -> Any:
    n = c.attr("block_size")
    if c.attr("data_format") != "NHWC":
        c.refuse("only NHWC has a counterpart")
    x = as_array(c[0])
    b, h, w, d = x.shape
    return x.reshape(b, h, w, n, n, d // n // n).transpose(0, 1, 3, 2, 4, 5).reshape(b, h * n, w * n, d // n // n)


def _broadcast_gradient(c: Use) -> Any:
    c.refuse("shapes must follow from constants and shapes")


def _zeros_like(c: Use) -> Any:
    given = c.held(0)
    if isinstance(given, Rows):  # as the gradient of a list that nothing flows back into
        return Rows(None if given.values is None else jnp.zeros_like(given.values), given.size)
    return jnp.zeros_like(as_array(c[0]))


# names: the ops of this family
RULES: dict[str, Rule] = {
    "BatchMatrixBandPart": _band_part,
    "BroadcastTo": _broadcast,
    "BroadcastGradientArgs": _broadcast_gradient,
    "Concat": _concat_first,
    "ConcatV2": _concat,
    "CheckNumerics": _same,
    "DepthToSpace": _depth_to_space,
    "EnsureShape": _same,
    "ExpandDims": _expand_dims,
    "Fill": _fill,
    "Gather": _gather,
    "GatherNd": _gather_nd,
    "GatherV2": _gather,
    "GuaranteeConst": _same,
    "Identity": _same,
    "IdentityN": _all_same,
    "InvertPermutation": _inverted,
    "LowerBound": _searched("left"),
    "MatrixBandPart": _band_part,
    "MatrixDiag": _diag,
    "MatrixDiagPart": _diag_part,
    "MatrixDiagPartV3": _diag_part_v3,
    "MatrixDiagV3": _diag_v3,
    "MatrixSetDiag": _set_diag,
    "MatrixSetDiagV3": _set_diag,
    "MirrorPad": _mirror_pad,
    "OneHot": _one_hot,
    "OnesLike": lambda c: jnp.ones_like(as_array(c[0])),
    "Pack": _pack,
    "Pad": _pad,
    "PadV2": _pad,
    "ParallelConcat": lambda c: jnp.concatenate([as_array(v) for v in c.inputs]),
    "PlaceholderWithDefault": _same,
    "PreventGradient": _same,
    "Range": _range,
    "Rank": lambda c: np.asarray(np.ndim(c[0]), c.dtype()),
    "Reshape": _reshape,
    "ReverseV2": _reverse,
    "Roll": _roll,
    "ScatterNd": _scatter_nd,
    "Shape": _shape,
    "ShapeN": lambda c: [np.asarray(np.shape(v), c.dtype()) for v in c.inputs],
    "Size": lambda c: np.asarray(np.size(c[0]), c.dtype()),
    "Slice": _slice,
    "Snapshot": _same,
    "SpaceToDepth": _space_to_depth,
    "Split": _split,
    "SplitV": _split_sizes,
    "Squeeze": _squeeze,
    "StopGradient": lambda c: lax.stop_gradient(as_array(c[0])),
    "StridedSlice": _strided_slice,
    "StridedSliceGrad": _strided_slice_grad,
    "TensorScatterAdd": _scatter("add"),
    "TensorScatterMax": _scatter("max"),
    "TensorScatterMin": _scatter("min"),
    "TensorScatterSub": _scatter("subtract"),
    "TensorScatterUpdate": _scatter("set"),
    "Tile": _tile,
    "TopK": _top,
    "TopKV2": _top,
    "Transpose": _transpose,
    "Unpack": _unpack,
    "UpperBound": _searched("right"),
    "Where": _where,
    "ZerosLike": _zeros_like,
}
