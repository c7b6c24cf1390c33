"""Programs for `tf.keras` that run the same in TensorFlow and here; `record_keras.py` keeps what TensorFlow gives.

Each case is a function of the module (`tf`), and gives a structure of arrays, numbers and strings.
"""

import numpy as np

CASES = {}


def case(function):
    CASES[function.__name__] = function
    return function


def add(name, function):
    CASES[name] = function


def numbers(seed, *shape):
    return np.random.RandomState(seed).uniform(-1, 1, shape).astype(np.float32)


def fill(layer, scale=1.0):
    """Gives all weights numbers that follow from their shapes only."""
    values = []
    for i, w in enumerate(layer.weights):
        shape = tuple(w.shape)
        values.append(numbers(i + 10, *shape) * scale if len(shape) else np.float32(0.5))
    for w, v in zip(layer.weights, values):
        w.assign(np.abs(v) if "variance" in w.name else v)


def shown(value):
    if isinstance(value, (list, tuple)):
        return [shown(v) for v in value]
    if isinstance(value, dict):
        return {k: shown(v) for k, v in value.items()}
    return np.asarray(value)


# --- layers: outputs, gradients, names and shapes of weights ----------------------------------------------------------
def layer_case(name, make, *inputs, training=None, call=None):
    def run(tf):
        tf.keras.backend.clear_session()
        layer = make(tf.keras.layers)
        tensors = [tf.constant(x) for x in inputs]
        kwargs = {} if training is None else {"training": training}
        invoke = call or (lambda layer, *x, **k: layer(*x, **k))
        invoke(layer, *tensors, **kwargs)
        fill(layer)
        floats = [t for t in tensors if t.dtype.is_floating]
        with tf.GradientTape() as tape:
            for t in floats:
                tape.watch(t)
            out = invoke(layer, *tensors, **kwargs)
            flat = tf.nest.flatten(out)
            total = tf.add_n([tf.reduce_sum(tf.cast(o, tf.float32) * numbers(5, *o.shape)) for o in flat])
        grads = tape.gradient(total, floats + layer.trainable_variables)
        return {
            "out": shown([np.asarray(o) for o in flat]),
            "grads": [None if g is None else np.asarray(tf.convert_to_tensor(g)) for g in grads],
            "weights": [[w.path.split("/", 1)[1], list(w.shape), bool(w.trainable)] for w in layer.weights],
            "after": [np.asarray(w) for w in layer.non_trainable_weights],
        }

    add(f"layer_{name}", run)


X2, X3, X4, X5 = numbers(0, 4, 3), numbers(1, 2, 5, 3), numbers(2, 2, 6, 7, 3), numbers(3, 1, 4, 5, 4, 2)
IDS = np.array([[1, 2, 0], [3, 1, 0]])

layer_case("dense", lambda L: L.Dense(4, activation="tanh"), X2)
layer_case("dense_3d", lambda L: L.Dense(4, use_bias=False), X3)
layer_case("einsum_dense", lambda L: L.EinsumDense("abc,cd->abd", output_shape=(None, 4), bias_axes="d"), X3)
layer_case("einsum_dense_ellipsis", lambda L: L.EinsumDense("...x,xy->...y", output_shape=4, bias_axes="y"), X3)
layer_case("embedding", lambda L: L.Embedding(5, 4), IDS)
layer_case("activation", lambda L: L.Activation("gelu"), X2)
for fn in ("relu", "leaky_relu", "elu", "celu", "selu", "gelu", "sigmoid", "log_sigmoid", "hard_sigmoid", "silu",
           "hard_silu", "tanh", "hard_tanh", "tanh_shrink", "hard_shrink", "soft_shrink", "softplus", "softsign",
           "squareplus", "exponential", "mish", "relu6", "sparse_plus", "sparse_sigmoid", "softmax",
           "log_softmax", "linear"):  # fmt: skip
    add(f"activation_{fn}", lambda tf, fn=fn: shown(getattr(tf.keras.activations, fn)(tf.constant(3 * X2))))
add("activation_glu", lambda tf: shown(tf.keras.activations.glu(tf.constant(numbers(1, 3, 4)))))
add("activation_threshold", lambda tf: shown(tf.keras.activations.threshold(tf.constant(X2), 0.2, 9.0)))
add("activation_relu_all", lambda tf: shown(tf.keras.activations.relu(tf.constant(3 * X2), 0.1, 2.0, 0.5)))
layer_case("relu", lambda L: L.ReLU(max_value=0.5, negative_slope=0.1, threshold=0.1), X2)
layer_case("leaky_relu", lambda L: L.LeakyReLU(0.2), X2)
layer_case("elu", lambda L: L.ELU(0.7), X2)
layer_case("prelu", lambda L: L.PReLU(shared_axes=[1]), X3)
layer_case("softmax", lambda L: L.Softmax(axis=1), X3)
layer_case("softmax_mask", lambda L: L.Softmax(), X2, call=lambda l, x: l(x, mask=np.array([[1, 1, 0]] * 4, bool)))
for pad in ("valid", "same"):
    layer_case(f"conv1d_{pad}", lambda L, p=pad: L.Conv1D(4, 3, strides=2, padding=p, activation="relu"), X3)
    layer_case(f"conv2d_{pad}", lambda L, p=pad: L.Conv2D(4, (3, 2), strides=(2, 1), padding=p), X4)
    layer_case(f"conv3d_{pad}", lambda L, p=pad: L.Conv3D(2, 2, padding=p), X5)
    layer_case(f"conv1d_transpose_{pad}", lambda L, p=pad: L.Conv1DTranspose(2, 3, strides=2, padding=p), X3)
    layer_case(f"conv2d_transpose_{pad}", lambda L, p=pad: L.Conv2DTranspose(2, 3, strides=2, padding=p), X4)
    layer_case(f"conv2d_transpose_stride_{pad}", lambda L, p=pad: L.Conv2DTranspose(2, 2, strides=3, padding=p), X4)
    layer_case(f"conv3d_transpose_{pad}", lambda L, p=pad: L.Conv3DTranspose(2, 2, strides=2, padding=p), X5)
    layer_case(f"depthwise1d_{pad}", lambda L, p=pad: L.DepthwiseConv1D(3, depth_multiplier=2, padding=p), X3)
    layer_case(f"depthwise2d_{pad}", lambda L, p=pad: L.DepthwiseConv2D(3, depth_multiplier=2, padding=p), X4)
    layer_case(f"separable1d_{pad}", lambda L, p=pad: L.SeparableConv1D(4, 3, padding=p), X3)
    layer_case(f"separable2d_{pad}", lambda L, p=pad: L.SeparableConv2D(4, 3, padding=p, strides=2), X4)
    layer_case(f"max_pool2d_{pad}", lambda L, p=pad: L.MaxPooling2D((2, 3), strides=2, padding=p), X4)
    layer_case(f"avg_pool2d_{pad}", lambda L, p=pad: L.AveragePooling2D((2, 3), padding=p), X4)
    layer_case(f"max_pool1d_{pad}", lambda L, p=pad: L.MaxPooling1D(2, padding=p), X3)
    layer_case(f"avg_pool1d_{pad}", lambda L, p=pad: L.AveragePooling1D(3, strides=1, padding=p), X3)
    layer_case(f"max_pool3d_{pad}", lambda L, p=pad: L.MaxPooling3D(2, padding=p), X5)
    layer_case(f"avg_pool3d_{pad}", lambda L, p=pad: L.AveragePooling3D(2, padding=p), X5)
