"""Compares public functions on edge values with what TensorFlow gave: `python -m tests.public_edges [FILE...] [options]`.

    --traced      traced with known shapes and without any, with what the same call gives at once
    --part I/N    every N-th call, from the I-th on
    --only TEXT   the calls whose text matches this regular expression
    --accept      lists what differs in `tests/golden/public_edges/*.differences.json`, once it has been looked at, by its cause:
                  see `tests.golden.public_edge_causes`; what has none stays unlisted

What is printed differs and stands in no `differences.json`. Of each call five cases are recorded; all of them with
`PUBLIC_EDGES=FOLDER`, written there by `python -m tests.golden.record_public_edges` with TensorFlow's Python.
"""

from __future__ import annotations

import argparse
import builtins
import collections
import importlib.util
import json
import logging
import re
import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

import graphrt as tf
from tests.golden import public_edge_causes as causes
from tests.golden import public_edge_runner as runner
from tests.graphrt.ops.test_ops_edge_values import problem_with

HAS_BFLOAT16 = importlib.util.find_spec("ml_dtypes") is not None


def meant(name: str) -> dict[tuple[str, int], str]:
    """The cases of a file where we mean to differ, and the names of the causes."""
    return {
        (text, number): reason
        for reason, calls in runner.differences(name).items()
        for text, numbers in calls.items()
        for number in numbers
    }


def kinds_meant(name: str) -> set[tuple[str, str]]:
    """How the calls of a file begin that differ on purpose, each with the causes: other arguments differ for these, too."""
    return {(start_of(text), reason) for (text, _), reason in meant(name).items()}


def start_of(text: str) -> str:
    """How a call begins: the function, and what is asked of it."""
    return re.match(r"(?:(?:grad|grad2|jvp)\((?:lambda [\w, ]+: )?)?[^(\[,]*", text)[0]  # type: ignore[index]


def error_class(name: str) -> Any:
    """The class of an error of TensorFlow's or Python's, or None."""
    return getattr(tf.errors, name, None) or getattr(builtins, name, None)


def problem(ours: Any, theirs: Any) -> str | None:
    """What is wrong with a result, or None."""
    if ours == "MissingExtraError":
        return None  # Pillow, say, is not installed
    if isinstance(ours, str) or isinstance(theirs, str):
        same = isinstance(ours, str) and isinstance(theirs, str)
        kinds = [error_class(v) for v in (ours, theirs)] if same else [None, None]
        if same and (ours == theirs or (None not in kinds and issubclass(kinds[0], kinds[1]))):
            return None
        return f"{ours}, not {theirs}"
    if len(ours) != len(theirs):
        return f"{len(ours)} leaves, not {len(theirs)}"
    for a, b in zip(ours, theirs):
        told = problem_with([a], [b]) if isinstance(a, list) and isinstance(b, list) else a != b and f"{a}, not {b}"
        if told:
            return str(told)
    return None


def usable(call: runner.Call, recorded: Sequence[Any]) -> Iterator[tuple[int, Any]]:
    """The cases that are looked at, with what TensorFlow gave."""
    numbers = call.numbers()
    assert len(recorded) == len(numbers), f"record again: {call.text}"
    for number, theirs in zip(numbers, recorded):
        given = call.cases[number]
        if call.text == "kops.searchsorted(a, b)" and np.any(np.diff(np.atleast_1d(given[0].array)) < 0):
            continue  # what is not sorted is searched as NumPy's version likes
        if theirs is not None and (HAS_BFLOAT16 or all(v.dtype != "bfloat16" for v in given)):
            yield number, theirs


def traced(call: runner.Call, numbers: Sequence[int], known: Sequence[bool]) -> list[Any]:
    """The results of some cases, by one traced function of all their arguments.

    `known` says of each case whether the shapes of its arguments are; else not even the ranks are.
    """
    given = [v for number in numbers for v in call.cases[number]]
    kinds = [k for number, k in zip(numbers, known) for _ in call.cases[number]]
    specs = [tf.TensorSpec(v.array.shape if k else None, v.dtype) for v, k in zip(given, kinds)]

    def function(*tensors: Any) -> list[Any]:
        left = iter(tensors)
        return [runner.evaluated(tf, call, [next(left) for _ in call.cases[number]]) for number in numbers]

    with np.errstate(all="ignore"):
        staged = tf.function(function, input_signature=specs, autograph=False)
        found = staged(*(runner.tensor(tf, v) for v in given))
    return [[runner.shown(leaf) for leaf in leaves] for leaves in found]


