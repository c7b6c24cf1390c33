"""What belongs together on a page does: sampled expressions of six functions, their nodes, their converted text, and the
lines of the program. Covers: graphrt/viewing/story.py.
"""

import ast

import pytest

import graphrt as tf
from graphrt.errors import Place, user_place
from graphrt.viewing.places import Places
from tests.graphrt.viewing.real_functions import CASES, operation, sampled

# What the last step of an expression may become. Written down by hand, so that it does not follow what the page says.
BECOMES = {
    "Add": {"AddV2", "Add"}, "Sub": {"Sub"}, "Mult": {"Mul"}, "Div": {"RealDiv", "TrueDiv", "Div"}, "FloorDiv": {"FloorDiv"},
    "Mod": {"FloorMod"}, "Pow": {"Pow", "Square"}, "USub": {"Neg"}, "Lt": {"Less"}, "Gt": {"Greater"},
    "Subscript": {"StridedSlice", "_StridedSlice"}, "stack": {"Pack", "TensorListStack"}, "range": {"Range", "While", "StatelessWhile"},
    "exp": {"Exp"}, "shape": {"Shape", "Const"}, "cast": {"Cast"}, "zeros_like": {"ZerosLike", "Const"},
    "constant": {"Const"}, "zeros": {"Fill", "Const", "Pack"}, "TensorArray": {"TensorListReserve"}, "sigmoid": {"Sigmoid"},
    "tanh": {"Tanh"}, "matmul": {"MatMul", "BatchMatMulV2"}, "write": {"TensorListSetItem"}, "transpose": {"Transpose"},
    "reshape": {"Reshape"}, "top_k": {"TopKV2"}, "minimum": {"Minimum"}, "size": {"Size", "Const"}, "gather": {"GatherV2"},
    "concat": {"ConcatV2"}, "softmax": {"Softmax"}, "log": {"Log"}, "reduce_sum": {"Sum"}, "reduce_mean": {"Mean"},
    "sqrt": {"Sqrt"}, "sum": {"Sum"}, "argmin": {"ArgMin"}, "equal": {"Equal"}, "arange": {"Range", "Const"},
    "astype": {"Cast"}, "maximum": {"Maximum"}, "gradient": {"Mul", "Neg", "RealDiv", "MatMul"},
}  # fmt: skip


def story_of(name):
    function, args = CASES[name]
    return tf.view(tf.function(function), *args, path=None).story.as_json()


@pytest.mark.parametrize("name", CASES)
def test_expressions_belong_to_nodes_converted_text_and_program(name):
    story = story_of(name)
    nodes = {fact["id"]: fact for stage in story["stages"] for fact in stage["set"]}
    places = sampled(story)
    assert len(places) >= min(30, len(places)) and len(places) >= 12
    for key, text in places.items():
        made = [fact for stage in story["stages"] for fact in stage["set"] if fact["at"] == key]
        what = operation(text)
        if what in BECOMES:
            assert {fact["op"] for fact in made} & BECOMES[what], (text, made)
        assert all(fact["line"] == f"{story['spans'][key][0]}:{story['spans'][key][1]}" for fact in made)
    whole = [part for part in story["converted"]["parts"] if part[3] in places]
    for line, first, last, key in whole:
        piece = story["converted"]["lines"][line - 1][first:last]
        assert wanted(places[key]) in piece.replace(" ", ""), (places[key], piece)
    file = 0  # of the function itself, whose converted text is shown
    shown = {part[3] for part in whole}
    block = story["blocks"][0]
    inside = [k for k in places if story["spans"][k][0] == file
              and block["first"] <= story["spans"][k][1] < block["first"] + len(block["lines"])]  # fmt: skip
    assert len(shown & set(inside)) >= 0.9 * len(inside)
    for node in story["text"]["nodes"]:
        assert node is None or node in nodes


def wanted(text):
    """A word of an expression that stands in its converted text, too."""
    node = ast.parse(text.strip())
    names = [n.attr for n in ast.walk(node) if isinstance(n, ast.Attribute)]
    names += [n.id for n in ast.walk(node) if isinstance(n, ast.Name)]
    return names[0] if names else text.strip()


def test_columns_are_those_of_the_file():
    place = user_place(1)
    span = (place[1], 12, place[1], 25)
    assert place == (__file__, place[1]) and place.span() == span
    assert Place(("none.py", 3)).span() is None


def test_expressions_are_numbered_once():
    def here():
        return user_place(1)

    places = Places([])
    first, second = [here() for _ in range(2)]
    assert places.span(first) == places.span(second) == 0 and places.line(first) == f"0:{first[1]}"
    assert places.span(("demo.py", 3)) is None and places.span(None) is None and len(places.spans) == 1


def test_columns_count_characters():
    def f(x):
        return "é" and tf.exp(x)  # fmt: skip

    story = tf.view(f, tf.constant(1.0), path=None).story.as_json()
    assert "tf.exp(x)" in sampled(story).values()


def test_sources_that_cannot_be_read_have_no_functions():
    scope = {"tf": tf}
    exec(compile("def f(x):\n    return tf.exp(x)\n", "<somewhere>", "exec"), scope)
    story = tf.view(scope["f"], tf.constant(1.0), path=None).story.as_json()
    assert story["blocks"] == [] and story["notes"] == []