layer_case("conv1d_causal", lambda L: L.Conv1D(4, 3, padding="causal", dilation_rate=2), X3)
layer_case("conv2d_dilated", lambda L: L.Conv2D(4, 2, dilation_rate=2), X4)
layer_case("conv2d_groups", lambda L: L.Conv2D(4, 2, groups=2), numbers(4, 2, 5, 5, 4))
layer_case("conv2d_output_padding", lambda L: L.Conv2DTranspose(2, 3, strides=2, output_padding=1, padding="same"), X4)
for n in (1, 2, 3):
    x = {1: X3, 2: X4, 3: X5}[n]
    layer_case(f"global_max{n}", lambda L, n=n: getattr(L, f"GlobalMaxPooling{n}D")(), x)
    layer_case(f"global_avg{n}", lambda L, n=n: getattr(L, f"GlobalAveragePooling{n}D")(keepdims=True), x)
    layer_case(f"zero_padding{n}", lambda L, n=n: getattr(L, f"ZeroPadding{n}D")(2), x)
    layer_case(f"cropping{n}", lambda L, n=n: getattr(L, f"Cropping{n}D")(1), x)
    layer_case(f"up_sampling{n}", lambda L, n=n: getattr(L, f"UpSampling{n}D")(2), x)
layer_case("up_sampling_bilinear", lambda L: L.UpSampling2D((2, 3), interpolation="bilinear"), X4)
for mode in (True, False):
    layer_case(f"batch_norm_{mode}", lambda L: L.BatchNormalization(momentum=0.8), X4, training=mode)
layer_case("batch_norm_axis", lambda L: L.BatchNormalization(axis=1, scale=False), X4, training=True)
layer_case("layer_norm", lambda L: L.LayerNormalization(), X3)
layer_case("layer_norm_axes", lambda L: L.LayerNormalization(axis=[1, 2], center=False), X3)
layer_case("group_norm", lambda L: L.GroupNormalization(2), numbers(4, 2, 5, 4))
layer_case("unit_norm", lambda L: L.UnitNormalization(), X3)
layer_case("rms_norm", lambda L: L.RMSNormalization(), X3)
layer_case("flatten", lambda L: L.Flatten(), X4)
layer_case("flatten_1d", lambda L: L.Flatten(), numbers(1, 4))
layer_case("flatten_first", lambda L: L.Flatten(data_format="channels_first"), X4)
layer_case("reshape", lambda L: L.Reshape((3, -1)), X3)
layer_case("permute", lambda L: L.Permute((2, 1)), X3)
layer_case("repeat_vector", lambda L: L.RepeatVector(3), X2)
layer_case("rescaling", lambda L: L.Rescaling(2.0, offset=-1.0), X2)
layer_case("normalization", lambda L: L.Normalization(mean=2.0, variance=4.0), X2)
layer_case("normalization_axis", lambda L: L.Normalization(mean=[1.0, 2.0, 3.0], variance=[4.0, 1.0, 9.0]), X2)
layer_case("masking", lambda L: L.Masking(0.0), np.where(np.abs(X3) < 0.3, 0.0, X3).astype(np.float32))
layer_case("dropout", lambda L: L.Dropout(0.4, seed=3), X3, training=True)
layer_case("dropout_noise_shape", lambda L: L.Dropout(0.4, noise_shape=(None, 1, None), seed=3), X3, training=True)
layer_case("spatial_dropout", lambda L: L.SpatialDropout1D(0.4, seed=3), X3, training=True)
layer_case("gaussian_noise", lambda L: L.GaussianNoise(0.4, seed=3), X3, training=True)
layer_case("gaussian_dropout", lambda L: L.GaussianDropout(0.4, seed=3), X3, training=True)
layer_case("alpha_dropout", lambda L: L.AlphaDropout(0.4, seed=3), X3, training=True)
for op in ("Add", "Subtract", "Multiply", "Average", "Maximum", "Minimum", "Concatenate"):
    layer_case(op.lower(), lambda L, op=op: getattr(L, op)(), X2, numbers(9, 4, 3), call=lambda l, a, b: l([a, b]))
layer_case("add_broadcast", lambda L: L.Add(), X3, numbers(9, 2, 3), call=lambda l, a, b: l([a, b]))
layer_case("dot", lambda L: L.Dot(axes=1), X3, numbers(9, 2, 5), call=lambda l, a, b: l([a, b]))
layer_case("dot_normalized", lambda L: L.Dot(axes=(2, 2), normalize=True), X3, numbers(9, 2, 4, 3),
           call=lambda l, a, b: l([a, b]))  # fmt: skip
layer_case("attention", lambda L: L.Attention(use_scale=True), X3, numbers(9, 2, 4, 3), call=lambda l, a, b: l([a, b]))
layer_case("attention_concat", lambda L: L.Attention(score_mode="concat"), X3, numbers(9, 2, 4, 3),
           call=lambda l, a, b: l([a, b]))  # fmt: skip
layer_case("attention_causal", lambda L: L.Attention(), X3, call=lambda l, a: l([a, a], use_causal_mask=True))
layer_case("attention_masked", lambda L: L.Attention(), X3,
           call=lambda l, a: l([a, a], mask=[None, np.array([[1, 1, 1, 0, 0]] * 2, bool)]))  # fmt: skip
layer_case("additive_attention", lambda L: L.AdditiveAttention(), X3, numbers(9, 2, 4, 3),
           call=lambda l, a, b: l([a, b]))  # fmt: skip
layer_case("multi_head", lambda L: L.MultiHeadAttention(2, 4), X3, numbers(9, 2, 4, 3),
           call=lambda l, a, b: l(a, b, return_attention_scores=True))  # fmt: skip
layer_case("multi_head_options", lambda L: L.MultiHeadAttention(2, 4, value_dim=3, use_bias=False, output_shape=6), X3,
           call=lambda l, a: l(a, a, use_causal_mask=True))  # fmt: skip
layer_case("multi_head_mask", lambda L: L.MultiHeadAttention(2, 4), X3,
           call=lambda l, a: l(a, a, attention_mask=np.tril(np.ones((1, 5, 5), bool))))  # fmt: skip
layer_case("multi_head_axes", lambda L: L.MultiHeadAttention(2, 4, attention_axes=(1, 2)), numbers(8, 2, 2, 3, 4),
           call=lambda l, a: l(a, a))  # fmt: skip
for kind in ("SimpleRNN", "LSTM", "GRU"):
    low = kind.lower()
    layer_case(low, lambda L, k=kind: getattr(L, k)(4), X3)
    layer_case(f"{low}_all", lambda L, k=kind: getattr(L, k)(4, return_sequences=True, return_state=True), X3)
    layer_case(f"{low}_backwards", lambda L, k=kind: getattr(L, k)(4, go_backwards=True, return_sequences=True), X3)
    layer_case(f"{low}_masked", lambda L, k=kind: getattr(L, k)(4, return_sequences=True, return_state=True), X3,
               call=lambda l, x: l(x, mask=np.array([[1, 1, 0, 1, 0], [1, 0, 1, 1, 1]], bool)))  # fmt: skip
    layer_case(f"{low}_initial", lambda L, k=kind: getattr(L, k)(4, use_bias=False), X3, call=lambda l, x: l(
        x, initial_state=[numbers(i, 2, 4) for i in range(2 if "lstm" in type(l).__name__.lower() else 1)]))  # fmt: skip
    layer_case(f"{low}_bidirectional", lambda L, k=kind: L.Bidirectional(getattr(L, k)(4, return_sequences=True)), X3)
