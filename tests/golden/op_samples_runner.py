"""Runs a sample of `op_samples_cases` with a module that has TensorFlow's names, and says what came out."""

import json
import os

import numpy as np

from tests.golden.op_samples_cases import A, array_of

SCHEMAS = json.load(open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "op_schemas.json")))


def tensor(tf, value, seed):
    """An input of a sample as a tensor."""
    if isinstance(value, list):
        return [tensor(tf, v, (*seed, i)) for i, v in enumerate(value)]
    if isinstance(value, A):
        array = array_of(value, seed)
        return tf.cast(tf.constant(array), tf.bfloat16) if value.dtype == "bfloat16" else tf.constant(array)
    if isinstance(value, tuple):
        return tf.cast(tf.constant(np.float32(value[1])), value[0])
    return tf.constant(value) if isinstance(value, np.ndarray) else value


# what the functions of `raw_ops` call some inputs and attributes, otherwise than the ops do
RENAMED = {"reduction_indices": "axis", "split_dim": "axis", "squeeze_dims": "axis"}
OF_OPS = {"ExpandDims": {"dim": "axis"}, "Select": {"t": "x", "e": "y"}, "SelectV2": {}, "Where": {"input": "condition"}}


def call(tf, op, inputs, attrs):
    """The op on these tensors: its outputs, flat."""
    renamed = OF_OPS.get(op, RENAMED)
    names = [renamed.get(i["name"], i["name"]) for i in SCHEMAS[op]["inputs"]]
    kinds = {a["name"]: a["kind"] for a in SCHEMAS[op]["attrs"]}
    given = {renamed.get(n, n): tf.as_dtype(v) if kinds[n] == "type" else v for n, v in attrs.items()}
    found = getattr(tf.raw_ops, op)(**dict(zip(names, inputs)), **given)
    return flat(found)


def flat(found):
    if isinstance(found, (list, tuple)):
        return [leaf for part in found for leaf in flat(part)]
    return [found]


def shown(leaf):
    """A tensor as JSON: dtype, shape, values."""
    array = np.asarray(leaf.numpy())
    if leaf.dtype.name == "string":
        values = [v.decode("latin-1") for v in array.reshape(-1).tolist()]
    elif leaf.dtype.is_complex:
        digits = 8 if leaf.dtype.size == 8 else 13
        values = [float(f"{p:.{digits}g}") for v in array.reshape(-1).tolist() for p in (v.real, v.imag)]
    elif leaf.dtype.is_floating:
        digits = 9 if leaf.dtype.size <= 4 else 13
        values = [float(f"{v:.{digits}g}") for v in array.astype(np.float64).reshape(-1).tolist()]
    else:
        values = array.reshape(-1).tolist()
    return [leaf.dtype.name, list(array.shape), values]


def eager(tf, op, index, sample):
    """Outputs, or the class of the error."""
    inputs, attrs = sample
    try:
        return [shown(t) for t in call(tf, op, [tensor(tf, v, (op, index, i)) for i, v in enumerate(inputs)], attrs)]
    except Exception as error:
        return {"error": type(error).__name__}


def known(tf, op, index, sample, how, placeholder):
    """The static shapes of the outputs when the arrays are placeholders with known dimensions, rank, or nothing known."""
    inputs, attrs = sample

    def stand_in(value, seed):
        if isinstance(value, list):
            return [stand_in(v, (*seed, i)) for i, v in enumerate(value)]
        if isinstance(value, A):
            shape = list(value.shape) if how == "dims" else [None] * len(value.shape) if how == "rank" else None
            return placeholder(tf.as_dtype(value.dtype), shape)
        return tensor(tf, value, seed)

    try:
        found = call(tf, op, [stand_in(v, (op, index, i)) for i, v in enumerate(inputs)], attrs)
        return [None if t.shape.rank is None else t.shape.as_list() for t in found]
    except Exception as error:
        return {"error": type(error).__name__}
