"""Records what TensorFlow makes of the pipelines of `data_cases.py`; run with the Python that has TensorFlow.

    TF_CPP_MIN_LOG_LEVEL=3 python -m tests.golden.record_data

Writes `data.json`: for each case the outcome that `outcome` describes.
"""

from __future__ import annotations

import json
import pathlib

import numpy as np

from tests.golden.data_cases import CASES, LIMIT


def plain(value):
    """Nested elements as lists and dictionaries, tensors as `dtype: elements`."""
    if isinstance(value, dict):
        return {k: plain(value[k]) for k in sorted(value)}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if value is None:
        return None
    if not hasattr(value, "numpy"):
        if type(value).__module__.startswith(("tensorflow", "graphrt")):
            return [plain(v) for v in value]  # a dataset among the elements
        return repr(value)
    found = np.asarray(value.numpy())
    listed = found.tolist()
    return f"{value.dtype.name}: {listed}"


def error_of(error):
    """The names of the classes of an error that a user may catch it by."""
    names = [c.__name__ for c in type(error).__mro__]
    return [n for n in names if n not in ("object", "BaseException", "Exception", "OpError")]


def outcome(tf, function):
    """What a case gives: the dataset's type, count and elements; a value; or the error, and when it came."""
    try:
        made = function(tf)
    except Exception as error:
        return {"raises": error_of(error), "when": "made"}
    if not isinstance(made, tf.data.Dataset):
        return {"value": plain(made)}
    found = {"repr": repr(made).replace("tensorflow.", ""), "cardinality": int(made.cardinality()), "elements": []}
    try:
        for element in made.take(LIMIT):
            found["elements"].append(plain(element))
    except Exception as error:
        found["raises"] = error_of(error)
    return found


def record(tf):
    """All cases by name."""
    return {name: outcome(tf, function) for name, function in CASES.items()}


if __name__ == "__main__":
    import tensorflow

    target = pathlib.Path(__file__).with_name("data.json")
    lines = [f"{json.dumps(name)}: {json.dumps(found)}" for name, found in record(tensorflow).items()]
    target.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    print(len(lines), "cases")