layer_case("gru_reset_before", lambda L: L.GRU(4, reset_after=False, return_sequences=True), X3)
for kind in ("SimpleRNN", "LSTM", "GRU"):
    layer_case(f"{kind.lower()}_dropout", lambda L, k=kind: getattr(L, k)(4, dropout=0.3, seed=1), X3, training=True)
    layer_case(f"{kind.lower()}_recurrent_dropout", lambda L, k=kind: getattr(L, k)(4, dropout=0.3, recurrent_dropout=0.4,
               seed=1), X3, training=True)  # fmt: skip
layer_case(
    "gru_before_dropout", lambda L: L.GRU(4, recurrent_dropout=0.4, seed=1, reset_after=False), X3, training=True
)
layer_case("multi_head_dropout", lambda L: L.MultiHeadAttention(2, 4, dropout=0.4, seed=1), X3, training=True,
           call=lambda l, a, **k: l(a, a, **k))  # fmt: skip
layer_case("bidirectional_masked", lambda L: L.Bidirectional(L.GRU(4, return_sequences=True)), X3, call=lambda l, x: l(
    x, mask=np.array([[1, 1, 1, 0, 0], [1, 1, 1, 1, 1]], bool)))  # fmt: skip
layer_case("dense_of_integers", lambda L: L.Dense(2), np.array([[1, 2, 3]]))
layer_case("lstm_options", lambda L: L.LSTM(4, activation="relu", recurrent_activation="hard_sigmoid"), X3)
layer_case("conv_lstm_1d", lambda L: L.ConvLSTM1D(2, 3, padding="same", return_sequences=True), numbers(5, 2, 3, 4, 2))
FILMS = numbers(6, 1, 3, 5, 4, 2)
layer_case("conv_lstm_2d", lambda L: L.ConvLSTM2D(2, (3, 2), strides=2, return_sequences=True, return_state=True,
           go_backwards=True), FILMS)  # fmt: skip
layer_case("conv_lstm_2d_same", lambda L: L.ConvLSTM2D(2, (3, 2), strides=2, padding="same", use_bias=False), FILMS)
layer_case("conv_lstm_2d_dilated", lambda L: L.ConvLSTM2D(2, 2, dilation_rate=2, unit_forget_bias=False), FILMS)
layer_case("conv_lstm_2d_masked", lambda L: L.ConvLSTM2D(2, 2, return_sequences=True), FILMS,
           call=lambda l, x: l(x, mask=np.array([[1, 0, 1]], bool)))  # fmt: skip
layer_case("conv_lstm_2d_dropout", lambda L: L.ConvLSTM2D(2, 2, dropout=0.3, recurrent_dropout=0.4, seed=1), FILMS,
           training=True)  # fmt: skip
layer_case("conv_lstm_2d_bidirectional", lambda L: L.Bidirectional(L.ConvLSTM2D(1, 3)), FILMS)
layer_case("conv_lstm_3d", lambda L: L.ConvLSTM3D(1, 2, activation="relu"), numbers(7, 1, 2, 2, 3, 2, 1))
layer_case("lstm_cell", lambda L: L.LSTMCell(4), X2,
           call=lambda l, x: l(x, [numbers(1, 4, 4), numbers(2, 4, 4)]))  # fmt: skip
layer_case("gru_cell", lambda L: L.GRUCell(4), X2, call=lambda l, x: l(x, [numbers(1, 4, 4)]))
layer_case("simple_cell", lambda L: L.SimpleRNNCell(4), X2, call=lambda l, x: l(x, [numbers(1, 4, 4)]))
layer_case("rnn_stacked", lambda L: L.RNN([L.LSTMCell(4), L.GRUCell(3)], return_state=True), X3)
for merge in ("sum", "ave", "mul", None):
    layer_case(f"bidirectional_{merge}", lambda L, m=merge: L.Bidirectional(L.LSTM(4), merge_mode=m), X3)
layer_case("bidirectional_state", lambda L: L.Bidirectional(L.LSTM(4, return_state=True)), X3)
layer_case("time_distributed", lambda L: L.TimeDistributed(L.Dense(4)), X3)
layer_case("category_one_hot", lambda L: L.CategoryEncoding(4, output_mode="one_hot"), np.array([2, 0, 3]))
layer_case("category_multi_hot", lambda L: L.CategoryEncoding(4), np.array([[2, 0], [3, 3]]))
layer_case("category_count", lambda L: L.CategoryEncoding(4, output_mode="count"), np.array([[2, 0], [3, 3]]))
layer_case("discretization", lambda L: L.Discretization([-0.5, 0.0, 0.5]), X2)
layer_case("center_crop", lambda L: L.CenterCrop(3, 2), X4)
layer_case("resizing", lambda L: L.Resizing(3, 4), X4)


@case
def masked_sequence_model(tf):
    K = tf.keras
    model = K.Sequential([K.layers.Embedding(5, 3, mask_zero=True), K.layers.LSTM(4, return_sequences=True),
                          K.layers.GlobalAveragePooling1D(), K.layers.Dense(1)])  # fmt: skip
    model(IDS)
    fill(model)
    return shown(model(IDS))


# --- losses and metrics ------------------------------------------------------------------------------------------------
T2, P2 = np.abs(numbers(20, 4, 3)), np.abs(numbers(21, 4, 3))
HOT = np.eye(3, dtype=np.float32)[[0, 2, 1, 2]]
SHARES = P2 / P2.sum(axis=1, keepdims=True)
BINARY = (numbers(22, 4, 3) > 0).astype(np.float32)
SPARSE = np.array([0, 2, 1, 2])
WEIGHTS = np.array([1.0, 0.5, 2.0, 0.0], np.float32)
LOSSES = {
    "MeanSquaredError": (T2, P2, {}), "MeanAbsoluteError": (T2, P2, {}), "MeanAbsolutePercentageError": (T2, P2, {}),
    "MeanSquaredLogarithmicError": (T2, P2, {}), "CosineSimilarity": (T2, P2, {}), "Huber": (T2, P2, {"delta": 0.3}),
    "LogCosh": (T2, P2, {}), "Hinge": (BINARY, P2, {}), "SquaredHinge": (2 * BINARY - 1, P2, {}),
    "CategoricalHinge": (HOT, P2, {}), "KLDivergence": (SHARES[::-1].copy(), SHARES, {}), "Poisson": (T2, P2, {}),
    "BinaryCrossentropy": (BINARY, P2, {"label_smoothing": 0.1}), "Dice": (BINARY, P2, {}), "Tversky": (BINARY, P2, {}),
    "BinaryFocalCrossentropy": (BINARY, P2, {"apply_class_balancing": True}),
    "CategoricalCrossentropy": (HOT, SHARES, {"label_smoothing": 0.1}),
    "CategoricalFocalCrossentropy": (HOT, SHARES, {}), "SparseCategoricalCrossentropy": (SPARSE, SHARES, {}),
    "CategoricalGeneralizedCrossEntropy": (SPARSE, SHARES, {"q": 0.7}),
}  # fmt: skip