# What functions say that cannot be traced, or not without known shapes.
NEEDS = (
    "must be known", "known rank", "is statically known", "'images' contains no shape", "of a static shape",
    "Number of mask dimensions must be specified", "Cannot infer argument `num`", "a symbolic tensor has no elements",
    "Using a symbolic `tf.Tensor` as", "needs values that are known", "only be used in eager mode",
    "Python functions must return zero or more Tensors", "its rank is not known", "found shape <unknown>",
    "partially known TensorShape", "not compatible with expected shape [?,?,?]", "with at least as many rows as columns",
)  # fmt: skip


TRACED_DIFFERS = {  # calls, or how they begin
    "of an unknown rank, which turns out not to be one it takes, or of which one is told to mean another": (
        "tf.repeat(a, 2, axis=0)", "tf.repeat(a, 2, axis=-1)", "tf.reverse(a, [0])", "tf.reverse(a, [-1])", "tf.reverse(a, [0, 0])",
        "tf.reverse(a, [5])", "tf.zeros(a)", "tf.dynamic_partition(a, b, 0)", "tf.vectorized_map(lambda x: x, a)",
        'tf.nn.max_pool(a, 2, 1, "SAME")', 'tf.nn.avg_pool(a, 2, 1, "SAME")', "kops.fliplr(a)", "kops.flipud(a)",
    ),
    "the dtype of what is a Python number at once": (
        "kops.shape", "tnp.size", "tnp.ndim", "tnp.shape", "kops.dtype", "tf.broadcast_static_shape",
    ),
    "a scalar where a traced function takes no tensor of an unknown rank for one": ("kops.repeat",),
    "an empty list of indices has no dtype in a graph": ("tf.gather",),
    "refused while tracing, where nothing is looked at eagerly": (
        "tf.linalg.tensor_diag_part", "tf.reverse_sequence", "tf.image.adjust_hue", "tf.image.adjust_saturation",
        "tf.image.stateless_random_hue", "tf.image.stateless_random_saturation", "tnp.flip", "tnp.fliplr", "tnp.tensordot",
        "tf.signal.inverse_stft_window_fn", "grad(lambda x: tf.reverse",
    ),
    "layers and losses of Keras need the ranks": (
        "tf.keras.losses.sparse_categorical_crossentropy", "tf.keras.metrics.top_k_categorical_accuracy", "tnp.vander",
        "tf.nn.safe_embedding_lookup_sparse",
    ),
    "the parts of what is no number, which NumPy has at once": ("kops.imag", "kops.real", "tnp.imag", "tnp.real"),
    "the text of Python, which is a tensor when it leaves a traced function": ('"x" % a', 'b"\\xff" % a'),
    "labels and logits that broadcast, of unknown ranks": (
        "grad(lambda x, y: tf.nn.softmax_cross_entropy_with_logits",
    ),
    "it asks whether it is traced": ("tf.is_symbolic_tensor",),
    "the rows of nothing have a shape in a graph": ("tf.map_fn",),
    "a number is no condition in a graph": ("tf.cond",),
    "the greatest of nothing, in a ragged tensor": ("tf.reduce_max",),
    "a window of one element, with a beta that is NaN": ("tf.signal.kaiser_window",),
    "NaN parts of complex numbers, computed in another order": ("tf.keras.losses.MeanSquaredError",),
}  # fmt: skip
LEFT_OUT = {text for texts in TRACED_DIFFERS.values() for text in texts}


def is_traced(call: runner.Call) -> bool:
    """Whether a call is compared with itself when it is traced."""
    return call.traced and not LEFT_OUT & {call.text, start_of(call.text)}


def differences_when_traced(call: runner.Call, numbers: Iterable[int]) -> list[str]:
    """Where a traced call gives something else than the same one at once."""
    found = {number: runner.eager(tf, call, number) for number in numbers}
    given = [number for number, result in found.items() if not isinstance(result, str)]
    for known in ([number % 2 == 0 for number in given], [True] * len(given)):
        try:
            results = traced(call, given, known) if given else []
            break
        except Exception as error:
            if not any(word in str(error) for word in NEEDS):
                return [f"{call.text}: {type(error).__name__}: {error}"]
    else:
        return []
    pairs = ((number, problem(result, found[number])) for number, result in zip(given, results))
    return [f"{call.text}: {number} {call.cases[number]}: traced {told}" for number, told in pairs if told]


