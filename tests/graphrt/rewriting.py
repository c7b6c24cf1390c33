"""Golden cases of rewrites: text files of `[case name]`, `[in]` and `[out]` parts, and comparison of two graphs by running them.

`GRAPHRT_UPDATE_GOLDEN=1 pytest ...` rewrites the `[out]` parts; review the difference like code.
"""

import os
import re

import numpy as np

from graphrt.executor import compile_graph
from graphrt.tensor.context import building
from graphrt.tensor.func_graph import FuncGraph
from graphrt.tensor.trace import trace_into
from graphrt.types.dtype import as_dtype

UPDATE = os.environ.get("GRAPHRT_UPDATE_GOLDEN") == "1"
_CASE = re.compile(r"^\[case (\w+)\]\n\[in\]\n(.*?)^\[out\]\n(.*?)(?=^\[case |\Z)", re.MULTILINE | re.DOTALL)


def cases(path):
    """The `(name, input, output)` triples of a file."""
    text = path.read_text()
    found = [(m[1], m[2].strip("\n") + "\n", m[3].strip("\n") + "\n") for m in _CASE.finditer(text)]
    assert len(found) == text.count("[case "), f"{path.name} is malformed"
    return found


def expect(path, name, found):
    """Compares `found` with the output of case `name`, or rewrites it."""
    found = found.strip("\n") + "\n"
    table = {case: (given, wanted) for case, given, wanted in cases(path)}
    if UPDATE:
        table[name] = table[name][0], found
        parts = [
            f"[case {case}]\n[in]\n{given}[out]\n{wanted.lstrip(chr(10))}" for case, (given, wanted) in table.items()
        ]
        path.write_text("\n".join(parts))
        return
    assert table[name][1] == found


def inputs_for(graph, seed, length=3):
    """Raw values for the inputs of `graph`: unknown dimensions are `length`, unknown ranks 1."""
    random = np.random.default_rng(seed)
    values = []
    for value in graph.inputs:
        dims = (length,) if value.dims is None else tuple(length if d is None else d for d in value.dims)
        kind = value.dtype.as_numpy_dtype
        if value.dtype.kind == "b":
            array = random.integers(0, 2, dims).astype(kind)
        elif value.dtype.kind in "iu":
            array = random.integers(0 if value.dtype.kind == "u" else -4, 5, dims).astype(kind)
        else:
            special = random.choice([0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.5], dims)
            array = np.where(random.random(dims) < 0.3, special, random.normal(size=dims)).astype(kind)
        values.append(array if array.ndim else array[()])
    return values


def outcome(graph, inputs):
    """What running `graph` gives, as something that compares to the last bit."""
    before = [np.array(v) for v in inputs]
    try:
        results = compile_graph(graph)(*inputs)
    except Exception as error:
        return type(error).__name__
    for old, new in zip(before, inputs):
        assert old.tobytes() == np.asarray(new).tobytes(), "an input was written to"
    found = []
    for value, result in zip(graph.outputs, results):
        array = np.asarray(result)
        assert array.dtype == value.dtype.as_numpy_dtype, value
        found.append((str(array.dtype), array.shape, array.tolist() if array.dtype == object else array.tobytes()))
    return found


def traced(function, *specs, name="f"):
    """`function` traced on placeholders of `specs`, `(dtype, dims)` pairs."""
    graph = FuncGraph(name)
    with building(graph):
        arguments = [graph.placeholder(as_dtype(t), d, f"x{i}") for i, (t, d) in enumerate(specs)]
    return trace_into(graph, function, arguments)
