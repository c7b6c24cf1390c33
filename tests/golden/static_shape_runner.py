"""What is known of the results of the calls of `public_edges/*.txt` while they are traced, with a module that has TensorFlow's names.

Of each call one case is traced twice: with arguments whose ranks are known, but no sizes, and with arguments of unknown rank.
"""

from __future__ import annotations

import json
from typing import Any

from tests import GOLDEN
from tests.golden import public_edge_runner as runner

RECORD = GOLDEN / "static_shapes.json"


def case(call: runner.Call, recorded: list[Any]) -> int | None:
    """The first case that TensorFlow computes and that has arguments."""
    pairs = zip(call.numbers(), recorded)
    return next((n for n, found in pairs if isinstance(found, list) and call.cases[n]), None)


def specs(tf: Any, call: runner.Call, number: int, ranks: bool) -> list[Any]:
    return [tf.TensorSpec([None] * v.array.ndim if ranks else None, v.dtype) for v in call.cases[number]]


def static(tf: Any, call: runner.Call, number: int, ranks: bool) -> Any:
    """The dtype and dimensions of each result, or the class of the error."""

    def function(*tensors: Any) -> list[Any]:
        return [v for v in runner.evaluated(tf, call, tensors) if hasattr(v, "shape") and hasattr(v, "dtype")]

    try:
        staged = tf.function(function, input_signature=specs(tf, call, number, ranks), autograph=False)
        found = tf.nest.flatten(staged.get_concrete_function().structured_outputs)
        return [[v.dtype.name, None if v.shape.rank is None else v.shape.as_list()] for v in found]
    except Exception as error:
        return type(error).__name__


def recorded() -> dict[str, Any]:
    """By file and call: what TensorFlow knows with known ranks, and without."""
    return json.loads(RECORD.read_text(encoding="utf-8"))  # type: ignore[no-any-return]
