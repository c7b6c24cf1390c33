"""Products, convolutions, pooling, normalization, images. Channels stand before places in ONNX, and behind them here."""

# names of another format: those of ONNX's ops

from __future__ import annotations

import math
from typing import Any

import numpy as np

from graphrt.export.onnx.reader import Reading, Use
from graphrt.export.onnx.readings.arrays import shape64, whole
from graphrt.export.onnx.readings.elementwise import number, vector
from graphrt.ops.array.concat_split import Pack
from graphrt.ops.array.creation import OnesLike
from graphrt.ops.array.gather_scatter import GatherV2
from graphrt.ops.array.padding import PadV2
from graphrt.ops.array.shape import ExpandDims, Reshape, Squeeze, Transpose
from graphrt.ops.array.slicing import Slice
from graphrt.ops.linalg.decompositions import MatrixDeterminant
from graphrt.ops.linalg.einsum import Einsum
from graphrt.ops.linalg.matmul import MatMul, matmul
from graphrt.ops.math.casting import cast
from graphrt.ops.math.elementwise import Rsqrt, Square
from graphrt.ops.math.reduction import Max, Mean, Sum
from graphrt.ops.nn.activations import LogSoftmax, Softmax
from graphrt.ops.nn.convolution import Conv2D, Conv2DBackpropInput
from graphrt.ops.nn.convolution_3d import Conv3D
from graphrt.ops.nn.depth_to_space import DepthToSpace, SpaceToDepth
from graphrt.ops.nn.depthwise import DepthwiseConv2dNative
from graphrt.ops.nn.local_response_normalization import LRN
from graphrt.ops.nn.pooling import AvgPool, MaxPool
from graphrt.ops.nn.pooling_3d import AvgPool3D, MaxPool3D
from graphrt.tensor.func_graph import Const
from graphrt.tensor.tensor import Tensor
from graphrt.types.dtype import float32, int32


def to_back(x: Tensor, rank: int) -> Tensor:
    """Channels, which stand second, as the last dimension."""
    return Transpose(x, np.asarray([0, *range(2, rank), 1], np.int32))


def to_front(x: Tensor, rank: int) -> Tensor:
    """Channels, which stand last, as the second dimension."""
    return Transpose(x, np.asarray([0, rank - 1, *range(1, rank - 1)], np.int32))


def _along(x: Tensor, rank: int) -> Tensor:
    """A number for each channel, as long as the channels stand second."""
    return Reshape(x, whole([1, -1] + [1] * (rank - 2)))


# --- products --------------------------------------------------------------------------------------------------------
def _matmul(c: Use) -> Tensor:
    x, y = c[0], c[1]
    if c.rank(0) == 1 and c.rank(1) == 1:
        return Sum(x * y, vector([0]), keep_dims=False)
    if c.rank(0) == 1:
        return Squeeze(matmul(ExpandDims(x, np.int32(0)), y), squeeze_dims=[-2])
    if c.rank(1) == 1:
        return Squeeze(matmul(x, ExpandDims(y, np.int32(1))), squeeze_dims=[-1])
    return matmul(x, y)


def _gemm(c: Use) -> Tensor:
    product = MatMul(c[0], c[1], transpose_a=bool(c.whole("transA", 0)), transpose_b=bool(c.whole("transB", 0)))
    alpha, beta = c.number("alpha", 1.0), c.number("beta", 1.0)
    if alpha != 1.0:
        product = product * number(c, alpha)
    if c.given(2) is None:
        return product
    return product + (c[2] if beta == 1.0 else c[2] * number(c, beta))


