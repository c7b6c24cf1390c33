"""Calls of public names give what TensorFlow recorded; and the runner of such calls sees differences.

Covers: graphrt/control_flow/functional.py, graphrt/errors.py, graphrt/tensor/tensor.py, graphrt/types/dtype.py,
  graphrt/types/shape.py, graphrt/types/spec.py.
"""

import graphrt as tf
from tests.golden import runner
from tests.golden.checks import golden_tests

test_calls = golden_tests("")


def test_differences_are_seen(tmp_path, monkeypatch):
    monkeypatch.setattr(runner, "CALLS", tmp_path)
    (tmp_path / "sample.txt").write_text(
        "! x = tf.constant([1.0, 2.0])\nx + 1\nx[5]\n(x, [1])\na * b <- ([1, 2], 'int32', [None]), (3, 'int32')\n"
    )
    found = runner.run(tf, "sample")
    assert found["x + 1"] == ["tensor", "float32", [2], ["2", "3"]]
    assert found["x[5]"][:2] == ["error", "InvalidArgumentError"]
    (traced,) = (found[line] for line in found if "<-" in line)
    assert traced == {"eager": ["tensor", "int32", [2], ["3", "6"]], "static": [[None]], "run": None}
    assert runner.disagreements(found, found, {}) == []
    for line, other in (
        ("x + 1", ["tensor", "float32", [2], ["2", "3.1"]]),
        ("x + 1", ["tensor", "float64", [2], ["2", "3"]]),
        ("x[5]", ["error", "ValueError", ""]),
        ("(x, [1])", ["list", []]),
        (next(line for line in found if "<-" in line), traced | {"static": [[2]]}),
        (next(line for line in found if "<-" in line), traced | {"static": ["error", "ValueError", ""]}),
    ):
        (told,) = runner.disagreements(found, found | {line: other}, {})
        assert told.startswith(line)
        assert (
            runner.disagreements(found, found | {line: other}, {line: {"gives": found[line], "because": "we mean to"}})
            == []
        )
    (told,) = runner.disagreements(found, found, {"x + 1": {"gives": found["x + 1"], "because": "we mean to"}})
    assert "still in `differences`" in told
