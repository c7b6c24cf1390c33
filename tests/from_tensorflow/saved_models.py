"""Objects and models that TensorFlow saves as SavedModels, with calls of what was saved.

`CASES`: name -> function of `tf` that gives the object and calls `(path, args, kwargs)`; `MODELS`: those that are frozen too.
"""

import os

import numpy as np

from tests.from_tensorflow import values

CASES, MODELS = {}, {}
RNG = np.random.default_rng(5)
X = RNG.standard_normal((2, 4)).astype(np.float32)
SERIES = RNG.standard_normal((2, 5, 3)).astype(np.float32)
IMAGE = RNG.random((2, 32, 32, 3), np.float32)


def case(function):
    CASES[function.__name__] = function
    return function


def model(function):
    """A model with its inputs: saved by `tf.saved_model.save`, called by `__call__` and by its signature, and frozen."""
    MODELS[function.__name__] = function
    CASES[function.__name__] = function
    return function


def kept(tf, value):
    if isinstance(value, tf.RaggedTensor):
        return {"ragged": [kept(tf, value.flat_values), *[kept(tf, s) for s in value.nested_row_splits]]}
    if isinstance(value, tf.SparseTensor):
        return {"sparse": [kept(tf, value.indices), kept(tf, value.values), kept(tf, value.dense_shape)]}
    if isinstance(value, dict):
        return {"dict": {k: kept(tf, v) for k, v in value.items()}}
    if isinstance(value, (list, tuple)):
        return [kept(tf, v) for v in value]
    if isinstance(value, (bool, int, float, str, type(None))):
        return {"plain": value}
    return {"tensor": values.as_json(value.numpy() if hasattr(value, "numpy") else value)}


