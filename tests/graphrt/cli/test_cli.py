"""The command line: each format, each kind of input, and one clear line for each mistake.

Covers: graphrt/ir/dot.py, graphrt/version.py.
"""

import os
import subprocess
import sys

import pytest
from google.protobuf import text_format

import graphrt
from graphrt.__main__ import main
from graphrt.graphdef.schema import message_class
from graphrt.ir.parser import parse_graph
from graphrt.ir.printer import graph_text

SOURCE = """\
import graphrt as tf

print("loading")


@tf.function
def relu(x, slope=0):
    if x > 0:
        return x
    else:
        return x * slope


def plain(x, y):
    return x["k"] * y


def loop(n):
    while n > 0:
        n -= 1
    return n


def bad(x):
    print("tracing")
    return tf.no_such_thing(x)


def shapes(x):
    return tf.matmul(x, x)


class Model:
    @staticmethod
    def call(x):
        return x + 1.0


value = 3
"""


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    before = set(sys.modules)
    path = tmp_path / "cli_demo.py"
    path.write_text(SOURCE)
    yield path
    for name in set(sys.modules) - before:
        if name.startswith("cli_"):
            del sys.modules[name]


def run(capsys, *arguments):
    code = main(["dump", *arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_graph_is_text_that_reads_back(file, capsys):
    code, out, err = run(capsys, "cli_demo.py:relu", "--input", "int32[]", "--input", "2")
    assert code == 0
    assert "StatelessIf" in out and out.startswith("graph ")
    assert graph_text(parse_graph(out)) == out
    assert err == "loading\n"


def test_pbtxt_is_a_graph_def(file, capsys):
    code, out, _ = run(capsys, "cli_demo.py:relu", "--input", "int32[]", "--format", "pbtxt")
    message = text_format.Parse(out, message_class("GraphDef")())
    assert code == 0 and [n.op for n in message.node].count("StatelessIf") == 1


def test_program_is_python(file, capsys):
    code, out, _ = run(capsys, "cli_demo.py:loop", "-i", "int64[]", "-f", "program")
    assert code == 0 and "while True:" in out
    compile(out, "program", "exec")


def test_dot_has_a_box_for_each_function(file, capsys):
    code, out, _ = run(capsys, "cli_demo.py:loop", "-i", "int64[]", "-f", "dot")
    assert code == 0 and out.startswith("digraph ") and out.count("subgraph cluster_") == 2
    assert out.count("{") == out.count("}")


def test_after_a_pass(file, capsys):
    full = run(capsys, "cli_demo.py:loop", "-i", "int64[]")[1]
    after = run(capsys, "cli_demo.py:loop", "-i", "int64[]", "--after", "drop_dead_nodes")[1]
    everything = run(capsys, "cli_demo.py:loop", "-i", "int64[]", "--after", "all")[1]
    assert "maximum_iterations" in full and "maximum_iterations" not in after
    assert len(everything) <= len(after)


@pytest.mark.parametrize(
    ("inputs", "types"),
    [
        (['{"k": float32[None,3]}', "2.0"], "f32[?,3]"),
        (['{"k": float32[?, 3]}', "y=2.0"], "f32[?,3]"),
        (["y=float64[...]", 'x={"k": float64[]}'], "f64[], %1: f64[...]"),
        (['{"k": tf.int8[2]}', "-1"], "i8[2]"),
    ],
)
def test_inputs(file, capsys, inputs, types):
    arguments = [a for i in inputs for a in ("--input", i)]
    code, out, err = run(capsys, "cli_demo.py:plain", *arguments)
    assert code == 0, err
    assert f"(%0: {types})" in out.splitlines()[0]


def test_module_and_attribute_path(file, capsys):
    code, out, err = run(capsys, "cli_demo:Model.call", "--input", "float32[2]")
    assert code == 0, err
    assert "AddV2" in out


def test_output_file(file, capsys):
    code, out, _ = run(capsys, "cli_demo.py:relu", "--input", "int32[]", "-o", "out.txt")
    assert (code, out) == (0, "")
    assert file.with_name("out.txt").read_text().startswith("graph ")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["cli_demo.py"], "must be file.py:function or module:function"),
        (["nowhere.py:f"], "no file 'nowhere.py'"),
        (["nowhere:f"], "no module 'nowhere' (a file is named with its ending: nowhere.py)"),
        (["cli_demo.py:nope"], "cli_demo.py has no 'nope'; it has Model, bad, loop, plain, relu, shapes"),
        (["cli_demo.py:Model.nope"], "cli_demo.py has no 'Model.nope'"),
        (["cli_demo.py:value"], "'value' of cli_demo.py cannot be called, it is of type int"),
        (["cli_demo.py:relu"], "missing 1 required positional argument: 'x'; give its arguments with --input"),
        (["cli_demo.py:relu", "-i", "int32"], "'int32' has no shape (a scalar is int32[])"),
        (["cli_demo.py:relu", "-i", "int99[]"], "there is no dtype 'int99'"),
        (["cli_demo.py:relu", "-i", "int32[-1]"], "-1 is no dimension"),
        (["cli_demo.py:relu", "-i", "int32[x]"], "x is no dimension"),
        (["cli_demo.py:relu", "-i", "f("], "cannot be read; expected a tensor such as float32[None,3]"),
        (["cli_demo.py:relu", "-i", "os.system('x')"], "cannot be read"),
        (["cli_demo.py:relu", "-i", "x=int32[]", "-i", "x=int32[]"], "two inputs are named 'x'"),
        (["cli_demo.py:relu", "-i", "int32[]", "--after", "zz"], "there is no pass 'zz'; the passes are "),
        (["cli_demo.py:relu", "-i", "int32[]", "-o", "no/such/dir"], "cannot write no/such/dir: No such file"),
        (["cli_demo.py:bad", "-i", "int32[]"], "tracing cli_demo.py:bad failed: AttributeError: module 'graphrt' has no "
         "attribute 'no_such_thing' (cli_demo.py:26)"),
        (["cli_demo.py:shapes", "-i", "float32[2,3]"], "(cli_demo.py:30)"),
        (["cli_demo.py:relu", "--format", "nope"], "invalid choice: 'nope'"),
        ([], "the following arguments are required: TARGET"),
    ],
)  # fmt: skip
def test_a_mistake_is_one_clear_line(file, capsys, arguments, message):
    code, out, err = run(capsys, *arguments)
    lines = [line for line in err.splitlines() if line not in ("loading", "tracing")]
    assert code == 2
    assert out == ""
    assert len(lines) == 1 and lines[0].startswith("graphrt"), err
    assert message in lines[0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("def f(:\n    pass\n", "cli_broken.py:1: SyntaxError"),
        ("x = 1\nraise ValueError('too late')\n", "ValueError: too late (cli_broken.py:2)"),
        ("import sys\nsys.exit(3)\n", "SystemExit: 3 (cli_broken.py:2)"),
        ("import no_such_module\n", "No module named 'no_such_module' (cli_broken.py:1)"),
    ],
)
def test_a_file_that_fails(file, capsys, text, message):
    file.with_name("cli_broken.py").write_text(text)
    code, out, err = run(capsys, "cli_broken.py:f")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert message in err


