"""Models of sparse data: of sparse tensors, matrices of scipy.sparse, datasets and generators of such.

The losses are those of TensorFlow 2.20 (Keras 3.15.1).
"""

import numpy as np
import pytest

import graphrt as tf
from graphrt.keras.models.sparse_rows import SparseRows, rows_of

keras = tf.keras
RNG = np.random.RandomState(0)
X = RNG.rand(12, 6).astype("float32") * (RNG.rand(12, 6) > 0.6)
Y = RNG.rand(12, 2).astype("float32")
ENTRIES = tf.sparse.from_dense(X)


def of_one_layer():
    entry = keras.Input((6,), sparse=True)
    model = keras.Model(entry, keras.layers.Dense(2, kernel_initializer="ones")(entry))
    model.compile("sgd", "mse", metrics=["mae"])
    return model


def of_two_layers():
    inner = keras.layers.Dense(3, kernel_initializer="ones", activation="relu")
    outer = keras.layers.Dense(2, kernel_initializer="ones")
    model = keras.Sequential([keras.Input((6,), sparse=True), inner, outer])
    model.compile("adam", "mse")
    return model


def scipy_matrix(kind):
    return getattr(pytest.importorskip("scipy.sparse"), f"{kind}_matrix")(X)


KINDS = {
    "tensor": lambda: ENTRIES, "csr": lambda: scipy_matrix("csr"), "coo": lambda: scipy_matrix("coo"), "dense": lambda: X,
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_fit_evaluate_and_predict_as_keras(kind):
    x = KINDS[kind]()
    fitted = of_one_layer().fit(x, Y, batch_size=4, epochs=2, verbose=0, shuffle=False)
    np.testing.assert_allclose(fitted.history["loss"], [0.9487, 0.9051], atol=6e-5)
    np.testing.assert_allclose(of_one_layer().evaluate(x, Y, batch_size=4, verbose=0), [0.9627, 0.8128], atol=6e-5)
    np.testing.assert_allclose(
        of_one_layer().predict(x, batch_size=5, verbose=0), X.sum(1, keepdims=True) * [[1, 1]], rtol=1e-5
    )
    fitted = of_two_layers().fit(x, Y, batch_size=4, epochs=2, verbose=0, shuffle=False)
    np.testing.assert_allclose(fitted.history["loss"], [13.1248, 12.8819], rtol=1e-5)
    fitted = of_one_layer().fit(x, Y, batch_size=4, validation_split=0.25, shuffle=False, verbose=0)
    np.testing.assert_allclose(fitted.history["val_loss"], [1.3611], atol=6e-5)
    fitted = of_one_layer().fit(x, Y, batch_size=4, validation_data=(x, Y), shuffle=False, verbose=0)
    np.testing.assert_allclose(fitted.history["val_loss"], [0.918], atol=6e-5)
    shuffled = of_one_layer().fit(x, Y, batch_size=5, epochs=2, verbose=0).history["loss"]
    assert len(shuffled) == 2


@pytest.mark.parametrize("kind", KINDS)
def test_batches_and_generators(kind):
    x = KINDS[kind]()
    np.testing.assert_allclose(of_one_layer().train_on_batch(x, Y)[0], 0.9627, atol=6e-5)
    assert of_one_layer().predict_on_batch(x).shape == (12, 2)
    fitted = of_one_layer().fit(((x, Y) for _ in range(3)), verbose=0)
    np.testing.assert_allclose(fitted.history["loss"], [0.9475], atol=6e-5)


def test_datasets_of_sparse_tensors_train_as_dense_ones():
    losses = [
        of_two_layers().fit(tf.data.Dataset.from_tensor_slices((x, Y)).batch(4), epochs=2, verbose=0).history["loss"]
        for x in (ENTRIES, X)
    ]
    np.testing.assert_allclose(losses, [[13.1248, 12.8819]] * 2, rtol=1e-5)


def test_batches_stay_sparse_where_the_model_takes_them_so():
    seen = []

    class Seeing(keras.layers.Layer):
        def call(self, x):
            seen.append(type(x))
            return tf.sparse.reduce_sum(x, 1, keepdims=True) if isinstance(x, tf.SparseTensor) else x[:, :1]

        def compute_output_shape(self, shape):
            return (shape[0], 1)

    for sparse in (True, False):
        entry = keras.Input((6,), sparse=sparse)
        keras.Model(entry, Seeing()(entry)).predict(ENTRIES, verbose=0)
        assert (seen[-1] is tf.SparseTensor) is sparse


def test_a_large_matrix_is_never_made_dense():
    rows = np.arange(10_000, dtype=np.int64)
    wide = tf.SparseTensor(np.stack([rows, rows * 100], 1), np.ones(10_000, "float32"), [10_000, 1_000_000])
    entry = keras.Input((1_000_000,), sparse=True)
    model = keras.Model(entry, keras.layers.Dense(1, kernel_initializer="ones")(entry))
    found = model.predict(wide, batch_size=1000, verbose=0)
    assert found.shape == (10_000, 1) and (found == 1).all()


def test_rows_are_taken_in_any_order():
    rows = rows_of(tf.SparseTensor([[2, 0], [0, 1], [0, 0]], [3.0, 2.0, 1.0], [4, 2]))
    assert isinstance(rows, SparseRows) and len(rows) == 4
    for taken in (slice(1, 3), slice(0, 0), np.array([2, 0, 2]), slice(None, None, -1)):
        wanted = np.array([[1, 2], [0, 0], [3, 0], [0, 0]], "float32")[taken]
        np.testing.assert_array_equal(tf.sparse.to_dense(rows[taken].tensor()), wanted)


def test_several_inputs_of_which_one_is_sparse():
    one, other = keras.Input((6,), sparse=True, name="one"), keras.Input((6,), name="other")
    dense = keras.layers.Dense(2, kernel_initializer="ones")
    model = keras.Model({"one": one, "other": other}, keras.layers.Add()([dense(one), dense(other)]))
    found = model.predict({"one": ENTRIES, "other": X}, batch_size=5, verbose=0)
    np.testing.assert_allclose(found, 2 * X.sum(1, keepdims=True) * [[1, 1]], rtol=1e-5)
