"""Convolutions and pooling: ONNX has channels before places, so they are moved there and back."""

# names of another format: those of ONNX's ops

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from graphrt.export.onnx.builder import Attribute, Ref
from graphrt.export.onnx.lowering import Rule, Use
from graphrt.export.onnx.mappings.joining import FAR
from graphrt.export.onnx.mappings.shapes import transpose


def _first(c: Use) -> bool:
    """Whether channels stand before places already."""
    return str(c.attr("data_format")).startswith("NC")


def channels_first(c: Use, x: Ref, rank: int) -> Ref:
    """`x` with its channels as the second axis."""
    return x if _first(c) else transpose(c, x, [0, rank - 1, *range(1, rank - 1)])


def channels_back(c: Use, x: Ref, rank: int) -> Ref:
    """What `channels_first` undoes."""
    return x if _first(c) else transpose(c, x, [0, *range(2, rank), 1])


def _places(c: Use, values: Sequence[int]) -> list[int]:
    """Of one number for each axis, those of places."""
    return [int(v) for v in (values[2:] if _first(c) else values[1:-1])]


def _sizes(c: Use, index: int) -> list[int | None]:
    dims = c.dims(index)
    return [None] * (c.rank(index) - 2) if dims is None else list(dims[2:] if _first(c) else dims[1:-1])


