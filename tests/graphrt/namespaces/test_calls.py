"""Calls of public names give what TensorFlow recorded."""

import json
import pathlib
import sys

import pytest

import graphrt as tf

GOLDEN = pathlib.Path(__file__).parents[2] / "golden"
sys.path.insert(0, str(GOLDEN))
import calls_runner  # noqa: E402


@pytest.mark.parametrize("path", sorted((GOLDEN / "calls").glob("*.txt")), ids=lambda path: path.stem)
def test_calls(path):
    recorded = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    found = calls_runner.run(tf, path, own=True)
    assert found.keys() == recorded.keys(), "run tests/golden/record_calls.py"
    different = [
        f"{line}\n  ours       {found[line]}\n  TensorFlow {wanted}"
        for line, wanted in recorded.items()
        if not calls_runner.equal(found[line], wanted)
    ]
    assert not different, "\n".join(different)


def test_differences_are_seen(tmp_path):
    path = tmp_path / "sample.txt"
    path.write_text("! x = tf.constant([1.0, 2.0])\nx + 1\nx[5]\n(x, [1])\n")
    found = calls_runner.run(tf, path)
    assert found["x + 1"] == ["tensor", "float32", [2], ["2", "3"]]
    assert found["x[5]"][:2] == ["error", "InvalidArgumentError"]
    assert calls_runner.equal(found, found)
    for other in (
        {"x + 1": ["tensor", "float32", [2], ["2", "3.1"]]},
        {"x + 1": ["tensor", "float64", [2], ["2", "3"]]},
        {"x[5]": ["error", "ValueError", ""]},
        {"(x, [1])": ["list", []]},
    ):
        assert not calls_runner.equal(found, found | other)