def given_tensors(tf, value):
    if isinstance(value, np.ndarray) or isinstance(value, np.generic):
        return tf.constant(value)
    if isinstance(value, dict):
        return {k: given_tensors(tf, v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(given_tensors(tf, v) for v in value)
    return value


def write_case(name, folder):
    import tensorflow as tf

    made, calls = CASES[name](tf)
    options = {}
    if isinstance(calls, tuple):
        calls, options = calls
    if name in MODELS:
        arrays, calls = calls, []
    path = str(folder / "saved")
    if name == "keras_subclass":
        options["signatures"] = {
            "serving_default": tf.function(made, input_signature=[tf.TensorSpec([None, 4], name="input_1")])
        }
    differentiated = options.pop("gradients", [])
    if options.pop("export", False):
        made.export(path, verbose=False)
    else:
        tf.saved_model.save(made, path, **options)
    loaded = tf.saved_model.load(path)
    if name in MODELS:
        signature = loaded.signatures["serving_default"]
        taken = signature.structured_input_signature[1]
        named = {k: next(a for a in arrays if spec.shape.is_compatible_with(a.shape)) for k, spec in taken.items()}
        calls.append((["@serving_default"], [], named))
    told = []
    for part, args, kwargs in calls:
        function = loaded
        for p in part:
            function = (
                function.signatures[p[1:]] if p.startswith("@") else function() if p == "()" else getattr(function, p)
            )
        args, kwargs = given_tensors(tf, list(args)), given_tensors(tf, kwargs)
        result = function(*args, **kwargs)
        told.append({
            "path": list(part), "args": kept(tf, args), "kwargs": {k: kept(tf, v) for k, v in kwargs.items()},
            "wanted": [values.as_json(a) for a in values.flat(tf, result)],
        })  # fmt: skip
    gradients = [
        {"function": f, "args": [values.as_json(a) for a in args], "variables": names,
         "wanted": [values.as_json(a) for a in gradients_of(tf, loaded, f, args, names)]}
        for f, args, names in differentiated
    ]  # fmt: skip
    values.write(folder / "case.json", {"kind": "saved", "calls": told, "gradients": gradients})


def gradients_of(tf, loaded, function, args, variables):
    """Those of three times the sum of the result, for arguments and variables."""
    given = [tf.constant(a) for a in args]
    with tf.GradientTape() as tape:
        tape.watch(given)
        loss = tf.reduce_sum(getattr(loaded, function)(*given) * 3.0)
    return [g.numpy() for g in tape.gradient(loss, [*given, *(getattr(loaded, v) for v in variables)])]


# --- modules ---------------------------------------------------------------------------------------------------------
@case
def trained_module(tf):
    class Linear(tf.Module):
        def __init__(self):
            super().__init__()
            self.w = tf.Variable(RNG.standard_normal((4, 3)).astype(np.float32))
            self.b = tf.Variable(np.zeros(3, np.float32))

        @tf.function(input_signature=[tf.TensorSpec([None, 4]), tf.TensorSpec([None, 3])])
        def step(self, x, y):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((x @ self.w + self.b - y) ** 2)
            for v, g in zip([self.w, self.b], tape.gradient(loss, [self.w, self.b])):
                v.assign_sub(0.1 * g)
            return loss

        @tf.function(input_signature=[tf.TensorSpec([None, 4])])
        def __call__(self, x):
            return tf.nn.softmax(x @ self.w + self.b)

    target = np.ones((2, 3), np.float32)
    return Linear(), [(["step"], [X, target], {}), (["step"], [X, target], {}), (["__call__"], [X], {})]


@case
def nested_arguments(tf):
    class Nested(tf.Module):
        @tf.function
        def f(self, data, scale=2.0, *rest, flag=False, **more):
            total = data["a"] + data["b"][0] * scale
            for r in rest:
                total += r
            for k in sorted(more):
                total = total * more[k]
            return {"total": -total if flag else total, "pair": (data["a"], [data["b"][1]])}

    made = Nested()
    data = {"a": X, "b": (X * 2, X - 1)}
    calls = [
        (["f"], [data], {}), (["f"], [data, 3.0], {}), (["f"], [data, 3.0, X], {"flag": True}), (["f"], [data], {"k": X}), (["f"], [data], {"flag": True, "scale": 0.5}),
    ]  # fmt: skip
    for _, args, kwargs in calls:
        made.f(*given_tensors(tf, args), **given_tensors(tf, kwargs))
    return made, calls


@case
def several_signatures(tf):
    module = tf.Module()
    module.v = tf.Variable(3.0)
    module.a = tf.function(lambda x: {"y": x * module.v, "z": x + 1}, input_signature=[tf.TensorSpec([None], name="x")])
    module.b = tf.function(
        lambda left, right: left @ right,
        input_signature=[tf.TensorSpec([None, 4], name="left"), tf.TensorSpec([4, None], name="right")],
    )
    signatures = {"serving_default": module.a, "product": module.b, "other": module.a.get_concrete_function()}
    calls = [
        (["@serving_default"], [], {"x": X[0]}),
        (["@product"], [], {"left": X, "right": X.T.copy()}),
        (["@other"], [], {"x": X[0]}),
        (["a"], [X[0]], {}),
    ]
    return module, (calls, {"signatures": signatures})


@case
def composites(tf):
    class Composites(tf.Module):
        @tf.function(input_signature=[tf.RaggedTensorSpec([None, None], tf.int32)])
        def ragged(self, r):
            return r * 2, tf.reduce_sum(r, 1)

        @tf.function(input_signature=[tf.SparseTensorSpec([None, None], tf.float32)])
        def sparse(self, s):
            return tf.sparse.reduce_sum(s, 1), s * 2.0

        @tf.function(
            input_signature=[{"r": tf.RaggedTensorSpec([None, None], tf.string), "t": tf.TensorSpec([], tf.string)}]
        )
        def nest(self, d):
            return tf.strings.join([d["r"].flat_values, d["t"]]), d["r"]

    r = tf.ragged.constant([[1, 2], [], [3]])
    s = tf.sparse.from_dense([[0.0, 1.0], [2.0, 0.0]])
    words = tf.ragged.constant([["a"], ["b", "c"]])
    return Composites(), [
        (["ragged"], [r], {}),
        (["sparse"], [s], {}),
        (["nest"], [{"r": words, "t": np.array(b"!", object)}], {}),
    ]


@case
def tables_and_assets(tf):
    import tempfile

    words = os.path.join(tempfile.mkdtemp(), "words.txt")
    with open(words, "w") as file:
        file.write("red\ngreen\nblue\n")

    class Words(tf.Module):
        def __init__(self):
            super().__init__()
            start = tf.lookup.TextFileInitializer(
                words, tf.string, tf.lookup.TextFileIndex.WHOLE_LINE, tf.int64, tf.lookup.TextFileIndex.LINE_NUMBER
            )
            self.number = tf.lookup.StaticVocabularyTable(start, 2)
            back = tf.lookup.TextFileInitializer(
                words, tf.int64, tf.lookup.TextFileIndex.LINE_NUMBER, tf.string, tf.lookup.TextFileIndex.WHOLE_LINE
            )
            self.word = tf.lookup.StaticHashTable(back, "?")
            self.pairs = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer([1, 2], [1.5, 2.5]), -1.0)
            self.counts = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, 0)
            self.counts.insert(tf.constant(["a"]), tf.constant([7], tf.int64))
            self.asset = tf.saved_model.Asset(words)

        @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
        def numbers(self, w):
            return (
                self.number.lookup(w),
                self.word.lookup(self.number.lookup(w)),
                self.pairs.lookup(tf.constant([1, 2, 3])),
            )

        @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
        def count(self, w):
            self.counts.insert(w, self.counts.lookup(w) + 1)
            return self.counts.lookup(w), self.counts.size()

        @tf.function(input_signature=[])
        def lines(self):
            return tf.strings.split(tf.io.read_file(self.asset.asset_path), "\n")

    made = Words()
    w = np.array([b"blue", b"red", b"pink"], object)
    calls = [
        (["numbers"], [w], {}),
        (["count"], [np.array([b"a"], object)], {}),
        (["count"], [np.array([b"a"], object)], {}),
    ]
    return made, calls


