"""Values in a few words and numbers."""

import json

import numpy as np
import pytest

import graphrt as tf
from graphrt.ir.summaries import has_nan, line_of, summary_of


@pytest.mark.parametrize(
    "value, expected",
    [
        (np.int32([1, 2, 3]), {"type": "int32[3]", "low": 1.0, "mean": 2.0, "high": 3.0, "nan": 0}),
        (np.float32(np.inf), {"type": "float32[]", "text": "inf", "nan": 0}),
        (tf.constant(np.arange(120.0), tf.bfloat16).numpy(), {"type": "bfloat16[120]", "bins": [10] * 12, "mean": 59.5}),
        (np.zeros([0, 3]), {"type": "float64[0, 3]", "bytes": 0}),
        (np.array([b"a"], object), {"type": "object[1]", "text": "[b'a']"}),
        (np.arange(120.0), {"type": "float64[120]", "bins": [10] * 12, "mean": 59.5}),
        (None, {"type": "NoneType", "text": "None"}),
    ],
)  # fmt: skip
def test_summaries(value, expected):
    found = summary_of(value)
    assert {k: found[k] for k in expected} == expected
    json.dumps(found, allow_nan=False)


def test_what_is_too_small_or_no_number_has_no_line():
    assert line_of(np.ones(3)) is None and line_of(np.full(100, "a", object)) is None
    assert line_of(np.full(100, np.nan)) == "float64[100], 800 B: 100 NaN"
    assert has_nan(np.complex64(complex(0, np.nan))) and not has_nan(np.arange(3)) and not has_nan("nan")
