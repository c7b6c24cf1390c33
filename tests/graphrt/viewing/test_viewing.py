"""Pages, profiles and magics of functions. Covers: graphrt/viewing/page.py, graphrt/viewing/profiling.py,
graphrt/viewing/notebook.py, graphrt/viewing/story.py, graphrt/viewing/recording.py.
"""

import functools
import json
import linecache
import pickle
import re

import numpy as np
import pytest

import graphrt as tf
from graphrt.passes import PIPELINE
from graphrt.viewing.recording import Recorder, record


def helper(x):
    return tf.nn.relu(x) * 2.0


def steps(x, n):
    """A loop with a branch in it."""
    s = tf.zeros_like(x)
    for i in tf.range(n):
        if tf.reduce_sum(s) < 10.0:
            s = s + helper(x)
        else:
            s = s - 1.0
    return s


FIRST = steps.__code__.co_firstlineno
X, N = tf.constant([1.0, 2.0]), tf.constant(5)


def line_of(text):
    with open(__file__) as file:
        return next(n for n, line in enumerate(file, 1) if line.strip() == text)


def page(run=False):
    return tf.view(tf.function(steps), X, N, run=run, path=None)


def last_stage(story):
    known = {}
    for stage in story["stages"]:
        for gone in stage["gone"]:
            known.pop(gone)
        known.update({node["id"]: node for node in stage["set"]})
        if stage["order"] is not None:
            assert sorted(stage["order"]) == sorted(known)
    return known


# --- the story -------------------------------------------------------------------------------------------------------
def test_a_page_holds_what_it_shows():
    found = page()
    story = json.loads(re.search(r'<script type="application/json" id="story">(.*?)</script>', found.html, re.S)[1])
    assert story["title"] == "steps" and story["run"] is None
    assert [block["title"].split(",")[0] for block in story["blocks"]] == ["steps", "helper"]
    assert story["blocks"][0]["lines"][0] == "def steps(x, n):" and story["blocks"][0]["first"] == FIRST
    assert story["converted"]["lines"] == tf.autograph.to_code(steps).splitlines()
    assert not re.search(r"(src|href)=.?https?:|@import|url\((?!#)", found.html)  # it needs no network


def test_lines_nodes_and_program_belong_together():
    story = page().story.as_json()
    nodes = last_stage(story)
    (relu,) = [node for node in nodes.values() if node["op"] == "Relu"]
    assert (
        relu["line"] == f"0:{line_of('return tf.nn.relu(x) * 2.0')}"
        and relu["id"] == "/while>body/while/cond>then_branch/while/cond/Relu"
    )
    (text,) = [t for t, node in zip(story["text"]["lines"], story["text"]["nodes"]) if node == relu["id"]]
    assert "k_Relu(x)" in text
    (loop,) = [node for node in nodes.values() if node["op"] == "StatelessWhile"]
    assert loop["line"] == f"0:{line_of('for i in tf.range(n):')}"
    assert [label for _, label in loop["graphs"]] == ["cond", "body"]
    at = story["converted"]["lines"].index(next(t for t in story["converted"]["lines"] if "ag__.for_stmt(" in t))
    assert story["converted"]["source"][at] == loop["line"]
    assert all(source in nodes for node in nodes.values() for source, _ in node["ins"])
    assert all(line is None or line in nodes for line in story["text"]["nodes"])


def test_each_stage_says_what_its_pass_changed():
    story = page().story.as_json()
    names = [stage["name"] for stage in story["stages"]]
    assert names[0] == "traced" and set(names[1:]) <= {p.__name__ for p in PIPELINE}
    gone = {node: stage["name"] for stage in story["stages"][1:] for node in stage["gone"]}
    assert gone["/Maximum"] == "drop_dead_nodes"
    assert not set(gone) & set(last_stage(story))


def test_text_cannot_end_the_page():
    def f(x):
        return x, "</script><script>alert(1)</script>", "@story@"

    found = tf.view(f, X, path=None).html
    assert found.count("</script>") == 4 and found.count("<!doctype html>") == 1


