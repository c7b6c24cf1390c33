"""Layers and models whose files are kept: `tf` and `keras` are TensorFlow and Keras, or those of this library."""

import numpy as np


def layers(tf, keras):
    """Layers, and what they are called with."""
    make = keras.layers
    images, rows, flat = tf.ones([1, 8, 8, 3]), tf.ones([1, 5, 4]), tf.ones([1, 4])
    return [
        (make.Dense(2), [flat]), (make.EinsumDense("ab,bc->ac", 3, bias_axes="c"), [flat]), (make.Conv1D(2, 3), [rows]),
        (make.Conv2D(2, 3), [images]), (make.Conv2DTranspose(2, 3), [images]), (make.DepthwiseConv2D(3), [images]),
        (make.SeparableConv2D(2, 3), [images]), (make.Embedding(5, 2), [tf.constant([1])]),
        (make.BatchNormalization(), [images]), (make.LayerNormalization(), [images]), (make.GroupNormalization(3), [images]),
        (make.PReLU(), [images]), (make.SimpleRNN(2), [rows]), (make.LSTM(2), [rows]), (make.GRU(2), [rows]),
        (make.Bidirectional(make.LSTM(2)), [rows]), (make.TimeDistributed(make.Dense(2)), [rows]),
        (make.MultiHeadAttention(2, 3), [rows, rows]), (make.Attention(use_scale=True), [[rows, rows]]),
        (make.AdditiveAttention(), [[rows, rows]]),
    ]  # fmt: skip


def models(tf, keras):
    """A sequential model that was trained, a functional one with branches, and one that is a class."""
    make = keras.layers
    plain = keras.Sequential([
        make.Input((4,)), make.Dense(3, activation="relu"), make.BatchNormalization(), make.Dropout(0.5), make.Dense(2),
    ])  # fmt: skip
    plain.compile("adam", "mse", metrics=["mae"])
    plain.fit(tf.ones([2, 4]), tf.ones([2, 2]), verbose=0)
    first, second = make.Input((5, 4)), make.Input((5, 4))
    read = make.Dense(2, kernel_regularizer="l2")(make.LSTM(3)(first))
    both = make.Bidirectional(make.GRU(2))(second)
    seen = make.Flatten()(make.MultiHeadAttention(2, 3)(first, second))
    graph = keras.Model([first, second], make.Concatenate()([read, both, seen]))

    class Parts(keras.Model):
        def __init__(self):
            super().__init__()
            self.one, self.two, self.inner = make.Dense(2), make.Dense(3), keras.Sequential([make.Dense(2)])

        def call(self, x):
            return self.inner(self.one(self.two(x)))

    parts = Parts()
    parts(tf.ones([1, 2]))
    return {"sequential": plain, "functional": graph, "subclass": parts}


def fill(variables, seed):
    """Other numbers for all weights but scalars."""
    numbers = np.random.default_rng(seed)
    for variable in variables:
        if len(variable.shape):
            variable.assign(numbers.random(tuple(variable.shape)).astype(np.float32))


def described(keras):
    """Models whose configurations are kept as JSON: a chain, a fork, and one with a mask."""
    make = keras.layers
    chain = keras.Sequential([
        keras.Input((8, 3)), make.Conv1D(4, 3, padding="causal", kernel_regularizer=keras.regularizers.L1L2(0.1, 0.2)),
        make.BatchNormalization(), make.ReLU(6.0), make.Bidirectional(make.LSTM(3, return_sequences=True)),
        make.GlobalMaxPooling1D(), make.Dropout(0.5),
        make.Dense(2, "softmax", kernel_initializer="he_normal", kernel_constraint="max_norm"),
    ], name="seq")  # fmt: skip
    a, b = keras.Input((4,), name="a"), keras.Input((6,), name="b")
    joined = make.Concatenate()([make.Dense(5, activation="gelu")(a), make.Dense(5)(b)])
    both = make.Add()([joined, make.LayerNormalization()(joined)])
    fork = keras.Model([a, b], {"one": make.Dense(1)(both), "two": make.Reshape((5, 2))(both)}, name="fun")
    tokens = keras.Input((6,), dtype="int32")
    embedded = make.Embedding(9, 4, mask_zero=True)(tokens)
    read = make.GRU(3)(make.MultiHeadAttention(2, 3)(embedded, embedded))
    masked = keras.Model(tokens, keras.Sequential([keras.Input((3,)), make.Dense(2)])(read), name="att")
    return [chain, fork, masked]