def _padding(
    c: Use, sizes: Sequence[int | None], window: list[int], strides: list[int], dilations: list[int]
) -> dict[str, Attribute]:
    """The attributes that say how a window is padded; numbers where sizes are known."""
    kind = c.attr("padding")
    if kind == "VALID":
        return {}
    if kind == "EXPLICIT":
        given = c.attr("explicit_paddings")
        pairs = [given[2 * i : 2 * i + 2] for i in range(len(given) // 2)]
        pairs = pairs[2:] if _first(c) else pairs[1:-1]
        return {"pads": [int(p[0]) for p in pairs] + [int(p[1]) for p in pairs]}
    if None in sizes and all(s == 1 for s in strides):
        whole = [d * (k - 1) for k, d in zip(window, dilations)]  # without strides it does not depend on sizes
    elif None in sizes:
        if any(d != 1 for d in dilations):
            c.refuse("padding SAME with strides, dilations and places of unknown number has no counterpart")
        return {"auto_pad": "SAME_UPPER"}
    else:
        whole = [
            max((-(-(n or 0) // s) - 1) * s + d * (k - 1) + 1 - (n or 0), 0)
            for n, k, s, d in zip(sizes, window, strides, dilations)
        ]
    return {"pads": [p // 2 for p in whole] + [p - p // 2 for p in whole]} if any(whole) else {}


# --- convolutions ----------------------------------------------------------------------------------------------------
def _windows(c: Use, index: int) -> list[int]:
    dims = c.dims(index)
    if dims is None or None in dims:
        c.refuse("the shape of its filter must be known")
    return [int(d or 0) for d in dims]


def _convolution(c: Use) -> Ref:
    rank = c.rank()
    shape = _windows(c, 1)
    window, inside = shape[:-2], shape[-2]
    dims = c.dims()
    channels = (None if dims is None else dims[1] if _first(c) else dims[-1]) or inside
    strides, dilations = _places(c, c.attr("strides")), _places(c, c.attr("dilations"))
    places = len(window)
    weights = transpose(c, c[1], [places + 1, places, *range(places)])
    attrs = _padding(c, _sizes(c, 0), window, strides, dilations)
    found = c.graph.emit_all(
        "Conv", [channels_first(c, c[0], rank), weights], [c.dtype()], c.node.name,
        {"strides": strides, "dilations": dilations, "group": channels // inside, "kernel_shape": window, **attrs},
    )  # fmt: skip
    return channels_back(c, found[0], rank)


def _depthwise(c: Use) -> Ref:
    high, wide, inside, times = _windows(c, 1)
    strides, dilations = _places(c, c.attr("strides")), _places(c, c.attr("dilations"))
    weights = c.emit("Reshape", transpose(c, c[1], [2, 3, 0, 1]), c.ints([inside * times, 1, high, wide]))
    value = c.graph.known(c[1])
    if value is not None:
        turned = np.transpose(value, [2, 3, 0, 1]).reshape(inside * times, 1, high, wide)
        weights = c.graph.constant(np.ascontiguousarray(turned), c[1].dtype)
    attrs = _padding(c, _sizes(c, 0), [high, wide], strides, dilations)
    found = c.graph.emit_all(
        "Conv", [channels_first(c, c[0], 4), weights], [c.dtype()], c.node.name,
        {"strides": strides, "dilations": dilations, "group": inside, "kernel_shape": [high, wide], **attrs},
    )  # fmt: skip
    return channels_back(c, found[0], 4)


def _backwards(c: Use) -> Ref:
    """The gradient of a convolution by its input, which is a transposed convolution.

    Computed without padding, and the part that padding had added is cut away.
    """
    rank = c.rank(2)
    shape = _windows(c, 1)
    window = shape[:-2]
    places = len(window)
    strides, dilations = _places(c, c.attr("strides")), _places(c, c.attr("dilations"))
    weights = transpose(c, c[1], [places + 1, places, *range(places)])
    attrs: dict[str, Attribute] = {"strides": strides, "dilations": dilations, "kernel_shape": window}
    whole = c.graph.emit_all("ConvTranspose", [channels_first(c, c[2], rank), weights], [c.dtype()], c.node.name, attrs)
    sizes = c.emit("Slice", c.int64(0), c.ints([2 if _first(c) else 1]), c.ints([FAR if _first(c) else -1]))
    before = _cut_before(c, sizes, window, strides, dilations, rank)
    axes = c.ints(list(range(2, rank)))
    # what lies behind the last window is zero: it is added, and cut where the sizes say
    padded = c.emit(
        "Pad", whole[0], c.ints([0] * rank + [0, 0, *[max(strides) + max(window) * max(dilations)] * places])
    )
    kept = c.emit("Slice", padded, before, c.emit("Add", before, sizes), axes)
    return channels_back(c, kept, rank)


def _cut_before(c: Use, sizes: Ref, window: list[int], strides: list[int], dilations: list[int], rank: int) -> Ref:
    kind = c.attr("padding")
    if kind == "VALID":
        return c.ints([0] * len(window))
    if kind == "EXPLICIT":
        pads = _padding(c, [None] * len(window), window, strides, dilations)["pads"]
        assert isinstance(pads, list)
        return c.ints([int(p) for p in pads[: len(window)]])
    steps = c.ints(strides)
    rows = c.emit("Div", c.emit("Add", sizes, c.ints([s - 1 for s in strides])), steps)
    reach = c.ints([d * (k - 1) + 1 for k, d in zip(window, dilations)])
    spanned = c.emit("Add", c.emit("Mul", c.emit("Sub", rows, c.ints(1)), steps), reach)
    return c.emit("Div", c.emit("Max", c.emit("Sub", spanned, sizes), c.ints(0)), c.ints(2))


# --- pooling ---------------------------------------------------------------------------------------------------------
def _pooling(op: str) -> Rule:
    def rule(c: Use) -> Ref:
        rank = c.rank()
        window, strides = _places(c, c.attr("ksize")), _places(c, c.attr("strides"))
        whole = c.attr("ksize")
        if whole[0] != 1 or whole[1 if _first(c) else -1] != 1:
            c.refuse("a window over examples or channels has no counterpart")
        attrs = _padding(c, _sizes(c, 0), window, strides, [1] * len(window))
        x = channels_first(c, c[0], rank)
        options: dict[str, Attribute] = {"kernel_shape": window, "strides": strides, **attrs}
        found = c.graph.emit_all(op, [x], [c.dtype()], c.node.name, options)[0]
        return channels_back(c, found, rank)

    return rule


# --- blocks ----------------------------------------------------------------------------------------------------------
def _depth_to_space(c: Use) -> Ref:
    x = channels_first(c, c[0], 4)
    return channels_back(c, c.emit("DepthToSpace", x, blocksize=c.attr("block_size"), mode="DCR"), 4)


def _space_to_depth(c: Use) -> Ref:
    x = channels_first(c, c[0], 4)
    return channels_back(c, c.emit("SpaceToDepth", x, blocksize=c.attr("block_size")), 4)


def _space_to_batch(c: Use) -> Ref:
    block = [int(b) for b in c.constant(1, "the block")]
    pads = c.constant(2, "the paddings").tolist()
    rank, places = c.rank(), len(block)
    rest = rank - 1 - places
    flat = [0, *[p[0] for p in pads], *[0] * rest, 0, *[p[1] for p in pads], *[0] * rest]
    x = c.emit("Pad", c[0], c.ints(flat), c.like(c[0], 0), mode="constant") if any(flat) else c[0]
    shape = c.shape(x)
    size = [c.emit("Slice", shape, c.ints([i]), c.ints([i + 1])) for i in range(rank)]
    parts = [size[0]]
    for i, b in enumerate(block):
        parts += [c.emit("Div", size[i + 1], c.ints([b])), c.ints([b])]
    split = c.emit("Reshape", x, c.emit("Concat", *parts, *size[1 + places :], axis=0))
    order = [
        *range(2, 2 * places + 1, 2),
        0,
        *range(1, 2 * places + 1, 2),
        *range(2 * places + 1, 2 * places + 1 + rest),
    ]
    outer = [c.emit("Mul", size[0], c.ints([int(np.prod(block))]))]
    outer += [c.emit("Div", size[i + 1], c.ints([b])) for i, b in enumerate(block)]
    whole = c.emit("Concat", *outer, *size[1 + places :], axis=0)
    return c.emit("Reshape", c.emit("Transpose", split, perm=order), whole)


def _batch_to_space(c: Use) -> Ref:
    block = [int(b) for b in c.constant(1, "the block")]
    crops = c.constant(2, "the crops").tolist()
    rank, places = c.rank(), len(block)
    shape = c.shape(c[0])
    size = [c.emit("Slice", shape, c.ints([i]), c.ints([i + 1])) for i in range(rank)]
    batch = c.emit("Div", size[0], c.ints([int(np.prod(block))]))
    split = c.emit("Reshape", c[0], c.emit("Concat", c.ints(block), batch, *size[1:], axis=0))
    order = [places]
    for i in range(places):
        order += [places + 1 + i, i]
    order += range(2 * places + 1, rank + places)
    whole = [batch, *[c.emit("Mul", size[i + 1], c.ints([b])) for i, b in enumerate(block)], *size[1 + places :]]
    x = c.emit("Reshape", c.emit("Transpose", split, perm=order), c.emit("Concat", *whole, axis=0))
    ends = [-e if e else FAR for _, e in crops]
    if not any(b or e for b, e in crops):
        return x
    return c.emit("Slice", x, c.ints([b for b, _ in crops]), c.ints(ends), c.ints(range(1, places + 1)))


# --- normalization ---------------------------------------------------------------------------------------------------
def _batch_norm(c: Use) -> list[Ref]:
    x, scale, offset, mean, variance = c.inputs
    rank = c.rank()
    axis = 1 if _first(c) else rank - 1
    wide = scale.dtype
    numbers = c.cast(x, wide)
    others = c.ints([i for i in range(rank) if i != axis])
    own_mean, own_variance = mean, variance
    if c.attr("is_training"):
        mean = c.emit("ReduceMean", numbers, others, keepdims=0)
        away = c.emit("Sub", numbers, _along(c, mean, rank, axis))
        variance = c.emit("ReduceMean", _squared(c, away), others, keepdims=0)
        count = c.emit("ReduceProd", c.emit("Gather", c.shape(x), others, axis=0), keepdims=0)
        one = c.ints(1)
        less = c.emit("Max", c.emit("Sub", count, one), one)
        unbiased = c.emit("Mul", variance, c.emit("Div", c.cast(count, wide), c.cast(less, wide)))
        factor = float(c.node.attrs.get("exponential_avg_factor", 1.0))
        own_mean, own_variance = _blend(c, own_mean, mean, factor), _blend(c, own_variance, unbiased, factor)
    root = c.emit("Sqrt", c.emit("Add", variance, c.like(variance, float(np.float32(c.attr("epsilon"))))))
    times = c.emit("Div", scale, root)
    plus = c.emit("Sub", offset, c.emit("Mul", mean, times))
    y = c.emit("Add", c.emit("Mul", numbers, _along(c, times, rank, axis)), _along(c, plus, rank, axis))
    found = [c.cast(y, x.dtype), own_mean, own_variance, mean, variance, c.like(mean, 0)]
    return found[: len(c.node.outputs)]


def _squared(c: Use, x: Ref) -> Ref:
    return c.emit("Mul", x, x)


def _blend(c: Use, old: Ref, new: Ref, factor: float) -> Ref:
    if factor == 1.0:
        return new
    return c.emit("Add", c.emit("Mul", old, c.like(old, 1 - factor)), c.emit("Mul", new, c.like(new, factor)))


def _along(c: Use, x: Ref, rank: int, axis: int) -> Ref:
    return c.emit("Unsqueeze", x, c.ints(range(1, rank - axis))) if axis < rank - 1 else x


def _local_response(c: Use) -> Ref:
    size = 2 * c.attr("depth_radius") + 1
    x = transpose(c, c[0], [0, 3, 1, 2])
    alpha, beta, bias = (float(c.attr(n)) for n in ("alpha", "beta", "bias"))
    found = c.emit("LRN", x, size=size, alpha=alpha * size, beta=beta, bias=bias)
    return transpose(c, found, [0, 2, 3, 1])


# --- images ----------------------------------------------------------------------------------------------------------
def _resize(mode: str) -> Rule:
    """An image made larger or smaller. The target size is a tensor."""

    def rule(c: Use) -> Ref:
        x = transpose(c, c[0], [0, 3, 1, 2])
        if mode != "nearest":
            x = c.cast(x, c.dtype())
        head = c.emit("Slice", c.shape(x), c.ints([0]), c.ints([2]))
        sizes = c.emit("Concat", head, c.int64(1), axis=0)
        how: dict[str, Attribute] = {"mode": mode, **_coordinates(c, mode)}
        nothing = c.graph.constant(np.zeros(0, np.float32))
        found = c.graph.emit_all("Resize", [x, nothing, nothing, sizes], [x.dtype], c.node.name, how)[0]
        return transpose(c, found, [0, 2, 3, 1])

    return rule


def _coordinates(c: Use, mode: str) -> dict[str, Attribute]:
    aligned, centred = c.attr("align_corners"), c.attr("half_pixel_centers")
    if aligned:
        how, nearest = "align_corners", "round_prefer_ceil"
    elif centred:
        how, nearest = "half_pixel", "round_prefer_ceil"
    else:
        how, nearest = "asymmetric", "floor"
    found: dict[str, Attribute] = {"coordinate_transformation_mode": how, "nearest_mode": nearest}
    if mode != "nearest":
        del found["nearest_mode"]
    if mode == "cubic":
        found |= {"cubic_coeff_a": -0.5 if centred else -0.75, "exclude_outside": int(centred)}
    return found


# names: the ops of this family
RULES: dict[str, Rule] = {
    "AvgPool": _pooling("AveragePool"),
    "AvgPool3D": _pooling("AveragePool"),
    "BatchToSpaceND": _batch_to_space,
    "Conv2D": _convolution,
    "Conv2DBackpropInput": _backwards,
    "Conv3D": _convolution,
    "Conv3DBackpropInputV2": _backwards,
    "DepthToSpace": _depth_to_space,
    "DepthwiseConv2dNative": _depthwise,
    "FusedBatchNorm": _batch_norm,
    "FusedBatchNormV2": _batch_norm,
    "FusedBatchNormV3": _batch_norm,
    "LRN": _local_response,
    "MaxPool": _pooling("MaxPool"),
    "MaxPool3D": _pooling("MaxPool"),
    "ResizeBicubic": _resize("cubic"),
    "ResizeBilinear": _resize("linear"),
    "ResizeNearestNeighbor": _resize("nearest"),
    "SpaceToBatchND": _space_to_batch,
    "SpaceToDepth": _space_to_depth,
}