def test_functions_without_source_are_shown_without_it():
    concrete = tf.function(lambda x: x + 1).get_concrete_function(X)
    assert "x + 1" in tf.view(concrete, X, path=None).story.converted["lines"][0]
    copy = pickle.loads(pickle.dumps(concrete))
    assert "not known" in tf.view(copy, X, path=None).story.converted["lines"][0]
    assert "not converted" in tf.view(eval("lambda x: x * 3", {}), X, path=None).story.converted["lines"][0]


def test_pages_are_written(tmp_path):
    file = tmp_path / "page.html"
    made = tf.view(steps, X, N, path=file)
    assert file.read_text("utf-8") == made.html and len(made.html) < 1.5e6
    assert repr(made) == f"<page of steps: {len(made.html)} characters>"
    assert "srcdoc" in made._repr_html_() and "<script>" not in made._repr_html_()
    with pytest.raises(OSError):
        tf.view(steps, X, N, path=tmp_path / "none" / "page.html")


def test_the_traces_are_listed_with_the_one_that_is_shown():
    function = tf.function(lambda x: x + 1)
    function(tf.constant(1))
    traces = tf.view(function, X, path=None).story.traces
    assert [(t["number"], t["shown"], t["nearest"]) for t in traces] == [(1, False, None), (2, True, 1)]


def test_modules_are_shown_by_their_call():
    class Scale(tf.Module):
        @tf.function
        def __call__(self, x):
            return x * 3.0

    assert tf.view(Scale(), X, path=None).story.title == "__call__"


def test_objects_and_partials_have_their_code():
    class Twice:
        def __call__(self, x):
            return x * 2.0

    for target in (Twice(), functools.partial(steps, n=N)):
        assert tf.view(target, X, path=None).story.blocks


def test_what_is_recorded_needs_values():
    with pytest.raises(TypeError, match=r"needs values: give tensors; found TensorSpec\(shape=\(2,\)"):
        tf.view(steps, tf.TensorSpec([2]), N, run=True, path=None)
    with pytest.raises(TypeError, match="needs values"):
        tf.profile(steps, X, n=tf.TensorSpec([], tf.int32))
    with pytest.raises(TypeError, match="ask outside of the function"):
        tf.function(lambda x: tf.profile(steps, x, N), autograph=False)(X)


def test_wrong_targets():
    with pytest.raises(TypeError, match="expected a function, found 3"):
        tf.view(3, path=None)
    with pytest.raises(TypeError, match="expected a function"):
        tf.profile("f")


def test_deep_graphs_cost_what_they_hold():
    @tf.function
    def long(x):
        for _ in range(500):
            x = tf.sin(x) + 1.0
        return x

    found = tf.view(long, X, path=None)
    assert len(last_stage(found.story.as_json())) >= 1000 and len(found.html) < 1.5e6


def test_functions_stand_in_their_calls():
    @tf.function
    def inner(x):
        return tf.sin(x) * 2.0

    def outer(x):
        return inner(x) + inner(x)

    story = tf.view(outer, X, path=None).story.as_json()
    first, *later = story["stages"]
    holders = [fact for fact in first["set"] if fact["graphs"]]
    assert [fact["op"] for fact in holders] == ["PartitionedCall"]  # at the first of its calls
    ((home, _),) = holders[0]["graphs"]
    assert [f["op"] for f in first["set"] if f["id"].startswith(f"{home}/")].count("Sin") == 1
    stand_ins = {old: new for stage in later for old, new in stage["by"].items()}
    (sine,) = [f["id"] for f in first["set"] if f["op"] == "Sin"]
    assert last_stage(story)[stand_ins[sine]]["op"] == "Sin" and stand_ins[sine] == "/PartitionedCall/Sin"


