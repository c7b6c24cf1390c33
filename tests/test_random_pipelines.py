"""Pipelines of `tests.random_pipelines`: they follow from their seeds, and what fails fails in words."""

from __future__ import annotations

import graphrt as tf
from tests import random_pipelines


def test_pipelines_run_or_fail_in_words() -> None:
    found = list(random_pipelines.answers(tf, range(40)))
    assert found == list(random_pipelines.answers(tf, range(40)))
    failed = [f["error"] for f in found if "error" in f]
    assert 10 <= len(failed) <= 30
    assert all(random_pipelines.FAMILIES & set(kinds) and text for kinds, text in failed)


def test_differences_are_told() -> None:
    one = {"spec": "s", "cardinality": 1, "elements": [["int64", [], "0"]]}
    failed = {"error": (["KeyError", "Exception"], "'a'")}
    assert random_pipelines.difference(one, one) is None
    assert random_pipelines.difference(one, one | {"elements": []}) == "elements"
    assert random_pipelines.difference(failed, one) == "fails with KeyError"
    assert random_pipelines.difference(one, failed) == "only TensorFlow fails: KeyError"
    assert random_pipelines.difference(failed, failed) is None
