"""The three checks of an op case against what TensorFlow recorded: eager, traced, and the graph's run.

A case is a tuple of an expression and its arguments (value, dtype, traced shape); the tables of cases
(``tests/golden/ops_*_cases.py``) are recorded by ``record_ops_*.py`` through ``ops_b_runner.py``.
"""

from __future__ import annotations

import builtins
import json
import os
import sys
from typing import Any

import numpy as np
import pytest

import graphrt as tf

GOLDEN = os.path.join(os.path.dirname(__file__), "..", "..", "golden")
sys.path.insert(0, GOLDEN)
import ops_b_runner as runner  # noqa: E402


def recorded(file_name: str) -> dict[str, Any]:
    """What TensorFlow gave for each case of one file, by the case's text."""
    with open(os.path.join(GOLDEN, file_name)) as file:
        return {entry["case"]: entry for entry in json.load(file)}


def title(case: tuple[Any, ...]) -> str:
    """The test's id: the head of the expression."""
    return case[0][:60]


def error_class(name: str) -> type[BaseException]:
    return getattr(tf.errors, name, None) or getattr(builtins, name)


def check_values(got: list[Any], want: list[Any]) -> None:
    assert len(got) == len(want)
    for g, w in zip(got, want):
        if w is None:
            assert g is None
            continue
        assert (g["dtype"], g["shape"]) == (w["dtype"], w["shape"])
        if w["dtype"].startswith(("float", "bfloat")):
            tolerance = 2e-2 if "16" in w["dtype"] else 2e-5
            np.testing.assert_allclose(g["values"], w["values"], rtol=tolerance, atol=tolerance)
        elif w["dtype"].startswith("complex"):
            np.testing.assert_allclose(
                [complex(v) for v in g["values"]], [complex(v) for v in w["values"]], rtol=2e-5, atol=2e-5
            )
        else:
            assert g["values"] == w["values"]


def fits(ours: list[Any] | None, theirs: list[Any] | None) -> bool:
    """Whether all that TensorFlow knows of a shape is known here, too (more may be)."""
    if theirs is None or ours is None:
        return theirs is None
    return len(ours) == len(theirs) and all(t is None or o == t for o, t in zip(ours, theirs))


def golden_tests(
    cases: list[Any], file_name: str, eager_differs: dict[str, Any], graph_differs: dict[str, Any]
) -> tuple[Any, Any, Any]:
    """The tests ``test_eager``, ``test_traced`` and ``test_graph_gives_what_eager_gives`` of a table of cases.

    The last two arguments hold what is done otherwise than in TensorFlow, by expression; a comment beside
    each entry says why; the key is the expression, or the text of the whole case.
    """
    entries = recorded(file_name)
    whole = [case for case in cases if all("error" not in entries[repr(case)][k] for k in ("eager", "graph", "run"))]

    @pytest.mark.parametrize("case", cases, ids=title)
    def test_eager(case: Any) -> None:
        want = eager_differs.get(repr(case), eager_differs.get(case[0], entries[repr(case)]["eager"]))
        got, error = runner.run_eagerly(tf, case)
        if "error" in want:
            assert error is not None, got
            assert isinstance(error, error_class(want["error"])), repr(error)
        else:
            assert error is None, repr(error)
            check_values(got["result"], want["result"])

    @pytest.mark.parametrize("case", cases, ids=title)
    def test_traced(case: Any) -> None:
        want = graph_differs.get(repr(case), graph_differs.get(case[0], entries[repr(case)]["graph"]))
        f = tf.function(runner.function_of(tf, case), autograph=False)
        concrete, error = runner.outcome(lambda: f.get_concrete_function(*runner.specs_of(tf, case)))
        if "error" in want:
            assert error is not None, concrete
            assert isinstance(error, error_class(want["error"])), repr(error)
            return
        ran = entries[repr(case)]["run"]
        if error is not None and "error" in ran:  # found while tracing already
            assert isinstance(error, error_class(ran["error"])), repr(error)
            return
        assert error is None, repr(error)
        leaves = concrete.structured_outputs
        leaves = list(leaves) if isinstance(leaves, (list, tuple)) else [leaves]
        shapes = [runner.shape_of(v) for v in leaves]
        assert len(shapes) == len(want["shapes"]) and all(map(fits, shapes, want["shapes"])), (shapes, want["shapes"])

    @pytest.mark.parametrize("case", whole, ids=title)
    def test_graph_gives_what_eager_gives(case: Any) -> None:
        want = entries[repr(case)]["eager"]
        f = tf.function(runner.function_of(tf, case), autograph=False, input_signature=runner.specs_of(tf, case))
        found = f(*[tf.constant(a[0], a[1]) for a in case[1:]])
        check_values(runner.values_of(found), want["result"])

    return test_eager, test_traced, test_graph_gives_what_eager_gives
