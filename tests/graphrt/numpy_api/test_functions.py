"""NumPy's functions on tensors give what NumPy gives on arrays, eagerly and in graphs."""

import numpy as np
import pytest

import graphrt as tf

A = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], np.float32)
V = np.array([3, 1, 2], np.int32)
B = np.array([[True, False], [False, True]])

CASES = {
    "sum": lambda a, v, b: np.sum(a, axis=0), "mean of ints": lambda a, v, b: np.mean(v), "std": lambda a, v, b: np.std(a, axis=1),
    "var with ddof": lambda a, v, b: np.var(a, ddof=1), "max": lambda a, v, b: np.max(a), "argmax": lambda a, v, b: np.argmax(a),
    "argmax keepdims": lambda a, v, b: np.argmax(a, axis=1, keepdims=True), "any": lambda a, v, b: np.any(b, axis=0),
    "all of numbers": lambda a, v, b: np.all(a), "cumsum": lambda a, v, b: np.cumsum(a), "norm": lambda a, v, b: np.linalg.norm(a),
    "reshape": lambda a, v, b: np.reshape(a, (3, 2)), "ravel": lambda a, v, b: np.ravel(a), "transpose": lambda a, v, b: np.transpose(a),
    "swapaxes": lambda a, v, b: np.swapaxes(a, 0, 1), "moveaxis": lambda a, v, b: np.moveaxis(a, 0, -1),
    "expand_dims": lambda a, v, b: np.expand_dims(a, (0, -1)), "squeeze": lambda a, v, b: np.squeeze(np.expand_dims(a, 0), 0),
    "concatenate": lambda a, v, b: np.concatenate([a, a], axis=1), "concatenate arrays": lambda a, v, b: np.concatenate([a, np.ones((1, 3))]),
    "stack": lambda a, v, b: np.stack([v, v], 1), "vstack": lambda a, v, b: np.vstack([v, v]), "hstack": lambda a, v, b: np.hstack([v, v]),
    "split": lambda a, v, b: np.split(a, 3, axis=1)[1], "split at": lambda a, v, b: np.split(v, [1])[1], "tile": lambda a, v, b: np.tile(v, (2, 2)),
    "repeat": lambda a, v, b: np.repeat(v, 2), "pad": lambda a, v, b: np.pad(v, 1), "take": lambda a, v, b: np.take(a, [0, -1], axis=1),
    "diff": lambda a, v, b: np.diff(a), "nonzero": lambda a, v, b: np.nonzero(b)[0], "where": lambda a, v, b: np.where(a > 2, a, 0),
    "where positions": lambda a, v, b: np.where(v > 1)[0], "clip": lambda a, v, b: np.clip(a, 2, 4),
    "nan_to_num": lambda a, v, b: np.nan_to_num(a * np.float32(np.inf)), "isclose": lambda a, v, b: np.isclose(a, a + 1e-9),
    "allclose": lambda a, v, b: np.allclose(a, a), "round": lambda a, v, b: np.round(a / 3, 2), "round ints": lambda a, v, b: np.round(v),
    "dot": lambda a, v, b: np.dot(a, np.transpose(a)), "inner": lambda a, v, b: np.inner(v, v), "outer": lambda a, v, b: np.outer(v, v),
    "tensordot": lambda a, v, b: np.tensordot(a, a, axes=([0], [0])), "einsum": lambda a, v, b: np.einsum("ij,kj->ik", a, a),
    "einsum without output": lambda a, v, b: np.einsum("ij,kj", a, a), "trace": lambda a, v, b: np.trace(np.dot(a, np.transpose(a))),
    "tril": lambda a, v, b: np.tril(a), "triu": lambda a, v, b: np.triu(a, 1), "diag": lambda a, v, b: np.diag(v),
    "flip": lambda a, v, b: np.flip(a), "roll": lambda a, v, b: np.roll(a, 1), "roll axis": lambda a, v, b: np.roll(a, 1, axis=1),
    "full_like": lambda a, v, b: np.full_like(a, 7), "size": lambda a, v, b: np.size(a), "shape": lambda a, v, b: np.shape(a),
    "hypot": lambda a, v, b: np.hypot(a, a), "log2": lambda a, v, b: np.log2(a), "logaddexp": lambda a, v, b: np.logaddexp(a, a),
    "trunc": lambda a, v, b: np.trunc(a / 2), "cbrt": lambda a, v, b: np.cbrt(a), "isnan of ints": lambda a, v, b: np.isnan(v),
    "fmax": lambda a, v, b: np.fmax(a, np.float32(np.nan)), "array @ tensor": lambda a, v, b: np.ones((1, 2), np.float32) @ a,
    "np.matmul": lambda a, v, b: np.matmul(a, np.array([1.0, 2.0, 3.0], np.float32)), "logical_and": lambda a, v, b: np.logical_and(v, b[0, 0]),
    "invert": lambda a, v, b: np.invert(b), "sinc": lambda a, v, b: np.sinc(a - 1), "broadcast_to": lambda a, v, b: np.broadcast_to(v, (2, 3)),
    "ufunc dtype": lambda a, v, b: np.add(v, v, dtype=np.float64), "ufunc outer": lambda a, v, b: np.multiply.outer(v, v),
    "ufunc reduce": lambda a, v, b: np.multiply.reduce(a, axis=1), "ufunc accumulate": lambda a, v, b: np.add.accumulate(v),
    "floor_divide": lambda a, v, b: np.floor_divide(v, 2), "number + tensor": lambda a, v, b: np.float64(2) + a,
    "array - tensor": lambda a, v, b: np.array([1.0, 2.0, 3.0]) - a, "array < tensor": lambda a, v, b: np.array([3, 2, 1]) < v,
    "meshgrid": lambda a, v, b: tuple(np.meshgrid(v, [1, 2], [5, 6, 7, 8])), "meshgrid ij": lambda a, v, b: np.meshgrid(v, v, indexing="ij")[1],
    "sqrt of ints": lambda a, v, b: np.sqrt(v), "float_power": lambda a, v, b: np.float_power(v, 2), "sort": lambda a, v, b: np.sort(v),
    "argsort": lambda a, v, b: np.argsort(v),
}  # fmt: skip


