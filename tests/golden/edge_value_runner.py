"""Runs samples of `edge_value_cases` with a module that has TensorFlow's names, and says what came out."""

import numpy as np

from tests.golden.edge_value_cases import Edge
from tests.golden.op_samples_runner import call

DIGITS = {"float16": 4, "bfloat16": 4, "float32": 7, "complex64": 7, "float64": 10, "complex128": 10}


def tensors(tf, inputs):
    """The inputs of a sample as tensors."""
    return [tensor(tf, v) for v in inputs]


def tensor(tf, value):
    if isinstance(value, list):
        return [tensor(tf, v) for v in value]
    if isinstance(value, Edge):
        found = tf.constant(value.array)
        return tf.cast(found, tf.bfloat16) if value.dtype == "bfloat16" else found
    if isinstance(value, tuple):
        return tf.cast(tf.constant(np.float32(value[1])), value[0])
    return tf.constant(value) if isinstance(value, (np.ndarray, np.generic)) else value


def shown(leaf):
    """A tensor as JSON: dtype, shape, values."""
    array = np.asarray(leaf.numpy()).reshape(-1)
    name = leaf.dtype.name
    digits = DIGITS.get(name)
    if name == "string":
        values = [v.decode("latin-1") for v in array.tolist()]
    elif digits is None:
        values = array.astype(int).tolist()
    else:
        wide = array.astype(np.complex128 if leaf.dtype.is_complex else np.float64)
        parts = wide.view(np.float64) if leaf.dtype.is_complex else wide
        values = [short(float(f"{v:.{digits}g}")) for v in parts.tolist()]
    return [name, list(leaf.shape), values]


def short(value):
    """A float that is a whole number as that, but for -0.0."""
    whole = value == value and abs(value) < 1e6 and value == int(value) and str(value) != "-0.0"
    return int(value) if whole else value


def eager(tf, op, sample):
    """Outputs, or the class of the error."""
    inputs, attrs = sample
    try:
        with np.errstate(all="ignore"):
            return [shown(t) for t in call(tf, op, tensors(tf, inputs), attrs)]
    except Exception as error:
        return type(error).__name__