def test_a_function_on_one_line_with_lambdas_has_its_name():
    def one_line(x): return tf.cond(x[0] > 0, lambda: x, lambda: -x)  # fmt: skip  # noqa: E704

    assert tf.view(one_line, X, path=None).story.blocks[0]["title"].startswith("one_line, ")


def test_branches_have_places_of_their_own():
    story = tf.view(lambda i, x: tf.switch_case(i, [lambda: x, lambda: tf.sin(x)]), N - 4, X, path=None).story.as_json()
    (case,) = [fact for fact in last_stage(story).values() if fact["graphs"]]
    assert [label for _, label in case["graphs"]] == ["branches[0]", "branches[1]"]


def test_functions_that_call_themselves_are_shown_once():
    @tf.function
    def factorial(n):
        return tf.constant(1) if n <= 1 else n * factorial(n - 1)

    story = tf.view(factorial, N, run=True, path=None).story.as_json()
    assert len([fact for fact in story["stages"][0]["set"] if fact["op"] == "Mul"]) == 2


def test_what_was_loaded_from_files_is_shown(tmp_path):
    class Scale(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([None])])
        def run(self, x):
            return tf.sin(x) * 3.0

    tf.saved_model.save(Scale(), tmp_path / "model")
    loaded = tf.saved_model.load(tmp_path / "model").run
    story = tf.view(loaded, X, run=True, path=None).story
    assert story.blocks == [] and "not known" in story.converted["lines"][0]
    assert any("np_sin" in line for line in story.text["lines"]) and story.run["lines"]


def test_lines_of_flags_are_those_of_their_loop():
    def f(x):
        for i in tf.range(5):
            if i > 3:
                break
            x = x + 1.0
        return x

    lines = [fact["line"] for stage in tf.view(f, X, path=None).story.stages for fact in stage["set"]]
    assert all(re.fullmatch(r"\d+:\d+", line) for line in lines if line is not None)


def test_texts_without_a_file_are_shown():
    text = "def f(x):\n    for _ in range(4):\n        x = x * 2.0\n    return x\n"  # as those of `python -c` are
    scope = {}
    exec(text, scope)
    story = tf.view(scope["f"], X, path=None).story
    assert story.blocks[0]["lines"] == text.splitlines() and story.notes[0]["times"] == 4


def test_without_arguments_the_latest_trace_is_shown():
    function, plain = tf.function(lambda x: x + 1), tf.function(lambda x=3: tf.constant(x))
    function(X), function(N), plain(5)
    assert [t["shown"] for t in tf.view(function, path=None).story.traces] == [False, True]
    assert [t["shown"] for t in tf.view(plain, path=None).story.traces] == [False, True]  # of x=3
    assert tf.profile(lambda target, /, run, path: target + run + path, X, run=X, path=X).lines


# --- runs ------------------------------------------------------------------------------------------------------------
def test_a_run_is_one_call():
    v = tf.Variable(1.0)

    @tf.function
    def f(x):
        v.assign_add(1.0)
        return x * v

    found = tf.view(f, X, run=True, path=None)
    assert v.numpy() == 2.0 and found.story.run["lines"]
    assert tf.profile(f, X).result[0].tolist() == [3.0, 6.0] and v.numpy() == 3.0


def test_recorded_runs_give_what_programs_give():
    concrete = tf.function(steps).get_concrete_function(X, N)
    inputs = concrete.raw_inputs((X, N), {})
    recording, result = record(concrete.program, inputs, Recorder(values=True))
    np.testing.assert_array_equal(result[0], steps(X, N))
    texts = concrete.program.source.splitlines()
    counts = {texts[run["line"] - 1].strip(): run["count"] for run in recording["lines"]}
    assert counts["while_Sum = reduce_sum(v_1, None, False)"] == 5
    assert sum(run["ns"] for run in recording["lines"]) <= recording["ns"]
    assert recording["first_nan"] is None


def test_the_first_nan_is_marked():
    def f(x):
        y = tf.math.log(x)
        return tf.exp(y) + 1.0

    story = tf.view(f, tf.constant([1.0, -1.0]), run=True, path=None).story
    line = story.text["lines"][story.run["first_nan"] - 1]
    assert "log" in line.lower()