def loss_case(name, y, p, options):
    def run(tf):
        found = {}
        for reduction in ("sum_over_batch_size", "sum", "none", "mean", "mean_with_sample_weight"):
            loss = getattr(tf.keras.losses, name)(reduction=reduction, **options)
            weight = None if name in ("Dice", "Tversky") else WEIGHTS
            x = tf.constant(p)
            with tf.GradientTape() as tape:
                tape.watch(x)
                plain = loss(y, x)
            found[reduction] = [shown(plain), shown(loss(y, x, sample_weight=weight)), shown(tape.gradient(plain, x))]
        return found

    add(f"loss_{name}", run)


for _name, (_y, _p, _o) in LOSSES.items():
    loss_case(_name, _y, _p, _o)
for _name, _y in (("BinaryCrossentropy", BINARY), ("CategoricalCrossentropy", HOT),
                  ("SparseCategoricalCrossentropy", SPARSE), ("BinaryFocalCrossentropy", BINARY),
                  ("CategoricalFocalCrossentropy", HOT)):  # fmt: skip
    add(
        f"loss_{_name}_logits",
        lambda tf, n=_name, y=_y: shown(getattr(tf.keras.losses, n)(from_logits=True)(y, 5 * P2)),
    )


@case
def loss_functions(tf):
    L = tf.keras.losses
    return {
        "mse": shown(L.mse(T2, P2)), "bce": shown(L.binary_crossentropy(BINARY, P2)),
        "cce": shown(L.categorical_crossentropy(HOT, SHARES)), "hinge": shown(L.hinge(BINARY, P2)),
        "scce": shown(L.sparse_categorical_crossentropy(SPARSE, SHARES)), "cos": shown(L.cosine_similarity(T2, P2)),
        "get": shown(L.get("mae")(T2, P2)), "ranks": shown(L.MeanSquaredError()(T2[:, 0], P2[:, :1])),
        "scce_ranks": shown(L.SparseCategoricalCrossentropy()(SPARSE[:, None], SHARES)),
        "ignored": shown(L.SparseCategoricalCrossentropy(ignore_class=2)(SPARSE, SHARES)),
        "seg": shown(L.SparseCategoricalCrossentropy()(np.array([[0, 1], [2, 2]]), np.stack([SHARES[:2], SHARES[2:]]))),
    }  # fmt: skip


METRICS = {
    "MeanSquaredError": (T2, P2, {}), "RootMeanSquaredError": (T2, P2, {}), "MeanAbsoluteError": (T2, P2, {}),
    "MeanAbsolutePercentageError": (T2, P2, {}), "MeanSquaredLogarithmicError": (T2, P2, {}),
    "CosineSimilarity": (T2, P2, {}), "LogCoshError": (T2, P2, {}), "Hinge": (BINARY, P2, {}),
    "SquaredHinge": (BINARY, P2, {}), "CategoricalHinge": (HOT, P2, {}), "KLDivergence": (SHARES[::-1].copy(), SHARES, {}),
    "Poisson": (T2, P2, {}), "BinaryCrossentropy": (BINARY, P2, {}), "CategoricalCrossentropy": (HOT, SHARES, {}),
    "SparseCategoricalCrossentropy": (SPARSE, SHARES, {}), "Accuracy": (SPARSE, np.array([0, 2, 2, 2]), {}),
    "BinaryAccuracy": (BINARY, P2, {"threshold": 0.4}), "CategoricalAccuracy": (HOT, SHARES, {}),
    "SparseCategoricalAccuracy": (SPARSE, SHARES, {}), "TopKCategoricalAccuracy": (HOT, SHARES, {"k": 2}),
    "SparseTopKCategoricalAccuracy": (SPARSE, SHARES, {"k": 2}), "R2Score": (T2, P2, {}), "F1Score": (HOT, SHARES, {}),
    "FBetaScore": (HOT, SHARES, {"beta": 2.0, "average": "weighted"}), "PearsonCorrelation": (T2, P2, {}),
    "ConcordanceCorrelation": (T2, P2, {}),
}  # fmt: skip
FLAT = {
    "Precision": {}, "Recall": {}, "AUC": {}, "TruePositives": {"thresholds": [0.2, 0.7]}, "TrueNegatives": {},
    "FalsePositives": {}, "FalseNegatives": {}, "SensitivityAtSpecificity": {"specificity": 0.5},
    "SpecificityAtSensitivity": {"sensitivity": 0.5}, "PrecisionAtRecall": {"recall": 0.5},
    "RecallAtPrecision": {"precision": 0.5},
}  # fmt: skip


def metric_case(name, y, p, options, weight, label=None):
    def run(tf):
        tf.keras.backend.clear_session()
        metric = getattr(tf.keras.metrics, name)(**options)
        metric.update_state(y, p)
        first = shown(metric.result())
        metric.update_state(y[::-1].copy(), p)
        second = shown(metric.result())
        metric.reset_state()
        metric.update_state(y, p, sample_weight=weight)
        return {"first": first, "second": second, "weighted": shown(metric.result()), "name": metric.name,
                "variables": [list(v.shape) for v in metric.variables]}  # fmt: skip

    add(f"metric_{label or name}", run)


for _name, (_y, _p, _o) in METRICS.items():
    metric_case(_name, _y, _p, _o, WEIGHTS)
_labels, _scores = BINARY.ravel(), P2.ravel()
for _name, _o in FLAT.items():
    metric_case(_name, _labels, _scores, _o, np.abs(numbers(30, 12)))
for _curve in ("ROC", "PR"):
    for _method in ("interpolation", "minoring", "majoring"):
        metric_case("AUC", _labels, _scores, {"curve": _curve, "summation_method": _method, "num_thresholds": 7},
                    np.abs(numbers(30, 12)), f"AUC_{_curve}_{_method}")  # fmt: skip
metric_case("AUC", BINARY, P2, {"multi_label": True}, WEIGHTS[:, None] * np.ones((4, 3), np.float32), "AUC_multi")
metric_case("Precision", HOT, SHARES, {"top_k": 2}, WEIGHTS[:, None] * np.ones((4, 3), np.float32), "Precision_top_k")
metric_case("Recall", HOT, SHARES, {"class_id": 1}, WEIGHTS, "Recall_class")
metric_case("MeanIoU", SPARSE, np.array([0, 1, 1, 2]), {"num_classes": 3}, np.array([1, 2, 0, 3]))
metric_case("BinaryIoU", _labels, _scores, {"threshold": 0.4}, np.arange(12))
metric_case("OneHotMeanIoU", HOT, SHARES, {"num_classes": 3}, np.array([1, 2, 0, 3]))


@case
def metric_means(tf):
    m, s = tf.keras.metrics.Mean(), tf.keras.metrics.Sum()
    m.update_state([1.0, 3.0], sample_weight=[3.0, 1.0])
    m.update_state(numbers(1, 2, 3), sample_weight=[1.0, 2.0])
    s.update_state([1.0, 3.0], sample_weight=[3.0, 1.0])
    return [shown(m.result()), shown(s.result()), shown(m(5.0))]