# --- windows ---------------------------------------------------------------------------------------------------------
class _Window:
    """The window of a convolution or pooling: its sizes, steps and paddings, along places."""

    def __init__(self, c: Use, sizes: list[int]) -> None:
        self.rank = c.rank()
        self.places = self.rank - 2
        if self.places not in (1, 2, 3) or len(sizes) != self.places:
            raise ValueError(f"a window of {len(sizes)} sizes over a tensor of rank {self.rank}")
        self.sizes = sizes
        self.strides = c.ints("strides", [1] * self.places)
        self.dilations = c.ints("dilations", [1] * self.places)
        self.padding = "VALID"  # what the op itself adds: all is added before, unless sizes are not known
        self.pads = self._pads(c)
        self.told = self.pads  # without what makes the last windows whole
        if c.whole("ceil_mode", 0):
            self.pads = self._whole_windows(c)

    def _pads(self, c: Use) -> list[tuple[int, int]]:
        kind = c.text("auto_pad", "NOTSET")
        if kind == "VALID":
            return [(0, 0)] * self.places
        if kind == "NOTSET":
            given = c.ints("pads", [0] * 2 * self.places)
            return list(zip(given[: self.places], given[self.places :]))
        found = []
        for size, stride, dilation, own in zip(self.sizes, self.strides, self.dilations, c.dims()[2:]):
            reach = dilation * (size - 1) + 1
            if own is None and stride != 1:
                if kind != "SAME_UPPER":
                    raise ValueError("padding by itself at the front needs sizes that are known")
                self.padding = "SAME"
                return [(0, 0)] * self.places
            total = max((-(-(own or 0) // stride) - 1) * stride + reach - (own or 0), 0) if stride != 1 else reach - 1
            small = total // 2
            found.append((small, total - small) if kind == "SAME_UPPER" else (total - small, small))
        return found

    def _whole_windows(self, c: Use) -> list[tuple[int, int]]:
        found = []
        for (before, after), size, stride, dilation, own in zip(
            self.pads, self.sizes, self.strides, self.dilations, c.dims()[2:]
        ):
            if own is None:
                raise ValueError("ceil_mode needs sizes that are known")
            room = own + before + after - (dilation * (size - 1) + 1)
            steps = -(-room // stride)
            if steps * stride >= own + before:  # a window that begins in the padding is none
                steps -= 1
            found.append((before, after + max(steps * stride - room, 0)))
        return found

    @property
    def is_padded(self) -> bool:
        return any(before or after for before, after in self.pads)

    def padded(self, x: Tensor, value: Tensor) -> Tensor:
        """`x`, channels at the back, with its paddings."""
        if not self.is_padded:
            return x
        return PadV2(x, whole([(0, 0), *self.pads, (0, 0)]), value)

    def around(self, numbers: list[int]) -> list[int]:
        """A number for each axis, channels at the back."""
        return [1, *numbers, 1]


def _convolution(c: Use) -> Tensor:
    if c.dims(1)[2:].count(None):
        raise ValueError("the shape of its filter must be known")
    window = _Window(c, [int(d or 0) for d in c.dims(1)[2:]])
    group = c.whole("group", 1)
    places, rank = window.places, window.rank
    x = window.padded(to_back(c[0], rank), number(c, 0))
    weights = Transpose(c[1], np.asarray([*range(2, rank), 1, 0], np.int32))
    strides, dilations = list(window.strides), list(window.dilations)
    if places == 1:
        x, weights = ExpandDims(x, np.int32(1)), ExpandDims(weights, np.int32(0))
        strides, dilations = [1, *strides], [1, *dilations]
    found = _convolved(c, x, weights, strides, dilations, group, window.padding)
    if places == 1:
        found = Squeeze(found, squeeze_dims=[1])
    found = to_front(found, rank)
    return found + _along(c[2], rank) if c.given(2) is not None else found


def _convolved(
    c: Use, x: Tensor, w: Tensor, strides: list[int], dilations: list[int], group: int, padding: str
) -> Tensor:
    options: dict[str, Any] = {"strides": [1, *strides, 1], "padding": padding, "dilations": [1, *dilations, 1]}
    if len(strides) == 2:
        inside = w.shape[2]
        if group > 1 and inside == 1 and x.shape[-1] == group:  # each channel by itself
            high, wide, _, outside = w.shape.as_list()
            filters = Reshape(w, whole([high, wide, group, (outside or 0) // group]))
            if strides[0] == strides[1]:
                return DepthwiseConv2dNative(x, filters, **options)
        return Conv2D(x, w, **options)
    if group != 1:
        raise ValueError("groups of a convolution over volumes")
    return Conv3D(x, w, **options)


def _transposed(c: Use) -> Tensor:
    window = _Window(c, [int(d or 0) for d in c.dims(1)[2:]])
    if (
        window.places != 2
        or c.whole("group", 1) != 1
        or c.has("output_shape")
        or c.text("auto_pad", "NOTSET") != "NOTSET"
    ):
        raise ValueError("only a transposed convolution of images, in one group, with its paddings told, can be read")
    extra = c.ints("output_padding", [0, 0])
    shape = shape64(c[0])
    sizes = []
    for i in range(2):
        reach = window.dilations[i] * (window.sizes[i] - 1) + 1
        sizes.append((shape[2 + i] - whole(1)) * whole(window.strides[i]) + whole(reach))
    weights = Transpose(c[1], vector([2, 3, 1, 0]))
    target = cast(Pack([shape[0], *sizes, whole(int(c.dims(1)[1] or 0))]), int32)
    whole_image = Conv2DBackpropInput(
        target, weights, to_back(c[0], 4), strides=window.around(window.strides), padding="VALID",
        dilations=window.around(window.dilations),
    )  # fmt: skip
    grown = PadV2(whole_image, whole([(0, 0), (0, extra[0]), (0, extra[1]), (0, 0)]), number(c, 0))
    begin = whole([0, window.pads[0][0], window.pads[1][0], 0])
    less = whole([0, sum(window.pads[0]), sum(window.pads[1]), 0])
    found = to_front(Slice(grown, begin, shape64(grown) - less), 4)
    return found + _along(c[2], 4) if c.given(2) is not None else found


def _pooled(c: Use, is_max: bool) -> Tensor:
    window = _Window(c, c.ints("kernel_shape"))
    if any(d != 1 for d in window.dilations):
        raise ValueError("pooling with dilations cannot be read")
    x = to_back(c[0], window.rank)
    low = number(c, -math.inf if c.dtype.is_floating else float(c.dtype.min)) if is_max else number(c, 0)
    padded = window.padded(x, low)
    found = _pool(padded, window, is_max)
    with_padding = bool(c.whole("count_include_pad", 0))
    if with_padding and window.padding == "SAME" and not is_max:
        raise ValueError("a mean that counts a padding of its own needs sizes that are known")
    if not is_max and window.is_padded and not (with_padding and window.told == window.pads):
        ones = OnesLike(x)
        if with_padding:  # but not what makes the last windows whole
            ones = PadV2(ones, whole([(0, 0), *window.told, (0, 0)]), number(c, 1))
            beyond = [(0, all_of[1] - told[1]) for all_of, told in zip(window.pads, window.told)]
            ones = PadV2(ones, whole([(0, 0), *beyond, (0, 0)]), number(c, 0))
        else:
            ones = window.padded(ones, number(c, 0))
        found = found / _pool(ones, window, False)
    return to_front(found, window.rank)


def _pool(x: Tensor, window: _Window, is_max: bool) -> Tensor:
    sizes, strides = window.sizes, window.strides
    if window.places == 1:
        x, sizes, strides = ExpandDims(x, np.int32(1)), [1, *sizes], [1, *strides]
    options: dict[str, Any] = {"ksize": [1, *sizes, 1], "strides": [1, *strides, 1], "padding": window.padding}
    if len(sizes) == 2:
        found = MaxPool(x, **options) if is_max else AvgPool(x, **options)
    else:
        found = MaxPool3D(x, **options) if is_max else AvgPool3D(x, **options)
    return Squeeze(found, squeeze_dims=[1]) if window.places == 1 else found


def _max_pool(c: Use) -> Tensor:
    return _pooled(c, True)


def _average_pool(c: Use) -> Tensor:
    return _pooled(c, False)


def _global(op: Any) -> Reading:
    return lambda c: op()(c[0], np.arange(2, c.rank(), dtype=np.int32), keep_dims=True)


# --- normalization ---------------------------------------------------------------------------------------------------
def _batch_norm(c: Use) -> Tensor:
    if c.whole("training_mode", 0):
        raise ValueError("a batch norm that is being trained")
    scale, offset, mean, variance = (c[i] for i in range(1, 5))
    times = scale * Rsqrt(variance + number(c, c.number("epsilon", 1e-5)))
    return c[0] * _along(times, c.rank()) + _along(offset - mean * times, c.rank())


def _normalized(x: Tensor, axes: Any, epsilon: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    mean = Mean(x, axes, keep_dims=True)
    away = x - mean
    inverse = Rsqrt(Mean(Square(away), axes, keep_dims=True) + epsilon)
    return away * inverse, mean, inverse


def _instance_norm(c: Use) -> Tensor:
    rank = c.rank()
    found, _, _ = _normalized(c[0], np.arange(2, rank, dtype=np.int32), number(c, c.number("epsilon", 1e-5)))
    return found * _along(c[1], rank) + _along(c[2], rank)


def _layer_norm(c: Use) -> list[Tensor]:
    rank = c.rank()
    axis = c.whole("axis", -1)
    axes = np.arange(axis + rank if axis < 0 else axis, rank, dtype=np.int32)
    x = cast(c[0], float32) if c.dtype.size < 4 else c[0]
    epsilon = np.asarray(c.number("epsilon", 1e-5), x.dtype.as_numpy_dtype)
    found, mean, inverse = _normalized(x, axes, Const(value=epsilon, dtype=x.dtype))
    found = cast(found, c.dtype) * c[1]
    return [found + c[2] if c.given(2) is not None else found, mean, inverse]


def _local_response(c: Use) -> Tensor:
    size = c.whole("size")
    alpha = c.number("alpha", 1e-4) / size
    found = LRN(
        to_back(c[0], 4), depth_radius=size // 2, alpha=alpha, beta=c.number("beta", 0.75), bias=c.number("bias", 1.0)
    )
    return to_front(found, 4)


def _softmax(op: Any) -> Reading:
    def rule(c: Use) -> Tensor:
        rank, axis = c.rank(), c.whole("axis", -1)
        axis = axis + rank if axis < 0 else axis
        if axis == rank - 1:
            return op()(c[0])
        order = [i for i in range(rank) if i != axis] + [axis]
        back = np.argsort(order).astype(np.int32)
        return Transpose(op()(Transpose(c[0], np.asarray(order, np.int32))), back)

    return rule


# --- images ----------------------------------------------------------------------------------------------------------
def _depth_to_space(c: Use) -> Tensor:
    x, size = to_back(c[0], 4), c.whole("blocksize")
    kind = c.text("mode", "DCR")
    if kind not in ("CRD", "DCR"):
        raise ValueError(f"the mode {kind!r}")
    if kind == "CRD":  # the channels that become places stand together
        depth = c.dims()[1]
        if depth is None or size < 1 or depth % (size * size):
            raise ValueError(f"{depth} channels cannot become blocks of {size}")
        order = np.arange(depth).reshape(-1, size * size).T.ravel()
        x = GatherV2(x, vector([int(i) for i in order]), np.int32(3))
    return to_front(DepthToSpace(x, block_size=size), 4)


def _space_to_depth(c: Use) -> Tensor:
    return to_front(SpaceToDepth(to_back(c[0], 4), block_size=c.whole("blocksize")), 4)


READINGS: dict[str, Reading] = {
    "AveragePool": _average_pool,
    "BatchNormalization": _batch_norm,
    "Conv": _convolution,
    "ConvTranspose": _transposed,
    "DepthToSpace": _depth_to_space,
    "Det": lambda c: MatrixDeterminant(c[0]),
    "Einsum": lambda c: Einsum([c[i] for i in range(len(c.inputs))], equation=c.text("equation", "")),
    "Gemm": _gemm,
    "GlobalAveragePool": _global(lambda: Mean),
    "GlobalMaxPool": _global(lambda: Max),
    "InstanceNormalization": _instance_norm,
    "LRN": _local_response,
    "LayerNormalization": _layer_norm,
    "LogSoftmax": _softmax(lambda: LogSoftmax),
    "MatMul": _matmul,
    "MaxPool": _max_pool,
    "Softmax": _softmax(lambda: Softmax),
    "SpaceToDepth": _space_to_depth,
}
