"""Runs the cases of `more_ops_cases.txt`, one expression a line, under TensorFlow or graphrt; results become JSON."""

import os

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))


def cases():
    with open(os.path.join(HERE, "more_ops_cases.txt"), encoding="utf-8") as file:
        lines = [line.rstrip("\n") for line in file]
    return [line for line in lines if line and not line.startswith("#")]


def plain(value):
    if isinstance(value, dict):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if isinstance(value, bytes):
        return value.decode("latin-1")
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, complex):
        return [value.real, value.imag]
    return value


def encoded(value):
    """A result as plain data: what it is, its dtype and shape, its elements."""
    kind = type(value).__name__
    if kind == "RaggedTensor":
        return {"ragged": plain(value.to_list()), "dtype": value.dtype.name, "shape": str(value.shape),
                "splits": value.row_splits.dtype.name}
    if kind == "SparseTensor":
        return {"sparse": [encoded(v) for v in (value.indices, value.values, value.dense_shape)]}
    if isinstance(value, dict):
        return {"dict": {str(k): encoded(v) for k, v in sorted(value.items())}}
    if isinstance(value, (list, tuple)):
        return [encoded(v) for v in value]
    if hasattr(value, "numpy") and hasattr(value, "dtype"):
        return {"tensor": plain(np.asarray(value.numpy()).tolist()), "dtype": value.dtype.name,
                "shape": str(value.shape)}
    if isinstance(value, (np.ndarray, np.generic)):
        return {"array": plain(value.tolist()), "dtype": str(value.dtype)}
    return {"value": repr(value)}


def run(tf, case, traced=False):
    def grad(function, *values):
        """The gradients of the sum of `function` by `values`."""
        inputs = [tf.constant(v) for v in values]
        with tf.GradientTape() as tape:
            tape.watch(inputs)
            result = function(*inputs)
        return [None if g is None else tf.convert_to_tensor(g) for g in tape.gradient(result, inputs)]

    space = {"tf": tf, "np": np, "grad": grad}
    try:
        if traced:
            f = tf.function(lambda: eval(case, space), autograph=False)
            return encoded(f())
        return encoded(eval(case, space))
    except Exception as error:
        return {"error": [c.__name__ for c in type(error).__mro__]}