# --- optimizers --------------------------------------------------------------------------------------------------------
OPTIMIZERS = {
    "SGD": [{}, {"momentum": 0.9}, {"momentum": 0.9, "nesterov": True}, {"weight_decay": 0.01}],
    "RMSprop": [{}, {"momentum": 0.9}, {"centered": True, "momentum": 0.5}, {"rho": 0.5, "epsilon": 1e-3}],
    "Adam": [{}, {"amsgrad": True}, {"learning_rate": 0.1, "beta_1": 0.5, "beta_2": 0.9}, {"clipnorm": 0.5},
             {"clipvalue": 0.2}, {"global_clipnorm": 0.5}, {"use_ema": True, "ema_momentum": 0.8},
             {"use_ema": True, "ema_overwrite_frequency": 2}, {"gradient_accumulation_steps": 2}],
    "AdamW": [{}, {"weight_decay": 0.1, "learning_rate": 0.1}], "Adagrad": [{}, {"initial_accumulator_value": 0.0}],
    "Adadelta": [{}, {"learning_rate": 1.0}], "Adamax": [{}, {"learning_rate": 0.1}], "Nadam": [{}, {"learning_rate": 0.1}],
    "Ftrl": [{}, {"l1_regularization_strength": 0.01, "l2_regularization_strength": 0.02, "learning_rate": 0.1},
             {"l2_shrinkage_regularization_strength": 0.1, "beta": 0.2, "learning_rate": 0.1}],
    "Lion": [{}, {"weight_decay": 0.1}], "Lamb": [{}, {"learning_rate": 0.1}],
    "Adafactor": [{}, {"learning_rate": 0.1, "relative_step": False}],
}  # fmt: skip


def optimizer_case(name, position, options):
    def run(tf):
        tf.keras.backend.clear_session()
        optimizer = getattr(tf.keras.optimizers, name)(**options)
        a, b = tf.Variable(numbers(1, 3, 2), name="a"), tf.Variable(numbers(2, 4), name="b")
        steps = []
        for i in range(5):
            grads = [tf.constant(numbers(10 + i, 3, 2)), tf.constant(numbers(20 + i, 4))]
            optimizer.apply_gradients(zip(grads, [a, b]))
            steps.append([a.numpy(), b.numpy()])
        optimizer.finalize_variable_values([a, b])
        config = {k: v for k, v in optimizer.get_config().items() if not isinstance(v, dict)}
        return {
            "steps": steps, "end": [a.numpy(), b.numpy()], "iterations": int(optimizer.iterations),
            "config": dict(sorted(config.items())),
        }  # fmt: skip

    add(f"optimizer_{name}_{position}", run)


for _name, _all in OPTIMIZERS.items():
    for _i, _o in enumerate(_all):
        optimizer_case(_name, _i, _o)

SCHEDULES = {
    "ExponentialDecay": [(0.1, 10, 0.5), (0.1, 10, 0.5, True)], "InverseTimeDecay": [(0.1, 10, 0.5), (0.1, 10, 0.5, True)],
    "PiecewiseConstantDecay": [([5, 15], [1.0, 0.5, 0.1])], "PolynomialDecay": [(0.1, 10), (0.1, 10, 0.01, 2.0, True)],
    "CosineDecay": [(0.1, 10), (0.1, 10, 0.1, "x", 0.5, 5)], "CosineDecayRestarts": [(0.1, 5), (0.1, 5, 1.0, 0.5, 0.1)],
}  # fmt: skip
for _name, _all in SCHEDULES.items():
    for _i, _a in enumerate(_all):
        add(f"schedule_{_name}_{_i}", lambda tf, n=_name, a=_a: [
            float(getattr(tf.keras.optimizers.schedules, n)(*a)(s)) for s in (0, 1, 4, 5, 6, 10, 15, 16, 30)
        ])  # fmt: skip


@case
def optimizer_with_schedule(tf):
    rate = tf.keras.optimizers.schedules.ExponentialDecay(0.5, 2, 0.5)
    optimizer = tf.keras.optimizers.SGD(rate, momentum=0.5)
    w = tf.Variable([1.0, 2.0])
    for _ in range(4):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(w * w)
        optimizer.apply_gradients([(tape.gradient(loss, w), w)])
    return [w.numpy(), float(optimizer.learning_rate)]


@case
def optimizer_variables(tf):
    found = {}
    for name in OPTIMIZERS:
        if name in ("Nadam", "Adafactor"):  # names there that say nothing
            continue
        tf.keras.backend.clear_session()
        optimizer = getattr(tf.keras.optimizers, name)()
        dense = tf.keras.layers.Dense(2, name="d")
        dense.build((None, 3))
        optimizer.build(dense.trainable_variables)
        found[name] = [[v.path, list(v.shape)] for v in optimizer.variables]
    return found


@case
def optimizer_constraints(tf):
    K = tf.keras
    layer = K.layers.Dense(2, kernel_constraint="non_neg", bias_constraint=K.constraints.MaxNorm(0.5))
    layer.build((None, 3))
    fill(layer)
    K.optimizers.SGD(1.0).apply_gradients(
        zip([tf.constant(numbers(1, 3, 2)), tf.constant(3 * numbers(2, 2))], layer.trainable_variables)
    )
    w = tf.constant(3 * numbers(3, 4, 3))
    return [[v.numpy() for v in layer.weights], [
        shown(getattr(K.constraints, n)()(w)) for n in ("MaxNorm", "NonNeg", "UnitNorm", "MinMaxNorm")
    ], shown(K.constraints.MinMaxNorm(0.5, 1.0, rate=0.3, axis=1)(w))]  # fmt: skip


@case
def regularizers(tf):
    R = tf.keras.regularizers
    w = tf.constant(numbers(3, 4, 3))
    found = [R.L1(0.1), R.L2(0.1), R.L1L2(0.1, 0.2), R.get("l1"), R.get("l2"), R.get("L1L2"),
             R.OrthogonalRegularizer(0.1), R.OrthogonalRegularizer(0.1, mode="columns")]  # fmt: skip
    layer = tf.keras.layers.Dense(2, kernel_regularizer="l2", activity_regularizer=R.L1(0.3))
    layer(X2)
    fill(layer)
    layer(X2)
    return [[float(r(w)) for r in found], [float(v) for v in layer.losses]]


# --- random numbers ----------------------------------------------------------------------------------------------------
for _name, _o in {
    "GlorotUniform": {}, "GlorotNormal": {}, "HeUniform": {}, "HeNormal": {}, "LecunUniform": {}, "LecunNormal": {},
    "Orthogonal": {"gain": 2.0}, "RandomNormal": {}, "RandomUniform": {}, "TruncatedNormal": {},
    "VarianceScaling": {"scale": 2.0, "mode": "fan_out", "distribution": "untruncated_normal"},
}.items():  # fmt: skip
    add(f"initializer_{_name}", lambda tf, n=_name, o=_o: [
        shown(getattr(tf.keras.initializers, n)(seed=11, **o)(s)) for s in ((4, 3), (3, 4), (2, 3, 4, 5))
    ])  # fmt: skip
add("initializer_plain", lambda tf: [
    shown(tf.keras.initializers.get(n)((2, 2))) for n in ("zeros", "ones", "identity")
] + [shown(tf.keras.initializers.Constant(3.0)((2,)))])  # fmt: skip


@case
def random_functions(tf):
    R = tf.keras.random
    seeds = R.SeedGenerator(5)
    return [shown(v) for v in (
        R.normal((3,), seed=1), R.uniform((3,), 2.0, 3.0, seed=1), R.truncated_normal((3,), seed=seeds),
        R.randint((5,), 0, 10, seed=seeds), R.dropout(tf.ones((2, 4)), 0.5, seed=2), R.shuffle(tf.range(6), seed=3),
    )]  # fmt: skip


