"""Element-wise ops, reductions, casts, random numbers and conversions give what was recorded from TensorFlow.

`ops_a_differences.json` lists the expressions for which they do not, with the reason and what they give instead.
"""

import json
import pathlib

import numpy as np
import pytest

import graphrt as tf
from graphrt.ir.op import ops

GOLDEN = pathlib.Path(__file__).parents[2] / "golden"
DATA = json.loads((GOLDEN / "ops_a.json").read_text())
DIFFERENCES = json.loads((GOLDEN / "ops_a_differences.json").read_text())
TOLERANCE = {"float16": (4e-3, 2e-3), "float32": (3e-5, 3e-6), "complex64": (3e-5, 3e-6)}


class raw_ops:
    """The two raw ops that the expressions name."""

    @staticmethod
    def PopulationCount(x):
        return ops.PopulationCount(x)

    @staticmethod
    def StatelessRandomGetKeyCounter(seed):
        class Result:
            key, counter = ops.StatelessRandomGetKeyCounter(seed)

        return Result


class Namespace:
    """graphrt under the name `tf`, with `raw_ops`."""

    raw_ops = raw_ops

    def __getattr__(self, name):
        return getattr(tf, name)


def array_of(recorded):
    dtype, value, shape = recorded["dtype"], recorded["value"], recorded["shape"]
    if dtype == "string":
        found = np.empty(len(value), object)
        found[:] = [v.encode("latin-1") for v in value]
        return found.reshape(shape)
    if dtype.startswith("complex"):
        return np.array([complex(*v) for v in value], dtype).reshape(shape)
    return np.array(value, dtype).reshape(shape)


def outcome(text):
    """What `text` gives on graphrt: a tensor, a Python value, or the names of the classes of the error."""
    try:
        return eval(text, {"tf": Namespace(), "np": np, "abs": abs})
    except Exception as error:
        return [c.__name__ for c in type(error).__mro__]


def difference(text, recorded):
    """What is different from the record, in words that do not depend on the machine, or None."""
    found = outcome(text)
    if isinstance(found, list) and found and found[-1] == "object":
        if recorded["kind"] != "error":
            return f"raises {found[0]}"
        return None if recorded["classes"][0] in found else f"raises {found[0]}"
    if recorded["kind"] == "error":
        return "gives a value"
    if recorded["kind"] == "python":
        return None if repr(found) == recorded["value"] else "another value"
    if not isinstance(found, tf.Tensor):
        return f"a {type(found).__name__}"
    if found.dtype.name != recorded["dtype"]:
        return f"dtype {found.dtype.name}"
    if found.shape.as_list() != recorded["shape"]:
        return f"shape {found.shape.as_list()}"
    wanted, array = array_of(recorded), np.asarray(found)
    if wanted.dtype == object:
        return None if array.tolist() == wanted.tolist() else "another value"
    relative, absolute = TOLERANCE.get(recorded["dtype"], (1e-9, 1e-9))
    return None if np.allclose(array, wanted, relative, absolute, equal_nan=True) else "another value"


def group_of(text):
    return text.removeprefix("[").split("(")[0].split("[")[0]


GROUPS = sorted({group_of(text) for text in DATA["eager"]})


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("group", GROUPS)
def test_eager(group):
    wrong = []
    for text, recorded in DATA["eager"].items():
        if group_of(text) == group:
            found = difference(text, recorded)
            expected = DIFFERENCES["eager"].get(text, [None])[0]
            if found != expected:
                wrong.append(f"{text}: {found} (expected difference: {expected}); recorded {recorded}")
    assert not wrong, "\n".join(wrong[:20])


def test_every_difference_names_a_recorded_expression():
    assert set(DIFFERENCES["eager"]) <= set(DATA["eager"])
    assert all(reason for _, reason in DIFFERENCES["eager"].values())


def specs_of(text):
    found = []
    for part in filter(None, text.split(";")):
        name, _, rest = part.partition(":")
        kind, _, dims = rest.partition("[")
        dims = dims.rstrip("]")
        shape = None if dims == "?" else [None if d == "None" else int(d) for d in dims.split(",") if d]
        found.append((name, tf.TensorSpec(shape, getattr(tf, kind), name=name)))
    return found


def traced(text, specs):
    named = specs_of(specs)
    tf.random.set_seed(None)  # as when nobody chose one
    function = eval(f"lambda {', '.join(n for n, _ in named)}: {text}", {"tf": tf, "np": np})
    return tf.function(function, autograph=False).get_concrete_function(*(s for _, s in named)).graph


@pytest.mark.parametrize(
    ("text", "specs", "recorded"), DATA["traced"], ids=[f"{text} | {specs}" for text, specs, _ in DATA["traced"]]
)
def test_traced(text, specs, recorded):
    expected = DIFFERENCES["traced"].get(f"{text} | {specs}", [None])[0]
    assert traced_difference(text, specs, recorded) == expected


def traced_difference(text, specs, recorded):
    try:
        graph = traced(text, specs)
    except Exception as error:
        classes = [c.__name__ for c in type(error).__mro__]
        return None if recorded["kind"] == "error" and recorded["classes"][0] in classes else f"raises {classes[0]}"
    if recorded["kind"] == "error":
        return "is accepted"
    out = graph.outputs[0]
    dims = None if out.dims is None else list(out.dims)
    if (out.dtype.name, dims) != (recorded["dtype"], recorded["shape"]):
        return f"type {out.dtype.name} {dims}"
    nodes = [(n["name"], n["op"], n["inputs"]) for n in recorded["nodes"]]
    ours = [o for o in graph.get_operations() if o.type != "Placeholder"]
    if [(o.name, o.type, [t.name for t in o.inputs]) for o in ours] != nodes:
        return "other nodes"
    for operation, node in zip(ours, recorded["nodes"]):
        for key in ("keep_dims", "exclusive", "reverse", "incompatible_shape_error", "seed", "seed2"):
            if key in node and operation.node.attrs.get(key) != node[key]:
                return f"{operation.name}.{key}"
        if operation.type == "Const":
            array = np.asarray(operation.node.attrs["value"])
            name = "string" if array.dtype == object else array.dtype.name
            if (name, list(array.shape)) != (node["value"]["dtype"], node["value"]["shape"]):
                return f"{operation.name}.value"
    return None