def arrays_of(found):
    return [np.asarray(x) for x in found] if isinstance(found, tuple) else np.asarray(found)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("mode", ["eager", "graph"])
def test_as_numpy(name, mode):
    function = CASES[name]
    run = function if mode == "eager" else tf.function(lambda a, v, b: function(a, v, b), autograph=False)
    found, wanted = arrays_of(run(tf.constant(A), tf.constant(V), tf.constant(B))), arrays_of(function(A, V, B))
    pairs = zip(found, wanted, strict=True) if isinstance(found, list) else [(found, wanted)]
    for f, w in pairs:
        np.testing.assert_allclose(f, w, rtol=1e-6, atol=1e-6)
        assert np.shape(f) == np.shape(w)


def test_an_array_takes_the_dtype_of_the_tensor_it_meets():
    assert (np.array([1.0, 2.0]) + tf.constant([1.0, 2.0])).dtype is tf.float32
    assert (np.int64(3) * tf.constant([1, 2])).dtype is tf.int32


def test_what_does_not_fit_is_promoted_as_numpy_does():
    found = np.add(np.array([1.5]), tf.constant([1]))
    assert found.dtype is tf.float64
    assert found.numpy().tolist() == [2.5]


def test_functions_without_an_op_run_in_numpy_on_concrete_tensors():
    assert float(np.nanmedian(tf.constant([3.0, 1.0, 2.0]))) == 2.0
    fractions, wholes = np.frexp(tf.constant([1.5]))
    assert (fractions.numpy().tolist(), wholes.numpy().tolist()) == ([0.75], [1])


@pytest.mark.parametrize(
    ("call", "word"),
    [(lambda x: np.nanmedian(x), "np.nanmedian"), (lambda x: np.frexp(x), "np.frexp"), (lambda x: np.pad(x, 1, mode="wrap"), "np.pad"),
     (lambda x: np.add.reduceat(x, [0]), "np.add.reduceat")],
)  # fmt: skip
def test_functions_without_an_op_are_refused_by_name_on_symbolic_tensors(call, word):
    with pytest.raises(TypeError, match=word):
        tf.function(lambda x: call(x), autograph=False)(tf.constant([1.0, 2.0]))


def test_nothing_is_written_into_tensors():
    x = tf.constant([1.0, 2.0])
    with pytest.raises(TypeError, match="cannot write"):
        np.add(x, x, out=x)
    with pytest.raises(TypeError, match="out="):
        np.sum(x, out=np.zeros(()))
    with pytest.raises(TypeError, match="cannot write"):
        tf.function(lambda x: np.add(x, 1.0, out=np.zeros(2)), autograph=False)(x)
    assert x.numpy().tolist() == [1.0, 2.0]


def test_an_array_may_be_updated_by_a_concrete_tensor():
    array = np.zeros(2)
    array += tf.constant([1.0, 2.0])
    assert isinstance(array, np.ndarray)
    assert array.tolist() == [1.0, 2.0]


def test_gradients_flow_through_numpy_functions():
    x = tf.constant([0.5, 1.5])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = np.sum(np.tanh(x) * np.array([2.0, 3.0]))
    np.testing.assert_allclose(tape.gradient(y, x).numpy(), [2, 3] / np.cosh([0.5, 1.5]) ** 2, rtol=1e-5)


def test_parts_of_complex_tensors_are_what_numpys_assertions_take():
    x = tf.constant(np.eye(3) + 0j)
    assert type(np.real(x)) is type(np.imag(x)) is np.ndarray
    np.testing.assert_almost_equal(x, np.eye(3))
    np.testing.assert_almost_equal(np.eye(3), x)
    v = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = np.real(tf.cast(v, tf.complex64))
    assert tape.gradient(y, v).numpy() == 1.0
    assert tf.function(lambda x: np.imag(x) + 1)(x).numpy().tolist() == np.ones((3, 3)).tolist()


@pytest.mark.parametrize("make", [np.linspace, np.logspace, tf.keras.ops.linspace])
def test_ends_of_unknown_lengths_are_broadcast(make):
    run = tf.function(lambda a, b: make(a, b, 4), input_signature=[tf.TensorSpec([None])] * 2)
    for a, b in (([1.0, 2.0], [3.0]), ([1.0], [2.0, 3.0]), ([1.0, 2.0], [2.0, 3.0])):
        np.testing.assert_allclose(run(a, b), make(tf.constant(a), tf.constant(b), 4), rtol=1e-6)