@case
def seeded_weights(tf):
    K = tf.keras
    K.utils.set_random_seed(3)
    model = K.Sequential([K.Input((6, 4)), K.layers.Conv1D(3, 2), K.layers.LSTM(4), K.layers.Dropout(0.5),
                          K.layers.Dense(2)])  # fmt: skip
    x = numbers(1, 2, 6, 4)
    heads = K.layers.MultiHeadAttention(2, 3)
    heads(x, x)
    return [[w.numpy() for w in heads.weights], [w.numpy() for w in model.weights], shown(model(x, training=True)),
            shown(model(x, training=True))]  # fmt: skip


# --- training ----------------------------------------------------------------------------------------------------------
XS, YS = numbers(40, 30, 4), (numbers(41, 30, 1) > 0).astype(np.int64)


def trained(name, make, shuffle=False, compile={}, fit={}, y=YS, x=XS):
    def run(tf):
        K = tf.keras
        K.utils.set_random_seed(5)
        K.backend.clear_session()
        model = make(K)
        options = {k: v(K) if callable(v) else v for k, v in compile.items()}
        model.compile(**options)
        more = {k: v(tf) if callable(v) else v for k, v in fit.items()}
        given = {"x": x, "y": y, **more}
        if given["y"] is None:
            del given["y"]
        history = model.fit(verbose=0, shuffle=shuffle, **given)
        scores = model.evaluate(given["x"], given.get("y"), verbose=0, return_dict=True)
        return {
            "history": {k: [float(v) for v in values] for k, values in history.history.items()},
            "keys": list(history.history), "scores": {k: float(v) for k, v in scores.items()},
            "paths": [w.path for w in model.weights], "predict": shown(model.predict(x, verbose=0)),
            "metrics": model.metrics_names,
        }  # fmt: skip

    add(f"train_{name}", run)


def mlp(K, out=1, activation="sigmoid"):
    return K.Sequential([K.layers.Dense(8, activation="relu"), K.layers.Dense(out, activation=activation)])


BCE = {"optimizer": "adam", "loss": "binary_crossentropy", "metrics": ["accuracy"]}
trained("binary", mlp, compile=BCE, fit={"epochs": 3, "batch_size": 8})
trained("validation", mlp, compile=BCE, fit={"epochs": 2, "validation_split": 0.3})
trained("weights_2d", lambda K: K.Sequential([K.layers.Dense(2)]), x=X3, y=np.ones((2, 5, 2), np.float32), compile={
    "optimizer": "sgd", "loss": "mse", "metrics": ["mae"], "weighted_metrics": ["mae"]}, fit={
    "sample_weight": np.array([[1, 1, 0, 0, 2], [1, 0, 0, 1, 1]], np.float32)})  # fmt: skip
trained("weights", mlp, compile={**BCE, "weighted_metrics": ["mae"]}, fit={
    "epochs": 2, "sample_weight": np.abs(numbers(1, 30))})  # fmt: skip
trained("class_weight", mlp, compile=BCE, fit={"epochs": 2, "class_weight": {0: 1.0, 1: 3.0}, "batch_size": 7})
trained("shuffled", mlp, shuffle=True, compile=BCE, fit={"epochs": 2, "batch_size": 8})
trained("sparse", lambda K: mlp(K, 2, "softmax"), compile={
    "optimizer": lambda K: K.optimizers.SGD(0.1, momentum=0.9), "loss": "sparse_categorical_crossentropy",
    "metrics": ["accuracy", "acc"]}, fit={"epochs": 2})  # fmt: skip
trained("logits", lambda K: mlp(K, 2, None), compile={
    "optimizer": "rmsprop", "loss": lambda K: K.losses.SparseCategoricalCrossentropy(from_logits=True),
    "metrics": lambda K: [K.metrics.SparseCategoricalAccuracy()]}, fit={"epochs": 2})  # fmt: skip
trained("dataset", mlp, compile=BCE, y=None, fit={
    "epochs": 2, "x": lambda tf: tf.data.Dataset.from_tensor_slices((XS, YS)).batch(8)})  # fmt: skip
trained("steps", mlp, compile=BCE, y=None, fit={"epochs": 2, "steps_per_epoch": 2,
    "x": lambda tf: tf.data.Dataset.from_tensor_slices((XS, YS)).batch(8).repeat().take(6)})  # fmt: skip
trained("dropout", lambda K: K.Sequential([K.layers.Dense(8, activation="relu"), K.layers.Dropout(0.3),
                                          K.layers.BatchNormalization(), K.layers.Dense(1)]),
        compile={"optimizer": "adamw", "loss": "mse", "metrics": ["mae", "mse"]}, fit={"epochs": 2})  # fmt: skip
trained("regularized", lambda K: K.Sequential([
    K.layers.Dense(8, kernel_regularizer="l2", activity_regularizer="l1"), K.layers.Dense(1)]),
    compile={"optimizer": "sgd", "loss": "mse"}, fit={"epochs": 2})  # fmt: skip
trained("stopping", mlp, compile=BCE, fit={"epochs": 20, "validation_split": 0.3, "callbacks": lambda tf: [
    tf.keras.callbacks.EarlyStopping(patience=1, restore_best_weights=True, min_delta=0.01)]})  # fmt: skip
trained("plateau", mlp, compile=BCE, fit={"epochs": 4, "callbacks": lambda tf: [
    tf.keras.callbacks.ReduceLROnPlateau(monitor="loss", patience=1, min_delta=1.0)]})  # fmt: skip
trained("scheduler", mlp, compile=BCE, fit={"epochs": 3, "callbacks": lambda tf: [
    tf.keras.callbacks.LearningRateScheduler(lambda e, r: r * 0.5)]})  # fmt: skip
trained("sequence", lambda K: K.Sequential([K.layers.Embedding(7, 4, mask_zero=True), K.layers.LSTM(5),
                                           K.layers.Dense(1, activation="sigmoid")]),
        x=np.random.RandomState(1).randint(0, 7, (30, 6)), compile={**BCE, "optimizer": "sgd"}, fit={"epochs": 2})  # fmt: skip
trained("recurrent", lambda K: K.Sequential([
    K.layers.GRU(4, return_sequences=True, dropout=0.2, recurrent_dropout=0.1), K.layers.SimpleRNN(3), K.layers.Dense(1)]),
    x=numbers(7, 20, 5, 2), y=numbers(8, 20, 1), compile={"optimizer": "adam", "loss": "mse"}, fit={"epochs": 2})  # fmt: skip
trained("some_steps", mlp, compile=BCE, fit={"epochs": 3, "steps_per_epoch": 2, "batch_size": 8})
trained("images", lambda K: K.Sequential([
    K.Input((8, 8, 1)), K.layers.Conv2D(4, 3, activation="relu"), K.layers.MaxPooling2D(), K.layers.Flatten(),
    K.layers.Dense(2, activation="softmax")]), x=numbers(3, 30, 8, 8, 1),
    compile={"optimizer": "nadam", "loss": "sparse_categorical_crossentropy", "metrics": ["accuracy"]},
    fit={"epochs": 2})  # fmt: skip