@case
def control_flow(tf):
    class Flow(tf.Module):
        def __init__(self):
            super().__init__()
            self.count = tf.Variable(0)

        @tf.function(input_signature=[tf.TensorSpec([None]), tf.TensorSpec([], tf.int32)])
        def f(self, x, n):
            for i in tf.range(n):
                if i % 2 == 0:
                    self.count.assign_add(i)
                    x = self.inner(x)
                else:
                    x = tf.switch_case(i % 3, [lambda: x + 1.0, lambda: x * 0.5, lambda: -x])
            return x, self.count.read_value()

        @tf.function
        def inner(self, x):
            while tf.reduce_sum(x) < 3.0:
                x += 0.5
            return x

        @tf.function(input_signature=[tf.TensorSpec([None])])
        def gradient(self, x):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = x
                for _ in tf.range(3):
                    y = tf.sin(y) * x
            return tape.gradient(y, x)

    return Flow(), [(["f"], [X[0], np.int32(5)], {}), (["f"], [X[0], np.int32(2)], {}), (["gradient"], [X[0]], {})]


@case
def structures_of_parts(tf):
    class Part(tf.Module):
        def __init__(self, n):
            super().__init__()
            self.v = tf.Variable(float(n))

        @tf.function(input_signature=[tf.TensorSpec([])])
        def times(self, x):
            return x * self.v

    class Whole(tf.Module):
        def __init__(self):
            super().__init__()
            self.parts = [Part(1), Part(2)]
            self.named = {"three": Part(3)}
            self.pair = (Part(4), tf.constant([1.0, 2.0]))
            self.first = self.parts[0]
            self.text = tf.Variable("text")
            self.unknown = tf.Variable([1.0, 2.0], shape=tf.TensorShape(None))

        @tf.function(input_signature=[tf.TensorSpec([])])
        def __call__(self, x):
            for p in (*self.parts, self.named["three"], self.pair[0]):
                x = p.times(x)
            return x * self.pair[1], self.text, self.unknown.read_value()

        @tf.function(input_signature=[tf.TensorSpec(None)])
        def grow(self, x):
            self.unknown.assign(x)
            return self.unknown.read_value()

    return Whole(), [
        (["__call__"], [np.float32(2)], {}),
        (["first", "times"], [np.float32(2)], {}),
        (["grow"], [X], {}),
        (["__call__"], [np.float32(1)], {}),
    ]


