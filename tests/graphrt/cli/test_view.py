"""`graphrt view` and `graphrt profile`, as their users type them."""

import json

import pytest

from graphrt.__main__ import main

SOURCE = """
import graphrt as tf

def f(x, n):
    for _ in tf.range(n):
        x = x * 2.0
    return x

class Model:
    def call(self, x):
        return x

numbers = tf.data.Dataset.range(3)

def say(x):
    print("hello")
    return tf.strings.length(x)

def fails(x):
    return tf.debugging.check_numerics(x / 0.0, "no")
"""
INPUTS = ["--input", "float32[3]", "--input", "int32[]"]


@pytest.fixture
def demo(tmp_path):
    file = tmp_path / "demo.py"
    file.write_text(SOURCE)
    return file


def test_view(demo, tmp_path, capsys):
    page = tmp_path / "f.html"
    assert main(["view", f"{demo}:f", *INPUTS, "-o", str(page)]) == 0
    assert '"run":null' in page.read_text("utf-8")
    assert main(["view", f"{demo}:f", *INPUTS, "--run", "-o", str(page)]) == 0
    assert '"first_nan":null' in page.read_text("utf-8")
    assert capsys.readouterr() == ("", "")


def test_profile(demo, tmp_path, capsys):
    trace = tmp_path / "trace.json"
    assert main(["profile", f"{demo}:say", "--input", "string[2]", "--trace", str(trace)]) == 0
    out, err = capsys.readouterr()
    assert out.startswith(" ") and "StringLength" in out and "hello" not in out and "hello" in err
    assert [e["name"] for e in json.loads(trace.read_text())["traceEvents"] if e["ph"] == "X"] == ["StringLength"]


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["view", "{}:f", *INPUTS], "required: --output/-o"),
        (["view", "{}:f", *INPUTS, "-o", "/none/f.html"], "cannot write /none/f.html"),
        (["view", "{}:g", "-o", "x"], "has no 'g'; it has Model, f, fails, say"),
        (["view", "{}:fail", "-o", "x"], "has no 'fail'; did you mean fails?"),
        (["view", "{}:f", "-o", "x"], "missing 2 required positional arguments: 'x' and 'n'; give its arguments with --input"),
        (["view", "{}:f", "--input", "float32[None]", "--run", "-o", "x"], "all sizes must be known"),
        (["profile", "{}:f", "--input", "float32[100000000000000]"], "so much memory is not there"),
        (["view", "{}:Model.call", "-o", "x"], "is a method: name it through an object of Model"),
        (["view", "{}:f.inner", "-o", "x"], "what f defines inside has no name: give it one"),
        (["view", "{}:numbers", "-o", "x"], "of type Dataset; write a function"),
        (["profile", "{}:f", "--input", "float33[2]"], "there is no dtype 'float33', did you mean float32?"),
        (["profile", "{}:fails", "--input", "float32[]"], "failed: InvalidArgumentError"),
        (["profile", "{}:f", *INPUTS, "--trace", "/none/t.json"], "cannot write /none/t.json"),
    ],
)  # fmt: skip
def test_mistakes_are_told_in_a_line(demo, capsys, arguments, message):
    assert main([a.format(demo) for a in arguments]) == 2
    found = capsys.readouterr().err
    assert message in found and "Traceback" not in found