@case
def train_functional(tf):
    K = tf.keras
    K.utils.set_random_seed(1)
    K.backend.clear_session()
    a, b = K.Input((4,), name="a"), K.Input((3,), name="b")
    hidden = K.layers.Dense(5, activation="relu")(K.layers.Concatenate()([a, b]))
    first = K.layers.Dense(1, name="first")(hidden)
    second = K.layers.Dense(2, activation="softmax", name="second")(K.layers.Add()([hidden, hidden]))
    model = K.Model([a, b], [first, second])
    model.compile("adam", loss={"first": "mse", "second": "sparse_categorical_crossentropy"},
                  loss_weights={"first": 0.5, "second": 2.0}, metrics={"first": ["mae"], "second": ["accuracy"]})  # fmt: skip
    history = model.fit([XS, XS[:, :3]], [XS[:, :1], YS[:, 0]], epochs=2, verbose=0, shuffle=False)
    return {"history": {k: [float(x) for x in v] for k, v in history.history.items()}, "layers": [
        layer.name for layer in model.layers], "paths": [w.path for w in model.weights],
        "shapes": [list(s) for s in model.output_shape],
        "predict": shown(model.predict([XS, XS[:, :3]], verbose=0))}  # fmt: skip


@case
def train_functional_branches(tf):
    K = tf.keras
    K.utils.set_random_seed(1)
    x = K.Input((4,))
    shared = K.layers.Dense(4)
    y = shared(shared(x)) + x * 2.0
    y = K.layers.Multiply()([y, K.layers.Activation("sigmoid")(x)])
    model = K.Model(x, K.layers.Dense(1)(y[:, 1:]))
    model.compile("sgd", "mse")
    history = model.fit(XS, XS[:, :1], epochs=2, verbose=0, shuffle=False)
    return [history.history["loss"], len(model.weights), model.count_params()]


@case
def train_subclass(tf):
    K = tf.keras

    class Net(K.Model):
        def __init__(self):
            super().__init__()
            self.parts = [K.layers.Dense(5, activation="relu"), K.layers.Dense(3, activation="relu")]
            self.out = K.layers.Dense(1)
            self.drop = K.layers.Dropout(0.2, seed=1)
            self.scale = self.add_weight(shape=(), initializer="ones", name="scale")

        def call(self, x, training=False):
            for part in self.parts:
                x = part(x)
            return self.out(self.drop(x, training=training)) * self.scale

    K.utils.set_random_seed(2)
    K.backend.clear_session()
    model = Net()
    model.compile("sgd", "mse", metrics=["mae"])
    history = model.fit(XS, XS[:, :1], epochs=2, verbose=0, shuffle=False)
    return [history.history, [w.path.split("/", 1)[1] for w in model.weights], [l.name.split("_")[0] for l in model.layers],
            [list(v.shape) for v in model.trainable_variables]]  # fmt: skip


@case
def train_custom_step(tf):
    K = tf.keras

    class Net(K.Model):
        def __init__(self):
            super().__init__()
            self.dense = K.layers.Dense(1)
            self.tracker = K.metrics.Mean(name="loss")

        def call(self, x):
            return self.dense(x)

        @property
        def metrics(self):
            return [self.tracker]

        def train_step(self, data):
            x, y = data
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.square(self(x, training=True) - y))
            grads = tape.gradient(loss, self.trainable_variables)
            self.optimizer.apply_gradients(zip(grads, self.trainable_variables))
            self.tracker.update_state(loss)
            return {"loss": self.tracker.result(), "norm": tf.norm(grads[0])}

    K.utils.set_random_seed(2)
    model = Net()
    model.compile(optimizer="adam")
    return model.fit(XS, XS[:, :1], epochs=3, verbose=0, shuffle=False).history


@case
def train_loop(tf):
    K = tf.keras
    K.utils.set_random_seed(4)
    model = mlp(K, 2, None)
    optimizer, loss_fn = K.optimizers.Adam(0.01), K.losses.SparseCategoricalCrossentropy(from_logits=True)
    accuracy = K.metrics.SparseCategoricalAccuracy()
    found = []

    @tf.function
    def step(x, y):
        with tf.GradientTape() as tape:
            logits = model(x, training=True)
            loss = loss_fn(y, logits)
        grads = tape.gradient(loss, model.trainable_weights)
        optimizer.apply_gradients(zip(grads, model.trainable_weights))
        accuracy.update_state(y, logits)
        return loss

    for i in range(5):
        found.append(float(step(tf.constant(XS), tf.constant(YS))))
    return [found, float(accuracy.result()), int(optimizer.iterations)]


@case
def train_on_batch(tf):
    K = tf.keras
    K.utils.set_random_seed(4)
    model = mlp(K)
    model.compile(**BCE)
    found = [model.train_on_batch(XS, YS), model.train_on_batch(XS, YS, return_dict=True), model.test_on_batch(XS, YS)]
    return [shown(found), shown(model.predict_on_batch(XS[:2]))]


@case
def frozen_layers(tf):
    K = tf.keras
    K.utils.set_random_seed(4)
    model = K.Sequential([K.Input((4,)), K.layers.Dense(3, name="x"), K.layers.BatchNormalization(), K.layers.Dense(1)])
    model.layers[0].trainable = False
    model.compile("sgd", "mse")
    before = model.layers[0].get_weights()
    model.fit(XS, XS[:, :1], verbose=0)
    same = [bool((a == b).all()) for a, b in zip(before, model.layers[0].get_weights())]
    counts = [len(model.weights), len(model.trainable_weights), len(model.non_trainable_weights)]
    model.trainable = False
    return [same, counts, len(model.trainable_weights), [w.name for w in model.weights]]


# --- tools -------------------------------------------------------------------------------------------------------------
@case
def utils(tf):
    U = tf.keras.utils
    return [shown(U.to_categorical([0, 2, 1])), shown(U.to_categorical([[0], [2]], 4)), shown(U.normalize(X2)),
            shown(U.pad_sequences([[1], [2, 3, 4], [5, 6]])), shown(U.pad_sequences(
                [[1], [2, 3, 4]], maxlen=2, padding="post", truncating="post", value=-1.0, dtype="float32")),
            [shown(b) for b in U.timeseries_dataset_from_array(np.arange(10), np.arange(10) * 2, 3, batch_size=4)],
            ]  # fmt: skip


@case
def configs(tf):
    L = tf.keras.layers
    layers = [L.Dense(3, activation="relu", name="d"), L.Conv2D(2, 3, padding="same", name="c"), L.Dropout(0.5, name="o"),
              L.LSTM(4, return_sequences=True, name="l"), L.Embedding(5, 2, name="e"), L.Flatten(name="f"),
              L.BatchNormalization(name="b"), L.MaxPooling2D(name="m"), L.Concatenate(name="cc")]  # fmt: skip

    def plain(value):
        if isinstance(value, dict):
            return value.get("class_name", "")
        return list(value) if isinstance(value, tuple) else value

    skipped = ("dtype", "quantization_config", "lora_rank", "seed", "zero_output_for_mask", "activity_regularizer", "renorm", "renorm_clipping",
               "renorm_momentum", "synchronized")  # fmt: skip
    found = []
    for layer in layers:
        config = layer.get_config()
        found.append({k: plain(v) for k, v in sorted(config.items()) if k not in skipped})
        again = type(layer).from_config(config)
        assert again.name == layer.name
    return found


