"""Random ops that draw anew at each call. The numbers are other ones than here, of the same distribution.

Those that draw the same numbers from the same seed (`tf.random.stateless_*`) have no counterpart.
"""

# names of another format: those of ONNX's ops

from __future__ import annotations

from graphrt.export.onnx.builder import Attribute, Ref
from graphrt.export.onnx.lowering import Rule, Use
from graphrt.types.dtype import DType, float32, float64, int64


def _seed(c: Use) -> dict[str, Attribute]:
    seeds = c.node.attrs.get("seed", 0), c.node.attrs.get("seed2", 0)
    return {} if seeds == (0, 0) else {"seed": float((seeds[0] * 1_000_003 + seeds[1]) % (1 << 24))}


def _drawn(c: Use, op: str, shape: Ref, dtype: DType) -> Ref:
    """Numbers of a shape (int64), of float32 or float64."""
    from graphrt.export.onnx.schema import NUMBERS  # lazy: protobuf

    wide = dtype if dtype in (float32, float64) else float32
    options: dict[str, Attribute] = {"dtype": NUMBERS[wide], **_seed(c)}
    known = c.graph.known(shape)
    if known is not None:
        options["shape"] = [int(d) for d in known]
        found = c.graph.emit_all(op, [], [wide], c.node.name, options)
    else:
        zeros = c.emit("Expand", c.graph.constant(0.0, float32), shape)
        found = c.graph.emit_all(f"{op}Like", [zeros], [wide], c.node.name, options)
    return c.cast(found[0], dtype)


def _plain(op: str) -> Rule:
    return lambda c: _drawn(c, op, c.int64(0), c.dtype())


def _whole_numbers(c: Use) -> Ref:
    low, high = c.cast(c[1], float64), c.cast(c[2], float64)
    places = c.emit("Mul", _drawn(c, "RandomUniform", c.int64(0), float64), c.emit("Sub", high, low))
    return c.cast(c.emit("Add", c.emit("Floor", places), low), c.dtype())


def _shuffled(c: Use) -> Ref:
    count = c.emit("Slice", c.shape(c[0]), c.ints([0]), c.ints([1]))
    keys = _drawn(c, "RandomUniform", count, float32)
    order = c.emit_all("TopK", [keys, count], [float32, int64], axis=0)[1]
    return c.emit("Gather", c[0], order, axis=0)


def _categories(c: Use) -> Ref:
    from graphrt.export.onnx.schema import NUMBERS  # lazy: protobuf

    count = int(c.constant(1, "the number of samples"))
    options: dict[str, Attribute] = {"sample_size": count, "dtype": NUMBERS[c.dtype()], **_seed(c)}
    return c.graph.emit_all("Multinomial", [c.cast(c[0], float32)], [c.dtype()], c.node.name, options)[0]


# names: the ops of this family
RULES: dict[str, Rule] = {
    "Multinomial": _categories,
    "RandomShuffle": _shuffled,
    "RandomStandardNormal": _plain("RandomNormal"),
    "RandomUniform": _plain("RandomUniform"),
    "RandomUniformInt": _whole_numbers,
}
