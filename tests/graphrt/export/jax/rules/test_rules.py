"""What JAX makes of ops is what graphrt makes of them.

Covers: graphrt/export/jax/rules/, graphrt/export/jax/replay.py
"""

import numpy as np
import pytest

import graphrt as tf
from tests.golden import op_samples_cases as samples
from tests.golden import op_samples_runner as sampling

jax = pytest.importorskip("jax")

from graphrt.export.jax.function import to_jax  # noqa: E402
from graphrt.export.jax.rules import RULES  # noqa: E402

WITHOUT_NUMBERS = {}

TOLERANCE = {"float32": 2e-4, "float64": 1e-9, "float16": 4e-3, "bfloat16": 4e-2, "complex64": 2e-4, "complex128": 1e-9}


def same(found, wanted, dtype):
    found, wanted = np.asarray(found), np.asarray(wanted)
    assert found.dtype == wanted.dtype, f"{found.dtype}, not {wanted.dtype}"
    assert found.shape == wanted.shape
    if dtype.is_floating or dtype.is_complex:
        wide = "complex128" if dtype.is_complex else "float64"
        limit = TOLERANCE[dtype.name]
        np.testing.assert_allclose(found.astype(wide), wanted.astype(wide), rtol=limit, atol=limit)
    else:
        assert found.tolist() == wanted.tolist()


CHANGE = sorted(op for op in samples.CASES if op in RULES)
SAMPLES = 2  # of each op: what they differ in are dtypes, and XLA compiles each


def moves(index, value):
    """Whether an input of a sample is a value of JAX: the first, and numbers; axes and shapes must be known."""
    return isinstance(value, samples.A) and (index == 0 or value.dtype[:3] not in ("int", "uin"))


def traced(op, tensors, moving, attrs):
    def run(*given):
        supply = dict(zip(moving, given))
        return sampling.flat(sampling.call(tf, op, [supply.get(i, t) for i, t in enumerate(tensors)], attrs))

    return tf.function(run).get_concrete_function(*[tf.TensorSpec(tensors[i].shape, tensors[i].dtype) for i in moving])


@pytest.mark.parametrize("op", CHANGE)
def test_ops(op):
    compared = refused = 0
    for index, (inputs, attrs) in enumerate(samples.CASES[op][:SAMPLES]):
        tensors = [sampling.tensor(tf, v, (op, index, i)) for i, v in enumerate(inputs)]
        if any(t.dtype is tf.string for t in tf.nest.flatten(tensors) if tf.is_tensor(t)):
            continue
        try:
            wanted = sampling.flat(sampling.call(tf, op, tensors, attrs))
        except tf.errors.OpError:  # a sample of an error
            continue
        moving = [i for i, v in enumerate(inputs) if moves(i, v)]
        try:
            found = to_jax(traced(op, tensors, moving, attrs))(*[tensors[i].numpy() for i in moving])
        except tf.errors.UnimplementedError:
            refused += 1
            continue
        for one, tensor in zip(found, wanted, strict=True):
            same(one, tensor.numpy(), tensor.dtype)
        compared += 1
    assert compared or refused or op in WITHOUT_NUMBERS


def by_xla(function, *args):
    return tf.function(function, jit_compile="xla")(*args).numpy().tolist()


def test_positions_pass_over_what_is_no_number_and_means_of_integers_do_not_wrap_around():
    x = tf.constant([np.nan, 1.0, 2.0, -np.inf])
    assert by_xla(lambda x: tf.stack([tf.argmax(x), tf.argmin(x)]), x) == [2, 3]
    assert by_xla(lambda x: tf.reduce_mean(x, 0), tf.constant([[100], [100], [101]], tf.int8)) == [100]
    assert by_xla(lambda x: tf.reduce_mean(x), tf.constant([255, 255, 254], tf.uint8)) == 254


def test_loops_that_read_variables_fill_lists_whose_elements_have_no_shape_yet():
    weight = tf.Variable([[0.5, -0.5], [0.25, 1.0]])

    def run(x):
        rows, state = tf.TensorArray(tf.float32, 3), x
        for i in tf.range(3):
            state = tf.tanh(state @ weight)
            rows = rows.write(i, state)
        return rows.stack()

    x = tf.constant([[1.0, 2.0]])
    np.testing.assert_allclose(by_xla(run, x), run(x).numpy(), 1e-5)


def test_recurrent_layers_run_on_xla():
    for layer in (tf.keras.layers.GRU(3, return_sequences=True), tf.keras.layers.LSTM(3)):
        x = tf.sin(tf.reshape(tf.range(24.0), [2, 4, 3]))
        wanted = layer(x).numpy()
        np.testing.assert_allclose(by_xla(layer, x), wanted, 1e-5, 1e-6)