@case
def custom_gradient(tf):
    class Clipped(tf.Module):
        def __init__(self):
            super().__init__()
            self.v = tf.Variable([1.0, -2.0])

        @tf.function(input_signature=[tf.TensorSpec([2])])
        def f(self, x):
            @tf.custom_gradient
            def clip(t):
                return t * 3.0, lambda up: tf.clip_by_value(up, -0.5, 0.5)

            return clip(x * self.v)

        @tf.function(input_signature=[tf.TensorSpec([2])])
        def g(self, x):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = self.f(x)
            return tape.gradient(y, x)

    return Clipped(), (
        [(["f"], [X[0, :2]], {}), (["g"], [X[0, :2]], {})],
        {"options": tf.saved_model.SaveOptions(experimental_custom_gradients=True)},
    )


@case
def captured_gradients(tf):
    """Gradients that use tensors of the function, variables, and stand in loops."""

    @tf.custom_gradient
    def squared(x):
        y = tf.exp(x)
        return y, lambda up: up * y * tf.constant([5.0, 6.0])

    @tf.custom_gradient
    def clip(x):
        return tf.identity(x), lambda up: tf.clip_by_value(up, -0.5, 0.5)

    class Rules(tf.Module):
        def __init__(self):
            super().__init__()
            self.w = tf.Variable([2.0, 3.0])
            self.k = tf.Variable(3.0)

        @tf.function(input_signature=[tf.TensorSpec([2])])
        def f(self, x):
            return squared(x * self.w)

        @tf.function(input_signature=[tf.TensorSpec([2])])
        def g(self, x):
            @tf.custom_gradient
            def scaled(x):
                def grad(up, variables=None):
                    return up * self.w, [tf.reduce_sum(up) * 7.0 for _ in variables]

                return x * self.k, grad

            return scaled(x)

        @tf.function(input_signature=[tf.TensorSpec([2])])
        def loop(self, x):
            for _ in tf.range(3):
                x = clip(x * 2.0)
            return x

    x = np.array([0.5, -1.0], np.float32)
    return Rules(), (
        [(["f"], [x], {}), (["g"], [x], {}), (["loop"], [x], {})],
        {
            "options": tf.saved_model.SaveOptions(experimental_custom_gradients=True),
            "gradients": [("f", [x], ["w"]), ("g", [x], ["k"]), ("loop", [x], [])],
        },
    )