@case
def progress_bar(tf):
    import contextlib
    import io
    import re

    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        bar = tf.keras.utils.Progbar(3, interval=0.0)
        for i in range(3):
            bar.update(i + 1, [("loss", 1.0 / (i + 1)), ("tiny", 1e-5)])
        line = tf.keras.utils.Progbar(3, verbose=2)
        line.update(1, [("loss", 1.0)])
        line.update(3, [("loss", 0.5)])
        K = tf.keras
        K.utils.set_random_seed(5)
        model = mlp(K)
        model.compile(**BCE)
        model.fit(XS, YS, epochs=2, verbose=2, shuffle=False, validation_split=0.2)
        model.evaluate(XS, YS, verbose=2)
        model.fit(XS, YS, epochs=1, verbose=2, shuffle=False)
    # how long the times are written, hence how much is wiped out and padded, depends on the machine
    text = re.sub(r"\d+(s|ms|us)\b", "N", out.getvalue())
    return re.sub(r" +", " ", re.sub(r" *([\b\r\n])", r"\1", re.sub("\b+", "\b", text)))


@case
def summaries(tf):
    K = tf.keras
    K.backend.clear_session()
    text = []
    model = K.Sequential([K.Input((8, 8, 1)), K.layers.Conv2D(4, 3), K.layers.Flatten(), K.layers.Dropout(0.5),
                          K.layers.Dense(10)], name="net")  # fmt: skip
    model.summary(print_fn=lambda *a, **k: text.append(a[0]))
    x = K.Input((4,), name="x")
    linear = K.Model(x, K.layers.Dense(2000, name="wide")(x), name="linear")
    linear.summary(print_fn=lambda *a, **k: text.append(a[0]))
    K.Sequential([K.layers.Dense(1, name="unbuilt")], name="empty").summary(print_fn=lambda *a, **k: text.append(a[0]))
    return [line.rstrip() for line in "\n".join(text).split("\n") if line.strip()]


@case
def masks(tf):
    L = tf.keras.layers
    emb = L.Embedding(5, 2, mask_zero=True)
    x = emb(IDS)
    found = [shown(emb.compute_mask(IDS)), shown(L.Masking().compute_mask(np.zeros((1, 2, 3), np.float32)))]
    lstm = L.LSTM(3)
    emb.embeddings.assign(numbers(1, 5, 2))
    x = emb(IDS)
    lstm(x)
    fill(lstm)
    return [*found, shown(lstm(x)), shown(lstm(tf.identity(x)))]


@case
def signatures(tf):
    import inspect

    found = {}
    for space in ("layers", "losses", "metrics", "initializers", "regularizers", "constraints", "callbacks", "optimizers",
                  "activations"):  # fmt: skip
        module = getattr(tf.keras, space)
        for name in sorted(SIGNED[space]):
            entity = getattr(module, name)
            parameters = inspect.signature(entity.__init__ if inspect.isclass(entity) else entity).parameters.values()
            found[f"{space}.{name}"] = [
                [p.name, repr(p.default)] for p in parameters
                if p.name not in ("self", *NEWER) and p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)
            ]  # fmt: skip
    return found


@case
def functions_of_each_dtype(tf):
    """What a function of `keras.ops` makes of each dtype of its operands, with the values."""
    ops = tf.keras.ops
    rows = [[1, 0], [1, 1]]
    found = {}
    for a in ("bool", "int8", "int32", "int64", "float16", "float32"):
        x = tf.cast(tf.constant(rows), a)
        for name in ("outer", "inner", "vdot", "tensordot", "cbrt", "deg2rad", "corrcoef"):
            made = getattr(ops, name)(x) if name in ("cbrt", "deg2rad", "corrcoef") else getattr(ops, name)(x, x)
            found[f"{name} {a}"] = [made.dtype.name, np.asarray(tf.cast(made, "float64"))]
        for b in ("int8", "int64", "uint32"):
            y = tf.cast(tf.constant(rows), b)
            for name in ("ldexp", "hypot", "heaviside"):
                made = getattr(ops, name)(x, y)
                found[f"{name} {a} {b}"] = [made.dtype.name, np.asarray(tf.cast(made, "float64"))]
    half = tf.constant([1.0, 0.5], "bfloat16")
    found["ldexp bfloat16"] = [ops.ldexp(half, [2, 3]).dtype.name, np.asarray(tf.cast(ops.ldexp(half, [2, 3]), "float32"))]
    found["rad2deg int64"] = np.asarray(ops.rad2deg(tf.constant([1, 2], "int64")))
    found["ldexp alone"] = np.asarray(ops.ldexp(tf.constant([1.0, 2.0]), 3))
    found["sums of one"] = [[v.dtype.name, float(v)] for v in (ops.sum(True), ops.sum(3), ops.prod(True))]
    return found


# Arguments of quantization, and other things that are not offered.
NEWER = ("lora_rank", "lora_alpha", "quantization_config", "renorm", "renorm_clipping", "renorm_momentum",
         "gptq_unpacked_column_size", "sliding_window", "use_gate", "model", "args", "kwargs")  # fmt: skip
SIGNED = {
    "layers": """Activation ActivityRegularization Add AlphaDropout Attention AdditiveAttention Average AveragePooling1D
        AveragePooling2D BatchNormalization Bidirectional CategoryEncoding CenterCrop Concatenate Conv1D Conv1DTranspose
        Conv2D Conv2DTranspose Conv3D Conv3DTranspose Cropping1D Cropping2D Cropping3D Dense DepthwiseConv1D
        DepthwiseConv2D Discretization Dot Dropout ELU EinsumDense Embedding Flatten GRU GRUCell GaussianDropout
        GaussianNoise GlobalAveragePooling1D GlobalMaxPooling2D GroupNormalization Identity InputLayer InputSpec LSTM
        LSTMCell Lambda LayerNormalization LeakyReLU Masking MaxPooling1D MaxPooling2D MaxPooling3D MultiHeadAttention
        Normalization PReLU Permute RMSNormalization RNN ReLU RepeatVector Rescaling Resizing Reshape SeparableConv1D
        SeparableConv2D SimpleRNN SimpleRNNCell Softmax SpatialDropout1D SpatialDropout2D StackedRNNCells
        TimeDistributed UnitNormalization UpSampling1D UpSampling2D UpSampling3D Wrapper ZeroPadding1D ZeroPadding2D
        ZeroPadding3D Input""".split(),
    "losses": [*LOSSES, "Loss", "binary_crossentropy", "categorical_crossentropy", "huber",
               "sparse_categorical_crossentropy"],
    "metrics": [*METRICS, *FLAT, "BinaryIoU", "Mean", "Sum", "MeanIoU", "OneHotMeanIoU", "IoU", "OneHotIoU", "Metric",
                "MeanMetricWrapper"],
    "initializers": "Constant GlorotNormal GlorotUniform HeNormal HeUniform Identity LecunNormal LecunUniform Orthogonal RandomNormal RandomUniform TruncatedNormal VarianceScaling".split(),
    "regularizers": "L1 L1L2 L2 OrthogonalRegularizer".split(),
    "constraints": "MaxNorm MinMaxNorm UnitNorm".split(),
    "callbacks": "CSVLogger EarlyStopping LambdaCallback LearningRateScheduler ModelCheckpoint ReduceLROnPlateau SwapEMAWeights".split(),
    "optimizers": list(OPTIMIZERS),
    "activations": "celu elu gelu glu hard_shrink leaky_relu log_softmax relu soft_shrink softmax sparsemax squareplus threshold".split(),
}  # fmt: skip
