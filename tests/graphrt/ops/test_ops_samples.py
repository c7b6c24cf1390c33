"""Raw ops over dtypes, shapes, attributes and bad input: TensorFlow's values, dtypes, errors and static shapes.

Covers: graphrt/ops/support/kernel_helpers.py.
"""

import builtins
import importlib.util
import json
import os

import numpy as np
import pytest

import graphrt as tf
from graphrt.tensor.context import building
from graphrt.tensor.func_graph import FuncGraph
from tests import GOLDEN
from tests.golden import op_samples_runner as runner
from tests.golden.op_samples_pictures import CASES

with open(os.path.join(GOLDEN, "op_samples.json")) as _file:
    RECORDED = json.load(_file)
HAS_BFLOAT16 = importlib.util.find_spec("ml_dtypes") is not None
TOLERANCE = {"float16": 2e-3, "bfloat16": 8e-3, "float32": 2e-5, "complex64": 2e-5, "float64": 1e-9, "complex128": 1e-9}

# op -> what is done otherwise than in TensorFlow, on purpose: by the number of the sample
EMPTY_RANGE = "an empty range, as in Python"
ZERO_DIAGONAL = "the size of an unknown diagonal is unknown, where TensorFlow says 0"
UTF_8 = "an empty pattern stands between bytes, in TensorFlow between characters"
DIFFERS = {
    "Range": dict.fromkeys(range(20, 25), EMPTY_RANGE),
    "MatrixDiagV3": dict.fromkeys((2, 3, 4, 5, 10, 11), ZERO_DIAGONAL),
    "Conv2D": {18: "an empty batch has the channels of the filter, where TensorFlow gives those of the input"},
    "RegexReplace": dict.fromkeys((4, 5), UTF_8), "StaticRegexReplace": dict.fromkeys((2,), UTF_8),
    "AvgPoolGrad": {16: "the gradient is not of the size that the pooling gives"},
    "CTCBeamSearchDecoder": dict.fromkeys(range(1, 16, 2), "in double precision throughout"),
    **{f"FusedBatchNormGrad{v}": dict.fromkeys(range(12), "the last two outputs are as TensorFlow's shape rule says, which its "
       "kernel does not keep") for v in ("", "V2", "V3")},
    "ScatterNdNonAliasingAdd": {12: "indices that are a vector index with all of it"},
    "UnravelIndex": {**dict.fromkeys((8, 9), "refused, where TensorFlow gives positions that are negative"),
                     **dict.fromkeys((10, 11), "no positions have no coordinates; TensorFlow raises")},
}  # fmt: skip


def error_class(name):
    return getattr(tf.errors, name, None) or getattr(builtins, name)


def problem_with(found, wanted):
    """What is wrong with an eager result, or None."""
    if isinstance(wanted, dict) or isinstance(found, dict):
        if not isinstance(wanted, dict):
            return f"{found}, not {wanted}"
        if not isinstance(found, dict):
            return f"{found}, not {wanted}"
        ours, theirs = error_class(found["error"]), error_class(wanted["error"])
        return None if issubclass(ours, theirs) else f"{found}, not {wanted}"
    if len(found) != len(wanted):
        return f"{len(found)} outputs, not {len(wanted)}"
    for (dtype, shape, values), (w_dtype, w_shape, w_values) in zip(found, wanted):
        if (dtype, shape) != (w_dtype, w_shape):
            return f"{dtype}{shape}, not {w_dtype}{w_shape}"
        tolerance = TOLERANCE.get(dtype)
        if tolerance is None:
            same = values == w_values
        else:
            same = np.allclose(
                values, w_values, rtol=tolerance, atol=tolerance * (0.5 if tolerance > 1e-3 else 0.1), equal_nan=True
            )
        if not same:
            return f"{dtype} {values}, not {w_values}"
    return None


def placeholder(dtype, dims):
    from graphrt.tensor.context import current_graph

    return current_graph().placeholder(dtype, None if dims is None else tuple(dims), "Placeholder")


def shape_problem(op, index, how, wanted):
    with building(FuncGraph("samples")):
        found = runner.known(tf, op, index, CASES[op][index], how, placeholder)
    if isinstance(wanted, dict):  # found while the graph is made: here then, or when it runs
        return None
    if isinstance(found, dict):
        return f"{how}: {found}, not {wanted}"
    for ours, theirs in zip(found, wanted, strict=True):
        if theirs is None:
            continue
        if ours is None or len(ours) != len(theirs) or any(t is not None and o != t for o, t in zip(ours, theirs)):
            return f"{how}: shape {ours}, less than {theirs}"
    return None


def uses_bfloat16(sample):
    return "bfloat16" in repr(sample)


@pytest.mark.parametrize("op", list(RECORDED))
def test_as_tensorflow(op):
    wrong = []
    for index, (now, shapes) in enumerate(RECORDED[op]):
        sample = CASES[op][index]
        if index in DIFFERS.get(op, {}) or (uses_bfloat16(sample) and not HAS_BFLOAT16):
            continue
        found = [None if now is None else problem_with(runner.eager(tf, op, index, sample), now)]
        if not (isinstance(now, dict)):
            found += [shape_problem(op, index, how, w) for how, w in zip(("dims", "rank", "nothing"), shapes)]
        wrong += [f"{index} {sample}: {p}" for p in found if p]
    assert not wrong, "\n".join(wrong)


def test_errors_name_the_op_and_the_line():
    wrong = []
    for op, entries in RECORDED.items():
        for index, (now, _) in enumerate(entries):
            inputs, attrs = sample = CASES[op][index]
            if not isinstance(now, dict) or uses_bfloat16(sample) or index in DIFFERS.get(op, {}):
                continue
            try:
                runner.call(tf, op, [runner.tensor(tf, v, (op, index, i)) for i, v in enumerate(inputs)], attrs)
            except Exception as error:
                if op not in str(error) or "op_samples_runner.py:" not in str(error):
                    wrong.append(f"{op} {index}: {error}")
    assert not wrong, "\n".join(wrong)
