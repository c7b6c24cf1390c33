"""Files that TensorFlow wrote are loaded here, and give its results.

Covers: graphrt/graphdef/raising.py, graphrt/graphdef/expansions.py, graphrt/graphdef/tensor_arrays.py
"""

import base64
import io
import json
import zipfile

import pytest

import graphrt as tf
from graphrt.graphdef import import_graph_def
from tests import GOLDEN
from tests.from_tensorflow.run import run_case

FILES = json.loads((GOLDEN / "from_tensorflow.json").read_text())


@pytest.mark.parametrize("name", FILES)
def test_what_tensorflow_wrote_gives_its_results(name, tmp_path):
    with zipfile.ZipFile(io.BytesIO(base64.b64decode(FILES[name]))) as archive:
        archive.extractall(tmp_path)
    assert [f"{what}: {why}" for what, why in run_case(tmp_path) if why] == []


def graph(*nodes):
    return "\n".join(f"node {{ {n} }}" for n in nodes)


def node(name, op, *inputs, **types):
    attrs = " ".join(f'attr {{ key: "{k}" value {{ {v} }} }}' for k, v in types.items())
    return f'name: "{name}" op: "{op}" ' + " ".join(f'input: "{i}"' for i in inputs) + " " + attrs


FLOAT, BOOL = "type: DT_FLOAT", "type: DT_BOOL"
X = node("x", "Placeholder", dtype=FLOAT, shape="shape {}")
P = node("p", "Placeholder", dtype=BOOL, shape="shape {}")
SWITCH = node("s", "Switch", "x", "p", T=FLOAT)
MERGE = node("m", "Merge", "n", "s:1", T=FLOAT, N="i: 2")


def run(text, **given):
    @tf.function
    def go():
        return tf.graph_util.import_graph_def(text, {f"{k}:0": v for k, v in given.items()}, ["m:0"])[0]

    return go().numpy().item()


def test_a_branch_is_raised():
    text = graph(X, P, SWITCH, node("n", "Neg", "s", T=FLOAT), MERGE)
    assert run(text, x=2.0, p=True) == 2.0
    assert run(text, x=2.0, p=False) == -2.0


ENTER = node("e", "Enter", "x", T=FLOAT, frame_name='s: "f"')
WHOLE = [
    X, ENTER, node("m", "Merge", "e", "next", T=FLOAT, N="i: 2"), node("p", "Placeholder", dtype=BOOL, shape="shape {}"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("nodes", "why"),
    [
        ([X, P, SWITCH, MERGE], "takes 'n', which does not exist"),
        ([X, P, SWITCH, node("n", "Neg", "x", T=FLOAT), MERGE], "joins values that are not of the branches of one condition"),
        ([X, P, SWITCH, node("n", "Neg", "s:1", T=FLOAT), MERGE], "joins values that are not of the branches of one condition"),
        ([X, P, node("s", "Switch", "x", T=FLOAT), node("m", "Neg", "s", T=FLOAT)], "has 1 inputs"),
        ([X, P, SWITCH, node("m", "Neg", "s:2x", T=FLOAT)], "names no output"),
        ([X, P, SWITCH, node("n", "Neg", "s", T=FLOAT), node("m", "Merge", "n", "s:1")], "has no attribute 'T'"),
        ([X, P, node("m", "LoopCond", "p")], "belongs to no branch or loop that is whole"),
        ([X, ENTER, node("m", "Exit", "e", T=FLOAT)], "has 0 conditions"),
        ([X, node("n", "NextIteration", "m", T=FLOAT), node("m", "Neg", "n", T=FLOAT)], "depend on each other in a circle"),
        (
            [X, ENTER, node("i", "Enter", "m", T=FLOAT, frame_name='s: "f"'), node("m", "Merge", "e", "i", T=FLOAT)],
            "not nested as loops are|nested .* deep",
        ),
    ],
)  # fmt: skip
def test_damaged_control_flow_is_refused(nodes, why):
    with pytest.raises(tf.errors.InvalidArgumentError, match=why):
        import_graph_def(graph(*nodes))


def test_arrays_with_missing_inputs_are_refused():
    array = node("a", "TensorArrayV3", "x", dtype=FLOAT)
    with pytest.raises(tf.errors.InvalidArgumentError, match="takes 3 inputs, 1 are given"):
        run(graph(X, array, node("m", "TensorArrayReadV3", "a", dtype=FLOAT)), x=1.0)


def test_what_an_expansion_refuses_names_the_node():
    text = graph(X, node("m", "SparseReduceSum", "x", "x", "x", "x", T=FLOAT))
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"node 'm' \(SparseReduceSum\)"):
        run(text, x=1.0)


def test_effects_of_an_imported_graph_happen():
    made = []

    @tf.function(input_signature=[tf.TensorSpec([])])
    def f(x):
        tf.debugging.assert_less(x, 3.0, message="too much")
        return x * 2.0

    text = f.get_concrete_function().graph.as_graph_def()

    @tf.function
    def again(x):
        made.append(x)
        return tf.graph_util.import_graph_def(text, {"x:0": x}, ["mul:0"])[0]

    assert again(2.0).numpy().item() == 4.0
    with pytest.raises(tf.errors.InvalidArgumentError, match="too much"):
        again(4.0)
