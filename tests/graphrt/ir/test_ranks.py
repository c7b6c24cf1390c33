"""Ranks in schemas of ops; what raw ops refuse while tracing beside TensorFlow, recorded by `tests.golden.record_op_ranks`."""

from __future__ import annotations

import json
from typing import Any

import pytest

import graphrt as tf
from graphrt.errors import ShapeError
from graphrt.ir.op import REGISTRY
from graphrt.ir.ranks import Ranks, parsed
from tests.golden import op_rank_runner as runner

RECORDED: dict[str, dict[str, list[int]]] = json.load(open(runner.GOLDEN, encoding="utf-8"))
# what is taken here, and refused by TensorFlow
TAKEN = {
    "a scalar -1 stands for a shape of which nothing is known, also where it is not known that it is -1": (
        "element_shape",
    ),
    "of its own attributes": ("RandomIndexShuffle seed", "RaggedGather indices", "QuantizeAndDequantize"),
    "texts of several tensors": ("PrintV2 input",),
    "a tensor without dimensions, into which one number is added": ("ScatterNdNonAliasingAdd input",),
}
MEANT = tuple(text for texts in TAKEN.values() for text in texts)


@pytest.mark.parametrize("op", sorted(o for o in runner.SCHEMAS if o in RECORDED or o in REGISTRY))
def test_ranks(op: str) -> None:
    ours = runner.answers_of(tf, op)
    if ours is None:
        return
    for name, answers in ours.items():
        raw = {a for a in answers if isinstance(a, str) and a not in ("ShapeError", "ValueError", "TypeError")}
        assert all(issubclass(getattr(tf.errors, a, Warning), tf.errors.OpError) for a in raw), f"{op} {name}: {raw}"
        theirs = RECORDED.get(op, {}).get(name, list(runner.RANKS))
        more = [rank for rank, a in zip(runner.RANKS, answers) if a is True and rank not in theirs]
        if not f"{op} {name}".startswith(MEANT) and name not in MEANT:
            assert not more, f"{op} {name}: ranks {more} are taken, {theirs} by TensorFlow"


CALLS: dict[str, Any] = {
    "Shape must be rank 1 but is rank 0": lambda x: tf.slice(x, 1, [1]),
    "Shape must be at least rank 1 but is rank 0": lambda x: tf.roll(x[0], 1, 0),
    "Shape must be at most rank 1 but is rank 2": lambda x: tf.roll(x, [[1]], 0),
    "Shape must be rank 0 but is rank 1": lambda x: tf.image.non_max_suppression(tf.reshape(x, [1, 4]), [0.5], [1]),
}


@pytest.mark.parametrize("text", CALLS)
def test_what_is_said(text: str) -> None:
    with pytest.raises(ValueError, match=f"{text} for op .*\n  at .*test_ranks.py:"):
        tf.function(CALLS[text]).get_concrete_function(tf.TensorSpec([4]))
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
        CALLS[text](tf.zeros([4]))


@pytest.mark.parametrize("text, found", [("2", (2, 2)), ("1+", (1, None)), ("0..1", (0, 1))])
def test_parsed(text: str, found: tuple[int, int | None]) -> None:
    assert parsed(text) == found
    assert parsed(None) is None


@pytest.mark.parametrize(
    "ranks, rank, said",
    [
        (Ranks(2, 2), 1, "Shape must be rank 2 but is rank 1"),
        (Ranks(1, None), 0, "Shape must be at least rank 1 but is rank 0"),
        (Ranks(0, 1), 3, "Shape must be at most rank 1 but is rank 3"),
    ],
)
def test_check(ranks: Ranks, rank: int, said: str) -> None:
    with pytest.raises(ShapeError, match=said):
        ranks.check(rank)
    ranks.check(ranks.low)


@pytest.mark.parametrize(
    "said, function, shapes",
    [
        ("must be 2 but is 3", lambda v, r: tf.histogram_fixed_width(v, r, 4), ([3], [3])),
        ("must be 2 but is 1", lambda x, b: tf.image.crop_and_resize(x, b, [0, 0], [3]), ([1, 4, 4, 1], [2, 4])),
        ("must be 4 but is 3", lambda b, s: tf.image.non_max_suppression(b, s, 3), ([2, 3], [2])),
        ("must be equal, but are 2 and 3", lambda b, s: tf.image.non_max_suppression(b, s, 3), ([2, 4], [3])),
        ("must be equal, but are 1 and 3", lambda x: tf.roll(x, [2], [1, 2, 0]), ([3],)),
    ],
)
def test_sizes_that_are_known(said: str, function: Any, shapes: Any) -> None:
    with pytest.raises(ShapeError, match=f"(?s)Dimensions? {said} for op .*test_ranks.py:"):
        tf.function(function).get_concrete_function(*map(tf.TensorSpec, shapes))
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
        function(*map(tf.zeros, shapes))
