"""Pools and filters beyond the usual ones: dilation and erosion, fractional pools, pools of any number of dimensions,
and transposed convolutions."""

from __future__ import annotations

import itertools
import random as python_random
from collections import namedtuple
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.errors import ShapeError
from graphrt.ir.op import define, ops
from graphrt.ops.random.sampling_ops import get_seed
from graphrt.ops.support.kernel_helpers import bad, ints, least
from graphrt.ops.support.shape_rules import as_tensor
from graphrt.tensor.context import scope
from graphrt.tensor.tensor import TensorLike
from graphrt.types.dtype import REAL, float32, float64, int32, int64
from graphrt.types.shape import Dims, merge

__all__ = [
    "atrous_conv2d_transpose", "conv1d_transpose", "conv_transpose", "depthwise_conv2d_backprop_filter",
    "depthwise_conv2d_backprop_input", "dilation2d", "erosion2d", "fractional_avg_pool", "fractional_max_pool", "pool",
    "with_space_to_batch",
]  # fmt: skip


def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


# --- dilation --------------------------------------------------------------------------------------------------------
def _reach(window: int, rate: int) -> int:
    return (window - 1) * rate + 1


def _extent(size: int, window: int, stride: int, rate: int, same: bool) -> tuple[int, int]:
    """Length of the output, and how much is padded in front."""
    reach = _reach(window, rate)
    if not same:
        return max((size - reach) // stride + 1, 0), 0
    out = -(-size // stride)
    return out, max((out - 1) * stride + reach - size, 0) // 2


def _sums(x: Any, w: Any, strides: Any, rates: Any, padding: Any) -> tuple[Any, Any]:
    """For each place of the filter the shifted input plus its weight, and the geometry."""
    same = _text(padding) == "SAME"
    height, width, channels = w.shape
    if x.shape[3] != channels:
        raise bad(f"input and filter must have the same depth: {x.shape[3]} vs {channels}")
    rows, top = _extent(x.shape[1], height, strides[1], rates[1], same)
    cols, left = _extent(x.shape[2], width, strides[2], rates[2], same)
    tall, wide = (rows - 1) * strides[1] + _reach(height, rates[1]), (cols - 1) * strides[2] + _reach(width, rates[2])
    low = least(x.dtype)
    padded = np.full((x.shape[0], max(tall, top + x.shape[1]), max(wide, left + x.shape[2]), channels), low, x.dtype)
    padded[:, top : top + x.shape[1], left : left + x.shape[2]] = x
    found = np.empty((height * width, x.shape[0], rows, cols, channels), x.dtype)
    for i in range(height):
        for j in range(width):
            a, b = i * rates[1], j * rates[2]
            part = padded[:, a : a + tall : strides[1], b : b + wide : strides[2]][:, :rows, :cols]
            inside = part != low
            found[i * width + j] = np.where(inside, part + w[i, j], low)
    return found, (top, left, width)


def _dilate(x: Any, w: Any, *, strides: Any, rates: Any, padding: Any) -> Any:
    return _sums(x, w, strides, rates, padding)[0].max(axis=0)


def _dilation_dims(c: Any) -> Dims:
    x, w = c.dims(0), c.dims(1)
    if x is None or w is None:
        return (None,) * 4
    if len(x) != 4 or len(w) != 3:
        raise ShapeError(
            f"Shape must be rank {4 if len(x) != 4 else 3} but is rank {len(x) if len(x) != 4 else len(w)}"
        )
    same = _text(c.attrs["padding"]) == "SAME"
    out: list[int | None] = []
    for axis in (1, 2):
        size, window = x[axis], w[axis - 1]
        known = size is not None and window is not None
        out.append(_extent(size, window, c.attrs["strides"][axis], c.attrs["rates"][axis], same)[0] if known else None)
    return (x[0], *out, *merge(x[3:], w[2:]))  # type: ignore[misc]


def _winners(x: Any, w: Any, strides: Any, rates: Any, padding: Any) -> Any:
    """For each output which place of the filter won, and the coordinates of the input it took."""
    found, (top, left, width) = _sums(x, w, strides, rates, padding)
    best = found.argmax(axis=0)
    b, r, c, k = np.indices(best.shape)
    y = r * strides[1] - top + best // width * rates[1]
    z = c * strides[2] - left + best % width * rates[2]
    return best, (b, y, z, k)


def _dilate_input(x: Any, w: Any, g: Any, *, strides: Any, rates: Any, padding: Any) -> Any:
    out = np.zeros_like(x)
    np.add.at(out, _winners(x, w, strides, rates, padding)[1], g)
    return out


def _dilate_filter(x: Any, w: Any, g: Any, *, strides: Any, rates: Any, padding: Any) -> Any:
    best, (_, _, _, k) = _winners(x, w, strides, rates, padding)
    out = np.zeros_like(w)
    np.add.at(out, (best // w.shape[1], best % w.shape[1], k), g)
    return out


def _dilation_vjp(call: Any, g: Any) -> list[Any]:
    attrs = {k: call.attrs[k] for k in ("strides", "rates", "padding")}
    x, w = call.inputs
    return [Dilation2DBackpropInput(x, w, g, **attrs), Dilation2DBackpropFilter(x, w, g, **attrs)]


_DILATION = "strides: list(int) >= 4; rates: list(int) >= 4; padding: {'SAME', 'VALID'}"
Dilation2D = define(
    "Dilation2D", "input: T, filter: T -> output: T", attrs=_DILATION, allowed={"T": REAL}, infer=_dilation_dims,
    kernel=_dilate, vjp=_dilation_vjp,
)  # fmt: skip
Dilation2DBackpropInput = define(
    "Dilation2DBackpropInput", "input: T, filter: T, out_backprop: T -> in_backprop: T", attrs=_DILATION,
    allowed={"T": REAL}, infer=lambda c: c.dims(0), kernel=_dilate_input,
)  # fmt: skip
Dilation2DBackpropFilter = define(
    "Dilation2DBackpropFilter", "input: T, filter: T, out_backprop: T -> filter_backprop: T", attrs=_DILATION,
    allowed={"T": REAL}, infer=lambda c: c.dims(1), kernel=_dilate_filter,
)  # fmt: skip


def _check_format(data_format: str) -> None:
    if data_format != "NHWC":
        raise ValueError(
            errors.at_user_line(
                f"`data_format` values other  than 'NHWC' are not supported. Received: data_format={data_format}"
            )
        )


def dilation2d(
    input: TensorLike, filters: TensorLike, strides: Any, padding: str, data_format: str, dilations: Any,
    name: str | None = None,
) -> Any:  # fmt: skip
    """The greatest sum of pixel and filter in each window, channel by channel.

    >>> import graphrt as tf
    >>> x = tf.reshape(tf.range(9.), [1, 3, 3, 1])
    >>> tf.nn.dilation2d(x, tf.zeros([2, 2, 1]), [1] * 4, "VALID", "NHWC", [1] * 4).numpy().ravel().tolist()
    [4.0, 5.0, 7.0, 8.0]

    Raises:
      ValueError: `data_format` is not "NHWC".
    """
    _check_format(data_format)
    return Dilation2D(input, filters, strides=strides, rates=dilations, padding=padding, name=name)


def erosion2d(
    value: TensorLike, filters: TensorLike, strides: Any, padding: str, data_format: str, dilations: Any,
    name: str | None = None,
) -> Any:  # fmt: skip
    """The least difference of pixel and filter (turned about) in each window, channel by channel.

    >>> import graphrt as tf
    >>> x = tf.reshape(tf.range(9.), [1, 3, 3, 1])
    >>> tf.nn.erosion2d(x + 1., tf.zeros([2, 2, 1]), [1] * 4, "VALID", "NHWC", [1] * 4).numpy().ravel().tolist()
    [1.0, 2.0, 4.0, 5.0]

    Raises:
      ValueError: `data_format` is not "NHWC".
    """
    _check_format(data_format)
    with scope(name, "erosion2d") as own:
        turned = ops.ReverseV2(as_tensor(filters), [0, 1])
        grown = Dilation2D(ops.Neg(as_tensor(value)), turned, strides=strides, rates=dilations, padding=padding)
        return ops.Neg(grown, name=own)


# --- fractional pools ------------------------------------------------------------------------------------------------
_FRACTIONAL = (float32, float64, int32, int64)
_ATTRS = (
    "pooling_ratio: list(float) >= 4; pseudo_random: bool = False; overlapping: bool = False; deterministic: bool = False; "
    "seed: int = 0; seed2: int = 0"
)


def _edges(size: int, ratio: float, pseudo: bool, source: python_random.Random) -> list[int]:
    """Where the windows begin along one dimension, and where the last ends: steps of `floor(ratio)` and one more."""
    count = int(size / ratio)
    if count < 1:
        raise bad(f"pooling ratio {ratio} is too large for a dimension of {size}")
    if size % count == 0:
        return list(range(0, size + 1, size // count))
    if pseudo:  # steps as even as they can be, from a start chosen at random
        alpha, start = size / count, source.random()
        found = [int(alpha * (i + start)) - int(alpha * start) for i in range(count)]
        return [*found, size]
    small, extra = divmod(size, count)
    steps = [small + 1] * extra + [small] * (count - extra)
    source.shuffle(steps)
    return [0, *np.cumsum(steps).tolist()]


def _source(seed: int, seed2: int) -> python_random.Random:
    return python_random.Random() if seed == 0 and seed2 == 0 else python_random.Random(seed * 2**32 + seed2)


def _cells(rows: Any, cols: Any, overlapping: bool, height: int, width: int) -> Any:
    more = 1 if overlapping else 0
    for i, (a, b) in enumerate(itertools.pairwise(rows)):
        for j, (c, d) in enumerate(itertools.pairwise(cols)):
            yield i, j, slice(a, min(b + more, height)), slice(c, min(d + more, width))


def _fractional(mean: bool) -> Any:
    def kernel(
        x: Any,
        *,
        pooling_ratio: Any,
        pseudo_random: bool,
        overlapping: bool,
        deterministic: bool,
        seed: int,
        seed2: int,
    ) -> Any:
        if x.ndim != 4:
            raise bad("tensor_in must be 4-dimensional")
        if len(pooling_ratio) != 4 or pooling_ratio[0] != 1 or pooling_ratio[3] != 1:
            raise bad("Fractional pooling is not yet supported on the batch or channel dimension.")
        if any(r < 1 for r in pooling_ratio):
            raise bad("pooling_ratio cannot be smaller than 1")
        source = _source(seed or (1 if deterministic else 0), seed2)
        rows = _edges(x.shape[1], pooling_ratio[1], pseudo_random, source)
        cols = _edges(x.shape[2], pooling_ratio[2], pseudo_random, source)
        out = np.empty((x.shape[0], len(rows) - 1, len(cols) - 1, x.shape[3]), x.dtype)
        for i, j, r, c in _cells(rows, cols, overlapping, x.shape[1], x.shape[2]):
            part = x[:, r, c]
            out[:, i, j] = part.mean(axis=(1, 2)).astype(x.dtype) if mean else part.max(axis=(1, 2))
        return out, np.array(rows, np.int64), np.array(cols, np.int64)

    return kernel


def _fractional_dims(c: Any) -> Any:
    dims = c.dims(0)
    if dims is None:
        return [None, (None,), (None,)]
    if len(dims) != 4:
        raise ShapeError(f"Shape must be rank 4 but is rank {len(dims)}")
    ratio = c.attrs["pooling_ratio"]
    out = [None if d is None else int(d / r) for d, r in zip(dims, ratio)]
    return [tuple(out), *((None if n is None else n + 1,) for n in out[1:3])]


def _max_back(x: Any, y: Any, g: Any, rows: Any, cols: Any, *, overlapping: bool) -> Any:
    out = np.zeros_like(x)
    batch, channel = np.arange(x.shape[0])[:, None], np.arange(x.shape[3])[None]
    for i, j, r, c in _cells(ints(rows), ints(cols), overlapping, x.shape[1], x.shape[2]):
        part = x[:, r, c]
        best = part.reshape(x.shape[0], -1, x.shape[3]).argmax(axis=1)
        at = (batch, r.start + best // part.shape[2], c.start + best % part.shape[2], channel)
        np.add.at(out, at, g[:, i, j])
    return out


def _mean_back(sizes: Any, g: Any, rows: Any, cols: Any, *, overlapping: bool) -> Any:
    dims = ints(sizes)
    out = np.zeros(dims, g.dtype)
    for i, j, r, c in _cells(ints(rows), ints(cols), overlapping, dims[1], dims[2]):
        part = out[:, r, c]
        part += g[:, i, j][:, None, None] / (part.shape[1] * part.shape[2])
    return out


FractionalMaxPool = define(
    "FractionalMaxPool", "value: T -> output: T, row_pooling_sequence: int64, col_pooling_sequence: int64",
    attrs=_ATTRS, allowed={"T": _FRACTIONAL}, infer=_fractional_dims, kernel=_fractional(False),
    vjp=lambda call, g, r, c: [
        ops.FractionalMaxPoolGrad(call.inputs[0], *(call.outputs[0], g), *call.outputs[1:],
                              overlapping=call.attrs["overlapping"])
    ],
)  # fmt: skip
FractionalMaxPoolGrad = define(
    "FractionalMaxPoolGrad",
    "orig_input: T, orig_output: T, out_backprop: T, row_pooling_sequence: int64, col_pooling_sequence: int64 "
    "-> output: T",
    attrs="overlapping: bool = False", allowed={"T": _FRACTIONAL}, infer=lambda c: c.dims(0), kernel=_max_back,
)  # fmt: skip
FractionalAvgPool = define(
    "FractionalAvgPool", "value: T -> output: T, row_pooling_sequence: int64, col_pooling_sequence: int64",
    attrs=_ATTRS, allowed={"T": _FRACTIONAL}, infer=_fractional_dims, kernel=_fractional(True),
    vjp=lambda call, g, r, c: [
        ops.FractionalAvgPoolGrad(ops.shape(call.inputs[0], out_type=int64), g, *call.outputs[1:],
                              overlapping=call.attrs["overlapping"])
    ],
)  # fmt: skip
FractionalAvgPoolGrad = define(
    "FractionalAvgPoolGrad",
    "orig_input_tensor_shape: int64, out_backprop: T, row_pooling_sequence: int64, col_pooling_sequence: int64 "
    "-> output: T",
    attrs="overlapping: bool = False", allowed={"T": _FRACTIONAL}, infer=lambda c: c.shape_from(0), kernel=_mean_back,
)  # fmt: skip

MaxPooled = namedtuple("FractionalMaxPool", "output row_pooling_sequence col_pooling_sequence")  # type: ignore[name-match]
MeanPooled = namedtuple("FractionalAvgPool", "output row_pooling_sequence col_pooling_sequence")  # type: ignore[name-match]


def _ratios(ratio: Any) -> list[float]:
    given = [float(v) for v in ratio] if isinstance(ratio, (list, tuple)) else [float(ratio)]
    return {1: [1.0, given[0], given[0], 1.0], 2: [1.0, *given[:2], 1.0]}.get(len(given), given)


def _pool_seeds(seed: int) -> dict[str, Any]:
    if seed == 0:
        return {"deterministic": False}
    first, second = get_seed(seed)
    return {"seed": first, "seed2": second, "deterministic": True}


def fractional_max_pool(
    value: TensorLike, pooling_ratio: Any, pseudo_random: bool = False, overlapping: bool = False, seed: int = 0,
    name: str | None = None,
) -> Any:  # fmt: skip
    """The greatest pixel of windows whose sizes vary, so that images shrink by a ratio that is no integer.

    Gives the pooled images, and where the windows begin in rows and columns.

    >>> import graphrt as tf
    >>> tf.nn.fractional_max_pool(tf.ones([1, 6, 6, 1]), 1.5).output.shape
    TensorShape([1, 4, 4, 1])

    Raises:
      InvalidArgumentError: a ratio is smaller than 1, or given for batch or channels.
    """
    return MaxPooled(*FractionalMaxPool(
        value, pooling_ratio=_ratios(pooling_ratio), pseudo_random=pseudo_random, overlapping=overlapping, name=name,
        **_pool_seeds(seed)))  # fmt: skip


def fractional_avg_pool(
    value: TensorLike, pooling_ratio: Any, pseudo_random: bool = False, overlapping: bool = False, seed: int = 0,
    name: str | None = None,
) -> Any:  # fmt: skip
    """The mean of windows whose sizes vary: see `fractional_max_pool`.

    >>> import graphrt as tf
    >>> tf.nn.fractional_avg_pool(tf.ones([1, 6, 6, 1]), 1.5).output.shape
    TensorShape([1, 4, 4, 1])

    Raises:
      InvalidArgumentError: a ratio is smaller than 1, or given for batch or channels.
    """
    return MeanPooled(*FractionalAvgPool(
        value, pooling_ratio=_ratios(pooling_ratio), pseudo_random=pseudo_random, overlapping=overlapping, name=name,
        **_pool_seeds(seed)))  # fmt: skip


# --- pools of any number of dimensions -------------------------------------------------------------------------------
def _per_dimension(value: Any, count: int, what: str) -> list[int]:
    if value is None:
        return [1] * count
    found = [int(v) for v in value] if isinstance(value, (list, tuple, np.ndarray)) else [int(value)] * count
    if len(found) != count:
        raise ValueError(errors.at_user_line(f"{what} must have {count} entries, found {found}"))
    return found


def with_space_to_batch(
    input: TensorLike, dilation_rate: Any, padding: str, op: Any, filter_shape: Any = None, spatial_dims: Any = None,
    data_format: str | None = None,
) -> Any:  # fmt: skip
    """`op` on an input whose pixels, `dilation_rate` apart, have been put into batches of their own.

    `op` is called with the batches, `num_spatial_dims` and `padding`.

    >>> import graphrt as tf
    >>> x = tf.ones([1, 4, 4, 1])
    >>> tf.nn.with_space_to_batch(x, [2, 2], "VALID", lambda t, num_spatial_dims, padding: t * 2., [1, 1]).shape
    TensorShape([1, 4, 4, 1])

    Raises:
      ValueError: a rate is not positive, or the padding is not known.
    """
    x = as_tensor(input)
    rates = [int(v) for v in np.ravel(np.asarray(dilation_rate))]
    count = len(rates)
    if any(r < 1 for r in rates):
        raise ValueError(errors.at_user_line("dilation_rate must be positive"))
    if padding not in ("SAME", "VALID"):
        raise ValueError(errors.at_user_line(f"padding must be SAME or VALID, found {padding!r}"))
    if all(r == 1 for r in rates):
        return op(x, count, padding)
    first = data_format is not None and data_format.startswith("NC")
    if first:
        order = [0, *range(2, 2 + count), 1]
        x = ops.transpose(x, order)
    window = _per_dimension(filter_shape, count, "filter_shape") if padding == "SAME" else [1] * count
    total = [(w - 1) * r for w, r in zip(window, rates)]
    base = [(t // 2, t - t // 2) for t in total] if padding == "SAME" else [(0, 0)] * count
    sizes = ops.shape(x)[1 : 1 + count]
    block = np.array(rates, np.int32)
    front, back = (np.array([b[i] for b in base], np.int32) for i in (0, 1))
    full = sizes + (front + back)
    extra = ops.FloorMod(block - ops.FloorMod(full, block), block)
    paddings = ops.stack([as_tensor(front), back + extra], axis=1)
    crops = ops.stack([ops.zeros_like(extra), extra], axis=1)
    found = op(ops.SpaceToBatchND(x, block, paddings), count, "VALID")
    found = ops.BatchToSpaceND(found, block, crops)
    if first:
        found = ops.transpose(found, [0, count + 1, *range(1, 1 + count)])
    return found


def pool(
    input: TensorLike, window_shape: Any, pooling_type: str, strides: Any = None, padding: str = "VALID",
    data_format: str | None = None, dilations: Any = None, name: str | None = None,
) -> Any:  # fmt: skip
    """The greatest ("MAX") or mean ("AVG") element of windows in 1, 2 or 3 dimensions.

    >>> import graphrt as tf
    >>> tf.nn.pool(tf.reshape(tf.range(4.), [1, 4, 1]), [2], "MAX", strides=[2]).numpy().ravel().tolist()
    [1.0, 3.0]

    Raises:
      ValueError: the type, the rank or an option is not known.
    """
    with scope(name, pooling_type.lower() if pooling_type in ("MAX", "AVG") else "pool"):
        x = as_tensor(input)
        window = [int(v) for v in np.ravel(np.asarray(window_shape))]
        count = len(window)
        if count not in (1, 2, 3):
            raise ValueError(
                errors.at_user_line(f"`len(window_shape)` must be 1, 2, or 3. Received: window_shape={window_shape}")
            )
        if pooling_type not in ("MAX", "AVG"):
            raise ValueError(errors.at_user_line(f"{count}-D {pooling_type} pooling is not supported."))
        steps, rates = _per_dimension(strides, count, "strides"), _per_dimension(dilations, count, "dilations")
        if any(s > 1 for s in steps) and any(r > 1 for r in rates):
            raise ValueError(errors.at_user_line("`strides > 1` not supported in conjunction with `dilations > 1`."))
        if padding == "SAME" and pooling_type == "AVG" and any(r > 1 for r in rates):
            raise ValueError(
                errors.at_user_line("pooling_type='AVG' with padding='SAME' is not supported with dilations > 1.")
            )
        first = data_format is not None and data_format.startswith("NC")
        if first:
            x = ops.transpose(x, [0, *range(2, 2 + count), 1])

        def one(part: Any, num_spatial_dims: int, padding: str) -> Any:
            return _pooled(part, window, steps, padding, pooling_type)

        found = with_space_to_batch(x, rates, padding, one, window)
        return ops.transpose(found, [0, count + 1, *range(1, 1 + count)]) if first else found


def _pooled(x: Any, window: list[int], steps: list[int], padding: str, kind: str) -> Any:
    wide = len(window) == 1
    if wide:
        x, window, steps = ops.ExpandDims(x, np.int32(1)), [1, *window], [1, *steps]
    op = getattr(ops, ("MaxPool" if kind == "MAX" else "AvgPool") + ("3D" if len(window) == 3 else ""))
    found = op(x, ksize=[1, *window, 1], strides=[1, *steps, 1], padding=padding)
    return ops.squeeze(found, [1]) if wide else found


# --- transposed convolutions -----------------------------------------------------------------------------------------
def _full(value: Any, count: int, what: str) -> list[int]:
    """An option for each dimension, those of batch and channels included, channels last."""
    found = [int(v) for v in np.ravel(np.asarray(1 if value is None else value))]
    if len(found) == 1:
        found = found * count
    if len(found) == count:
        return [1, *found, 1]
    if len(found) != count + 2:
        raise ValueError(errors.at_user_line(f"{what} must have 1, {count} or {count + 2} entries, found {found}"))
    return found


def _options(value: Any, count: int, what: str, first: bool) -> list[int]:
    found = _full(value, count, what)
    if first and np.size(np.asarray(1 if value is None else value)) == count + 2:
        return [found[0], *found[2:], found[1]]
    return found


def conv1d_transpose(
    input: TensorLike, filters: TensorLike, output_shape: Any, strides: Any, padding: str = "SAME",
    data_format: str = "NWC", dilations: Any = None, name: str | None = None,
) -> Any:  # fmt: skip
    """The gradient of a 1-D convolution by its input, used as an op: sequences made longer.

    >>> import graphrt as tf
    >>> tf.nn.conv1d_transpose(tf.ones([1, 3, 1]), tf.ones([2, 1, 1]), [1, 6, 1], 2).shape
    TensorShape([1, 6, 1])

    Raises:
      ValueError: an option is not valid.
    """
    with scope(name, "conv1d_transpose"):
        first = data_format == "NCW"
        if data_format not in ("NWC", "NCW"):
            raise ValueError(
                errors.at_user_line(f"`data_format` must be 'NWC' or 'NCW'. Received: data_format={data_format}")
            )
        x, w, shape = as_tensor(input), as_tensor(filters), ops.cast(as_tensor(output_shape), int32)
        if first:
            x, shape = ops.transpose(x, [0, 2, 1]), ops.GatherV2(shape, [0, 2, 1], np.int32(0))
        steps, rates = _options(strides, 1, "strides", first), _options(dilations, 1, "dilations", first)
        wide = ops.concat([shape[:1], np.array([1], np.int32), shape[1:]], 0)
        found = ops.Conv2DBackpropInput(
            wide, ops.ExpandDims(w, np.int32(0)), ops.ExpandDims(x, np.int32(1)), strides=[1, *steps], padding=padding,
            dilations=[1, *rates],
        )  # fmt: skip
        found = ops.squeeze(found, [1])
        return ops.transpose(found, [0, 2, 1]) if first else found


def conv_transpose(
    input: TensorLike, filters: TensorLike, output_shape: Any, strides: Any, padding: str = "SAME",
    data_format: str | None = None, dilations: Any = None, name: str | None = None,
) -> Any:  # fmt: skip
    """The gradient of a convolution of 1, 2 or 3 dimensions by its input, used as an op.

    >>> import graphrt as tf
    >>> tf.nn.conv_transpose(tf.ones([1, 3, 3, 1]), tf.ones([2, 2, 1, 1]), [1, 6, 6, 1], 2).shape
    TensorShape([1, 6, 6, 1])

    Raises:
      ValueError: the rank or an option is not valid.
    """
    x = as_tensor(input)
    rank = len(x.dims) if x.dims is not None else len(as_tensor(filters).dims or ())
    count = rank - 2
    if count not in (1, 2, 3):
        raise ValueError(
            errors.at_user_line(f"`output_shape` must be of length 3, 4, or 5. Received an input of rank {rank}")
        )
    if count == 1:
        return conv1d_transpose(x, filters, output_shape, strides, padding, data_format or "NWC", dilations, name)
    with scope(name, "conv_transpose"):
        first = data_format is not None and data_format.startswith("NC")
        shape, w = ops.cast(as_tensor(output_shape), int32), as_tensor(filters)
        if first:
            order = [0, *range(2, 2 + count), 1]
            x, shape = ops.transpose(x, order), ops.GatherV2(shape, order, np.int32(0))
        steps, rates = _options(strides, count, "strides", first), _options(dilations, count, "dilations", first)
        op = ops.Conv2DBackpropInput if count == 2 else ops.Conv3DBackpropInputV2
        found = op(shape, w, x, strides=steps, padding=padding, dilations=rates)
        return ops.transpose(found, [0, count + 1, *range(1, 1 + count)]) if first else found


def atrous_conv2d_transpose(
    value: TensorLike, filters: TensorLike, output_shape: Any, rate: int, padding: str, name: str | None = None
) -> Any:
    """The gradient of `atrous_conv2d` by its input, used as an op.

    >>> import graphrt as tf
    >>> x = tf.ones([1, 4, 4, 1])
    >>> tf.nn.atrous_conv2d_transpose(x, tf.ones([2, 2, 1, 1]), [1, 4, 4, 1], 2, "SAME").shape
    TensorShape([1, 4, 4, 1])

    Raises:
      ValueError: `rate` is not positive.
    """
    if rate < 1:
        raise ValueError(errors.at_user_line(f"`rate` cannot be less than one. Received: rate={rate}"))
    return ops.Conv2DBackpropInput(
        ops.cast(as_tensor(output_shape), int32), filters, value, strides=[1, 1, 1, 1], padding=padding,
        dilations=[1, rate, rate, 1], name=name or "atrous_conv2d_transpose",
    )  # fmt: skip


# --- gradients of depthwise convolutions -----------------------------------------------------------------------------
def _grouped(w: Any) -> Any:
    """A depthwise filter as the grouped filter that convolves the same way."""
    size = ops.shape(w)
    return ops.reshape(w, ops.stack([size[0], size[1], 1, size[2] * size[3]]))


def _both(value: Any) -> list[int]:
    found = [1, 1] if value is None else [int(v) for v in np.ravel(np.asarray(value))]
    return [1, *(found * 2 if len(found) == 1 else found), 1] if len(found) < 4 else found


def depthwise_conv2d_backprop_input(
    input_sizes: Any, filter: TensorLike, out_backprop: TensorLike, strides: Any, padding: Any,
    data_format: str = "NHWC", dilations: Any = None, name: str | None = None,
) -> Any:  # fmt: skip
    """The gradient of `depthwise_conv2d` by its input, of shape `input_sizes`.

    >>> import graphrt as tf
    >>> g = tf.ones([1, 3, 3, 2])
    >>> tf.nn.depthwise_conv2d_backprop_input([1, 3, 3, 2], tf.ones([2, 2, 2, 1]), g, [1] * 4, "SAME").shape
    TensorShape([1, 3, 3, 2])
    """
    return ops.Conv2DBackpropInput(
        ops.cast(as_tensor(input_sizes), int32), _grouped(as_tensor(filter)), out_backprop, strides=strides,
        padding=padding, data_format=data_format, dilations=_both(dilations), name=name,
    )  # fmt: skip


def depthwise_conv2d_backprop_filter(
    input: TensorLike, filter_sizes: Any, out_backprop: TensorLike, strides: Any, padding: Any,
    data_format: str = "NHWC", dilations: Any = None, name: str | None = None,
) -> Any:  # fmt: skip
    """The gradient of `depthwise_conv2d` by its filter, of shape `filter_sizes`.

    >>> import graphrt as tf
    >>> x = tf.ones([1, 3, 3, 2])
    >>> tf.nn.depthwise_conv2d_backprop_filter(x, [2, 2, 2, 1], tf.ones([1, 3, 3, 2]), [1] * 4, "SAME").shape
    TensorShape([2, 2, 2, 1])
    """
    sizes = ops.cast(as_tensor(filter_sizes), int32)
    wide = ops.stack([sizes[0], sizes[1], 1, sizes[2] * sizes[3]])
    found = ops.Conv2DBackpropFilter(
        input, wide, out_backprop, strides=strides, padding=padding, data_format=data_format,
        dilations=_both(dilations), name=name,
    )  # fmt: skip
    return ops.reshape(found, sizes)