KINDS = (
    "another class of error", "refused here", "TensorFlow refuses it", "another dtype or shape", "the sign of a zero",
    "complex numbers with parts that are infinite or NaN", "what NaN, infinities and the largest numbers reach",
    "values that TensorFlow rounds, overflows or draws otherwise",
)  # fmt: skip


def kind(ours: Any, theirs: Any) -> str:
    """Which of `KINDS` a difference is."""
    if isinstance(ours, str) or isinstance(theirs, str):
        return KINDS[0 if isinstance(ours, str) and isinstance(theirs, str) else 1 if isinstance(ours, str) else 2]
    leaves = [(a, b) for a, b in zip(ours, theirs) if isinstance(a, list) and isinstance(b, list)]
    if len(ours) != len(theirs) or len(leaves) < len(ours) or any(a[:2] != b[:2] for a, b in leaves):
        return KINDS[3]
    wrong = [(a, b) for a, b in leaves if problem_with([a], [b]) and a[0] != "string"]
    values = [(np.array(a[2], float), np.array(b[2], float)) for a, b in wrong]
    if wrong and all(((a == b) | (np.isnan(a) & np.isnan(b))).all() for a, b in values):  # -0.0 == 0.0
        return KINDS[4]
    if any(not np.isfinite(v).all() for pair in values for v in pair):
        return KINDS[5 if any("complex" in a[0] for a, _ in wrong) else 6]
    return KINDS[7]


def letter(ours: Any, theirs: Any) -> str:
    """The letter of the kind of a difference."""
    return causes.LETTERS[KINDS.index(kind(ours, theirs))]


def cause(text: str, ours: Any, theirs: Any) -> str | None:
    """The name of the cause of a difference of the call `text`, or None."""
    a, b = (v if isinstance(v, str) else "" for v in (ours, theirs))
    return causes.cause(text, letter(ours, theirs), (a, b))


def is_meant(head: str, ours: Any, theirs: Any) -> bool:
    """Whether a difference that is listed under a cause is one of those that this cause is about."""
    return letter(ours, theirs) in causes.KINDS_OF[head]


def accept(name: str, heads: Mapping[str, Mapping[str, list[int]]]) -> None:
    """Lists differences of a file under their causes."""
    listed = runner.differences(name)
    for head, calls in heads.items():
        under = listed.setdefault(head, {})
        for text, numbers in calls.items():
            under[text] = sorted({*under.get(text, ()), *numbers})
    lines = [f"{json.dumps(why)}: {json.dumps(calls)}" for why, calls in listed.items()]
    runner.differences_of(name).write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def main(arguments: list[str]) -> int:
    """Runs the comparisons; the exit code is 1 where something differs that is not listed."""
    parser = argparse.ArgumentParser(prog="python -m tests.public_edges", description=__doc__)
    parser.add_argument("files", nargs="*")
    parser.add_argument("--traced", action="store_true")
    parser.add_argument("--part", default="0/1")
    parser.add_argument("--only", default="")
    parser.add_argument("--accept", action="store_true")
    options = parser.parse_args(arguments)
    first, step = map(int, options.part.split("/"))
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    differ, looked_at = 0, 0
    for name in options.files or runner.files():
        recorded, listed = runner.recorded(name), meant(name)
        known = kinds_meant(name) if runner.ALL else set()
        heads: dict[str, dict[str, list[int]]] = collections.defaultdict(lambda: collections.defaultdict(list))
        for call in (call for call in runner.calls(name)[first::step] if re.search(options.only, call.text)):
            cases = list(usable(call, recorded[call.text]))
            looked_at += len(cases)
            told = []
            if options.traced:
                told = (
                    differences_when_traced(call, [n for n, _ in cases])
                    if call.traced and start_of(call.text) not in LEFT_OUT
                    else []
                )
            for number, theirs in [] if options.traced else cases:
                ours = runner.eager(tf, call, number)
                wrong = problem(ours, theirs)
                reason = listed.get((call.text, number))
                if not wrong or (reason is not None and is_meant(reason, ours, theirs)):
                    continue
                if not any(s == start_of(call.text) and is_meant(reason, ours, theirs) for s, reason in known):
                    head = cause(call.text, ours, theirs)
                    if head is not None:
                        heads[head][call.text].append(number)
                    told.append(f"[{kind(ours, theirs)}] {call.text}: {number} {call.cases[number]}: {wrong}")
            differ += len(told)
            for line in told:
                print(name, re.sub(r"\s+", " ", line)[:600], flush=True)
        if options.accept and heads:
            accept(name, heads)
    print(f"{looked_at} cases, {differ} differ and are not listed")
    return int(differ > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