def test_traceback_on_request(file, capsys):
    code, _, err = run(capsys, "cli_demo.py:bad", "-i", "int32[]", "--traceback")
    assert code == 2 and "Traceback (most recent call last)" in err and "no_such_thing" in err


def test_help_teaches(capsys):
    assert main(["--help"]) == 0
    assert "dump" in capsys.readouterr().out
    assert main(["dump", "--help"]) == 0
    out = capsys.readouterr().out
    for word in ("--input 'float32[None,3]'", "pbtxt", "--after", "module:f", "examples:"):
        assert word in out


def test_as_a_process(file, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", os.path.dirname(os.path.dirname(graphrt.__file__)))
    done = subprocess.run(
        [sys.executable, "-m", "graphrt", "dump", "cli_demo.py:relu", "--input", "int32[]"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0 and done.stdout.startswith("graph ")
    done = subprocess.run([sys.executable, "-m", "graphrt"], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and done.stderr.count("\n") == 1


def test_files_in_packages_import_as_their_modules_do(tmp_path, monkeypatch, capsys):
    package = tmp_path / "boxes" / "inner"
    package.mkdir(parents=True)
    (tmp_path / "boxes" / "__init__.py").write_text("from .inner import steps\nunit = 3\n")
    (package / "__init__.py").write_text("from .. import __name__ as around\n")
    (package / "steps.py").write_text(
        "import sys\nfrom . import around\nfrom .numbers import two\n"
        "assert sys.modules[__name__].__dict__ is globals() and around == 'boxes'\n"
        "def step(x):\n    return x * two\n"
    )
    (package / "numbers.py").write_text("two = 2\n")
    (package / "__main__.py").write_text("from .steps import step\n")
    monkeypatch.setattr(sys, "path", list(sys.path))
    for name in ("steps.py", "__main__.py"):
        assert main(["dump", f"{package / name}:step", "--input", "float32[2]"]) == 0
        assert "Mul" in capsys.readouterr().out
    assert sys.modules["boxes.inner.steps"].__file__ == str(package / "steps.py")
    for name in [n for n in sys.modules if n.partition(".")[0] == "boxes"]:
        del sys.modules[name]

    other = tmp_path / "elsewhere" / "boxes"
    other.mkdir(parents=True)
    (other / "__init__.py").write_text("")
    (other / "broken.py").write_text("from .missing import x\n")
    assert main(["dump", f"{other / 'broken.py'}:x"]) == 2
    assert "No module named 'boxes.missing'" in capsys.readouterr().err
    for name in [n for n in sys.modules if n.partition(".")[0] == "boxes"]:
        del sys.modules[name]