def test_failing_runs_say_where():
    with pytest.raises(tf.errors.InvalidArgumentError, match="divi"):
        tf.view(lambda x: 1 // x, tf.constant(0), run=True, path=None)


def test_profiles(tmp_path):
    found = tf.profile(steps, X, N)
    assert {line["op"] for line in found.lines} >= {"Relu", "Sum", "Less"}
    assert [line["ns"] for line in found.lines] == sorted((line["ns"] for line in found.lines), reverse=True)
    assert str(found).splitlines()[0].split() == [
        "time",
        "share",
        "runs",
        "op",
        "line",
        "of",
        "the",
        "program",
        "source",
    ]
    found.write_trace(tmp_path / "trace.json")
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    runs = [e for e in events if e["ph"] == "X"]
    assert sum(line["count"] for line in found.lines) == len(runs)
    assert all(e["ts"] >= 0 and e["dur"] >= 0 for e in runs)


# --- notebooks -------------------------------------------------------------------------------------------------------
class Shell:
    """As much of a shell as the magics use."""

    def __init__(self):
        self.user_ns, self.magics, self.shown = {"tf": tf, "X": X}, {}, []
        self.compile, self.execution_count = self, 1
        self.displayhook = self.shown.append

    def register_magic_function(self, function, kind, name):
        self.magics[name] = function

    def transform_cell(self, cell):
        return cell

    def cache(self, text, number, raw_code):
        name = f"<cell {text}>"
        linecache.cache[name] = len(text), None, text.splitlines(keepends=True), name
        return name


def test_magics(capsys):
    shell = Shell()
    tf.load_ipython_extension(shell)
    shell.magics["trace"]("", "def g(x):\n    return x + 1.0\ng(X)\n")
    assert "AddV2" in capsys.readouterr().out
    found = shell.magics["view"]("-r g(X)")
    assert found.story.run["lines"] and found.story.title == "g"
    assert [t["shown"] for t in shell.magics["view"]("g").story.traces] == [True]
    for line in ("-r g", "", "-r"):
        with pytest.raises(SyntaxError, match="needs a call"):
            shell.magics["view"](line)
    with pytest.raises(TypeError, match="found 3"):
        shell.magics["view"]("3")
    shell.magics["autograph"](
        "", "class A:\n    def m(self, x):\n        return x\nclass B: n = 1\nasync def h(): 0\n7"
    )
    told = capsys.readouterr().out
    assert "def tf__m(self, x):" in told and shell.shown[-1] == 7
    with pytest.raises(ZeroDivisionError):
        shell.magics["trace"]("", "def k(x):\n    return tf.sin(x)\nk(X)\n1 / 0\n")
    assert "Sin" in capsys.readouterr().out
    shell.magics["trace"]("", "")
    assert shell.magics["view"]("-r (lambda run, path: run + path)(X, path=X)").story.run["lines"]


def test_what_notebooks_show_of_functions_and_graphs():
    function = tf.function(steps)
    concrete = function.get_concrete_function(X, N)
    assert "ag__.for_stmt" in function._repr_html_() and "1 traces" in function._repr_html_()
    assert "<summary>program</summary>" in concrete._repr_html_() and "while_Sum = reduce_sum" in concrete._repr_html_()
    assert "StatelessWhile" in concrete.graph._repr_html_()
    assert "not converted" in tf.function(np.sin)._repr_html_()
    large = tf.constant(np.float32([np.nan, *range(99)]))
    assert "float32[100], 400 B: min 0, mean 49, max 98, 1 NaN, histogram" in large._repr_html_()
    assert "histogram" in tf.Variable(tf.zeros([5, 5]))._repr_html_() and tf.Variable([1.0])._repr_html_() is None
    assert tf.constant(["<"] * 100)._repr_html_() is None and X._repr_html_() is None  # their text is enough