@case
def text_pipeline(tf):
    class Text(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
        def tokens(self, s):
            words = tf.strings.split(tf.strings.regex_replace(tf.strings.lower(s), "[^a-z ]", ""))
            return (
                words.to_tensor(""),
                tf.strings.to_hash_bucket_fast(words.flat_values, 50),
                tf.strings.length(words).to_tensor(),
            )

        @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
        def examples(self, s):
            return tf.io.parse_example(
                s, {"x": tf.io.FixedLenFeature([], tf.float32, 0.0), "w": tf.io.VarLenFeature(tf.string)}
            )

    example = tf.train.Example(
        features=tf.train.Features(feature={"x": tf.train.Feature(float_list=tf.train.FloatList(value=[2.5]))})
    )
    data = np.array([example.SerializeToString(), b""], object)
    return Text(), [(["tokens"], [np.array([b"Hello, World", b"a B c!"], object)], {}), (["examples"], [data], {})]


@case
def pictures(tf):
    class Pictures(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
        def decode(self, encoded):
            def one(data):
                image = tf.image.convert_image_dtype(tf.io.decode_png(data, channels=3), tf.float32)
                return tf.image.resize(image, [8, 8])

            return tf.map_fn(one, encoded, fn_output_signature=tf.TensorSpec([8, 8, 3]))

    png = tf.io.encode_png((IMAGE[0] * 255).astype(np.uint8)).numpy()
    return Pictures(), [(["decode"], [np.array([png, png], object)], {})]


@case
def generators(tf):
    class Random(tf.Module):
        def __init__(self):
            super().__init__()
            self.generator = tf.random.Generator.from_seed(7)

        @tf.function(input_signature=[])
        def draw(self):
            return self.generator.normal([3]), self.generator.uniform([2], maxval=10, dtype=tf.int32)

    return Random(), [(["draw"], [], {}), (["draw"], [], {})]


@case
def extension_types(tf):
    class Masked(tf.experimental.ExtensionType):
        values: tf.Tensor
        mask: tf.Tensor

    class Module(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([None])])
        def f(self, x):
            m = Masked(x, x > 0)
            return tf.where(m.mask, m.values, 0.0)

    return Module(), [(["f"], [X[0]], {})]


@case
def optimizer_inside(tf):
    class Trainer(tf.Module):
        def __init__(self):
            super().__init__()
            self.w = tf.Variable([1.0, 2.0])
            self.optimizer = tf.keras.optimizers.Adam(0.1)
            self.optimizer.build([self.w])

        @tf.function(input_signature=[tf.TensorSpec([2])])
        def step(self, x):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum((self.w * x - 1.0) ** 2)
            self.optimizer.apply_gradients([(tape.gradient(loss, self.w), self.w)])
            return loss, self.w.read_value()

    return Trainer(), [(["step"], [X[0, :2]], {}), (["step"], [X[0, :2]], {})]


@case
def functions_as_objects(tf):
    module = tf.Module()
    module.concrete = tf.function(lambda x, y: x * y).get_concrete_function(
        tf.TensorSpec([None], name="x"), tf.TensorSpec([], name="y")
    )
    module.many = tf.function(lambda x: x + 1)
    module.many(tf.constant(1)), module.many(tf.constant(1.0)), module.many(tf.constant([1, 2])), module.many(2)
    module.static = tf.function(lambda x, mode="a", n=None: x * (2 if mode == "a" else 3) + (n or 0))
    module.static(tf.constant(1)), module.static(tf.constant(1), mode="b"), module.static(tf.constant(1), "b", 5)
    one = np.int32(1)
    return module, [
        (["concrete"], [X[0], np.float32(2)], {}), (["many"], [one], {}), (["many"], [np.float32(1)], {}), (["many"], [np.array([1, 2], np.int32)], {}),
        (["many"], [2], {}), (["static"], [one], {}), (["static"], [one], {"mode": "b"}), (["static"], [one, "b", 5], {}),
    ]  # fmt: skip


# --- Keras -----------------------------------------------------------------------------------------------------------
def shaken(tf, made):
    for variable in made.weights:
        if variable.dtype in ("float32",) and "seed" not in variable.path:
            variable.assign(
                np.random.default_rng(2).normal(0.05, 0.05, variable.shape)
                if "variance" not in variable.path
                else np.full(variable.shape, 1.1)
            )
    return made


@model
def mlp(tf):
    k = tf.keras
    made = k.Sequential(
        [
            k.Input([4]),
            k.layers.Dense(8, "relu"),
            k.layers.Dropout(0.5),
            k.layers.BatchNormalization(),
            k.layers.Dense(3, "softmax"),
        ]
    )
    return shaken(tf, made), [X]


@model
def cnn(tf):
    k = tf.keras
    made = k.Sequential([
        k.Input([32, 32, 3]), k.layers.Rescaling(2.0, -1.0), k.layers.Conv2D(4, 3, activation="relu"), k.layers.MaxPool2D(), k.layers.SeparableConv2D(6, 3, padding="same"), k.layers.BatchNormalization(),
        k.layers.DepthwiseConv2D(3), k.layers.Conv2DTranspose(4, 3, 2), k.layers.UpSampling2D(), k.layers.ZeroPadding2D(), k.layers.AveragePooling2D(2), k.layers.GlobalAveragePooling2D(), k.layers.Dense(2),
    ])  # fmt: skip
    return shaken(tf, made), [IMAGE]


def recurrent(kind):
    def make(tf):
        k = tf.keras
        layer = getattr(k.layers, kind)
        made = k.Sequential(
            [k.Input([5, 3]), layer(4, return_sequences=True), k.layers.Bidirectional(layer(3)), k.layers.Dense(2)]
        )
        return shaken(tf, made), [SERIES]

    make.__name__ = kind.lower()
    model(make)


for kind in ("LSTM", "GRU", "SimpleRNN"):
    recurrent(kind)


@model
def masked_lstm(tf):
    k = tf.keras
    made = k.Sequential(
        [
            k.Input([6], dtype="int32"),
            k.layers.Embedding(20, 4, mask_zero=True),
            k.layers.LSTM(5),
            k.layers.Dense(1, "sigmoid"),
        ]
    )
    return shaken(tf, made), [np.array([[1, 2, 3, 0, 0, 0], [4, 5, 6, 7, 8, 9]], np.int32)]


@model
def transformer(tf):
    k = tf.keras
    inputs = k.Input([5, 3])
    x = k.layers.Dense(8)(inputs)
    y = k.layers.MultiHeadAttention(2, 4)(x, x, use_causal_mask=True)
    x = k.layers.LayerNormalization()(x + y)
    y = k.layers.Dense(8)(k.layers.Dense(16, "gelu")(x))
    x = k.layers.LayerNormalization()(k.layers.Add()([x, y]))
    made = k.Model(inputs, k.layers.Dense(2)(k.layers.GlobalAveragePooling1D()(x)))
    return shaken(tf, made), [SERIES]


@model
def two_inputs(tf):
    k = tf.keras
    a, b = k.Input([4], name="a"), k.Input([5, 3], name="b")
    x = k.layers.Concatenate()([k.layers.Dense(4)(a), k.layers.Flatten()(k.layers.Conv1D(2, 3)(b))])
    made = k.Model([a, b], [k.layers.Dense(2, name="first")(x), k.layers.Dense(1, "tanh", name="second")(x)])
    return shaken(tf, made), [X, SERIES]


@model
def attention(tf):
    k = tf.keras
    q = k.Input([5, 3])
    made = k.Model(
        q,
        [
            k.layers.Attention(use_scale=True)([q, q]),
            k.layers.AdditiveAttention()([q, q]),
            k.layers.GroupQueryAttention(4, 4, 2)(q, q),
        ],
    )
    return shaken(tf, made), [SERIES]


@model
def volumes(tf):
    k = tf.keras
    made = k.Sequential(
        [
            k.Input([6, 6, 6, 1]),
            k.layers.Conv3D(2, 3, activation="elu"),
            k.layers.MaxPool3D(2),
            k.layers.GroupNormalization(2),
            k.layers.PReLU(),
            k.layers.UnitNormalization(),
            k.layers.Flatten(),
            k.layers.Dense(2),
        ]
    )
    return shaken(tf, made), [RNG.random((1, 6, 6, 6, 1), np.float32)]


@model
def conv_lstm(tf):
    k = tf.keras
    made = k.Sequential(
        [
            k.Input([3, 8, 8, 1]),
            k.layers.ConvLSTM2D(2, 3),
            k.layers.Flatten(),
            k.layers.Dense(2),
        ]
    )
    return shaken(tf, made), [RNG.random((1, 3, 8, 8, 1), np.float32)]


@model
def preprocessing(tf):
    k = tf.keras
    made = k.Sequential(
        [
            k.Input([32, 32, 3]),
            k.layers.Resizing(16, 16),
            k.layers.CenterCrop(8, 8),
            k.layers.Normalization(mean=0.3, variance=2.0),
            k.layers.Flatten(),
            k.layers.Dense(2),
        ]
    )
    return shaken(tf, made), [IMAGE]


@case
def keras_text(tf):
    k = tf.keras
    words = k.layers.TextVectorization(output_sequence_length=4)
    words.adapt(["the cat sat", "the dog ran"])
    lookup = k.layers.StringLookup(vocabulary=["a", "b"])
    made = k.Sequential(
        [
            k.Input([], dtype="string"),
            words,
            k.layers.Embedding(20, 3),
            k.layers.GlobalMaxPooling1D(),
            k.layers.Dense(2),
        ]
    )
    module = tf.Module()
    module.model, module.lookup = shaken(tf, made), lookup
    module.f = tf.function(lambda s: (module.model(s), words(s)), input_signature=[tf.TensorSpec([None], tf.string)])
    module.g = tf.function(lambda s: lookup(s), input_signature=[tf.TensorSpec([None], tf.string)])
    return module, [
        (["f"], [np.array([b"the cat", b"a dog"], object)], {}),
        (["g"], [np.array([b"b", b"z"], object)], {}),
    ]


@case
def keras_compiled(tf):
    k = tf.keras
    made = k.Sequential([k.Input([4]), k.layers.Dense(3)])
    made.compile("adam", "mse")
    made.fit(X, np.ones((2, 3), np.float32), verbose=0)
    return made, [(["@serving_default"], [], {"inputs": X})]


@case
def keras_exported(tf):
    k = tf.keras
    made = k.Sequential([k.Input([4]), k.layers.Dense(3), k.layers.Dropout(0.5)])
    return shaken(tf, made), (
        [(["serve"], [X], {}), (["@serving_default"], [], {"keras_tensor": X}), (["@serve"], [], {"keras_tensor": X})],
        {"export": True},
    )


@case
def keras_subclass(tf):
    k = tf.keras

    @k.utils.register_keras_serializable()
    class Block(k.layers.Layer):
        def __init__(self):
            super().__init__()
            self.a, self.b = k.layers.Dense(4), k.layers.Dense(4)

        def call(self, x, training=False):
            y = self.b(tf.nn.relu(self.a(x)))
            return x + tf.nn.dropout(y, 0.5) if training else x + y

    class Net(k.Model):
        def __init__(self):
            super().__init__()
            self.blocks = [Block(), Block()]

        def call(self, x, training=False):
            for b in self.blocks:
                x = b(x, training=training)
            return {"out": x}

    made = Net()
    made(X)
    return shaken(tf, made), [(["@serving_default"], [], {"input_1": X})]


def application(name, size, channels=3):
    def make(tf):
        made = getattr(tf.keras.applications, name)(
            weights=None, include_top=name not in ("VGG16", "VGG19"), input_shape=(size, size, channels), classes=10
        )
        return shaken(tf, made), [np.random.default_rng(1).random((1, size, size, channels), np.float32)]

    make.__name__ = f"application_{name}"
    CASES[make.__name__] = MODELS[make.__name__] = make


for name, size in {
    "MobileNetV2": 32,
    "MobileNet": 32,
    "ResNet50V2": 32,
    "EfficientNetB0": 32,
    "EfficientNetV2B0": 32,
    "DenseNet121": 32,
    "Xception": 71,
    "NASNetMobile": 32,
    "ConvNeXtTiny": 32,
    "MobileNetV3Small": 32,
    "InceptionV3": 75,
}.items():
    application(name, size)
