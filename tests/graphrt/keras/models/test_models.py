"""Models: put together, trained, told of, saved and loaded again."""

import copy
import json
import os
import pickle

import numpy as np
import pytest

import graphrt as tf
from tests import GOLDEN

K, L = tf.keras, tf.keras.layers
X = np.random.RandomState(0).randn(10, 3).astype(np.float32)
Y = X[:, :1]


@pytest.fixture(autouse=True)
def from_the_start():
    K.utils.set_random_seed(3)
    K.backend.clear_session()


def small(**options):
    model = K.Sequential([L.Dense(4, activation="relu"), L.Dense(1)])
    model.compile(**{"optimizer": "sgd", "loss": "mse", **options})
    return model


# --- layers of layers ---
class Block(L.Layer):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.first = L.Dense(4)
        self.rest = [L.Dense(3), L.Dense(2)]
        self.table = {"last": L.Dense(1)}
        self.factor = tf.Variable(2.0)
        self.seen = K.metrics.Mean()
        self.own = self.add_weight(shape=(2,), initializer="zeros", name="own")

    def call(self, x):
        x = self.first(x)
        for layer in self.rest:
            x = layer(x)
        self.add_loss(0.1 * tf.reduce_sum(x))
        return self.table["last"](x) * self.factor


def test_weights_of_attributes_lists_and_dictionaries_are_found_in_order():
    block = Block()
    block(X)
    names = [getattr(w, "path", w.name) for w in block.weights]
    assert names[:4] == ["block/own", "Variable:0", "block/dense/kernel", "block/dense/bias"]
    assert names[-1] == "block/dense_3/bias" and len(names) == 10
    assert len(block.losses) == 1 and [type(m).__name__ for m in block.metrics] == ["Mean"]
    block.trainable = False
    assert block.trainable_variables == [] and len(block.non_trainable_variables) == 10
    assert [getattr(w, "path", w.name) for w in block.weights] == names


def test_a_module_finds_the_weights_of_layers():
    class Net(tf.Module):
        def __init__(self):
            super().__init__()
            self.dense = L.Dense(2)
            self.v = tf.Variable(1.0)

    net = Net()
    net.dense(X)
    assert len(net.trainable_variables) == 3


def test_control_flow_in_call_is_staged():
    class Net(K.Model):
        def __init__(self):
            super().__init__()
            self.dense = L.Dense(1)

        def call(self, x):
            if tf.reduce_sum(x) > 0:
                x = x * 2.0
            else:
                x = -x
            for _ in tf.range(2):
                x = x + 1.0
            return self.dense(x)

    net = Net()
    net.compile("sgd", "mse")
    net.fit(X, Y, verbose=0)
    assert np.allclose(net(X).numpy(), net.predict(X, verbose=0))
    assert np.allclose(net(-X).numpy(), net.predict(-X, verbose=0))


def test_weights_are_made_while_a_function_is_traced():
    layer = L.Dense(2)
    step = tf.function(layer)
    assert step(tf.constant(X)).shape == (10, 2) and len(layer.weights) == 2
    assert not tf.is_symbolic_tensor(layer.kernel.value)


def test_training_reaches_inner_layers():
    class Double(L.Layer):
        def call(self, x, training=None):
            return x * 2.0 if training else x

    model = K.Sequential([Double(), K.Sequential([Double()])])
    assert model(tf.ones([1, 1])).numpy().item() == 1.0
    assert model(tf.ones([1, 1]), training=True).numpy().item() == 4.0


def test_dictionaries_of_inputs_and_outputs():
    a, b = K.Input((3,), name="a"), K.Input((2,), name="b")
    model = K.Model({"a": a, "b": b}, {"p": L.Dense(1)(a), "q": L.Dense(2)(b)})
    model.compile("sgd", loss={"p": "mse", "q": "mae"}, metrics={"p": ["mae"]})
    data = {"a": X, "b": X[:, :2]}
    history = model.fit(data, {"p": Y, "q": X[:, :2]}, verbose=0)
    assert list(history.history) == ["loss", "p_loss", "p_mae", "q_loss"]
    assert set(model.predict(data, verbose=0)) == {"p", "q"}


def test_a_layer_used_twice_has_one_set_of_weights():
    x = K.Input((3,))
    shared = L.Dense(3)
    model = K.Model(x, shared(shared(x)) - x / 2.0)
    assert len(model.weights) == 2 and model.output_shape == (None, 3)
    kernel, bias = model.get_weights()
    assert np.allclose(model(X), (X @ kernel + bias) @ kernel + bias - X / 2, atol=1e-5)


def test_functions_of_symbols():
    x = K.Input((3,))
    y = K.ops.concatenate([K.ops.relu(x), x], axis=-1)
    model = K.Model(x, K.ops.sum(y, axis=-1, keepdims=True) + K.ops.mean(x))
    assert np.allclose(model(X), np.maximum(X, 0).sum(1, keepdims=True) + X.sum(1, keepdims=True) + X.mean(), atol=1e-5)


def test_states_of_a_stateful_layer_stay_until_they_are_reset():
    layer = L.LSTM(2, stateful=True)
    x = tf.ones([2, 3, 1])
    first, second = layer(x), layer(x)
    layer.reset_state()
    assert np.allclose(first, layer(x)) and not np.allclose(first, second)
    assert len(layer.weights) == 3


def test_recurrent_layers_take_sequences_of_unknown_length():
    layer = L.GRU(3, return_sequences=True)
    run = tf.function(layer, input_signature=[tf.TensorSpec([None, None, 2], tf.float32)])
    x = np.random.RandomState(1).randn(2, 5, 2).astype(np.float32)
    assert np.allclose(run(tf.constant(x)), layer(x), atol=1e-6)
    assert "While" in str(run.get_concrete_function().graph.as_graph_def())


# --- training ---
def test_batches_of_a_generator_go_on_from_epoch_to_epoch():
    seen = []

    def batches():
        for i in range(100):
            seen.append(i)
            yield X[:5], Y[:5]

    history = small().fit(batches(), steps_per_epoch=3, epochs=2, verbose=0, validation_data=(X, Y))
    assert len(seen) == 6 and list(history.history) == ["loss", "val_loss"]
    model = small()
    model.compile(loss="mse", metrics=["accuracy"], weighted_metrics=["accuracy"])
    told = model.fit(X, Y, verbose=0, validation_data=(X, Y)).history  # in the order of the words
    assert list(told)[2:] == ["val_accuracy", "val_loss", "val_weighted_accuracy", "weighted_accuracy"]


def test_a_short_generator_ends_with_a_warning():
    with pytest.warns(UserWarning, match="ran out of data"):
        small().fit(iter([(X, Y)]), steps_per_epoch=3, verbose=0)


def test_batches_of_a_sequence():
    class Batches(K.utils.Sequence):
        ended = 0

        def __len__(self):
            return 2

        def __getitem__(self, i):
            return X[5 * i : 5 * i + 5], Y[5 * i : 5 * i + 5]

        def on_epoch_end(self):
            self.ended += 1

    batches = Batches()
    small().fit(batches, epochs=2, verbose=0, shuffle=False)
    assert batches.ended == 2


def test_order_of_callbacks():
    told = []

    class Note(K.callbacks.Callback):
        def __getattribute__(self, name):
            if name.startswith("on_") and not name.startswith("on_batch"):
                told.append(name[3:])
            return super().__getattribute__(name)

    small().fit(X, Y, verbose=0, callbacks=[Note()], validation_data=(X, Y))
    assert told == [
        "train_begin", "epoch_begin", "train_batch_begin", "train_batch_end", "test_begin", "test_batch_begin",
        "test_batch_end", "test_end", "epoch_end", "train_end",
    ]  # fmt: skip


def test_one_step_is_traced_for_all_batches():
    traces = []

    class Net(K.Model):
        def __init__(self):
            super().__init__()
            self.dense = L.Dense(1)

        def call(self, x):
            traces.append(1)
            return self.dense(x)

    net = Net()
    net.compile("sgd", "mse")
    net.fit(X, Y, batch_size=4, epochs=3, verbose=0)
    assert len(traces) <= 2  # whole batches, and one more for the rest
    net.compile("sgd", "mse", run_eagerly=True)
    traces.clear()
    net.fit(X, Y, batch_size=5, epochs=2, verbose=0)
    assert len(traces) == 4


def test_a_metric_of_ones_own_and_functions():
    class Count(K.metrics.Metric):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            self.n = self.add_weight(name="n", initializer="zeros")

        def update_state(self, y_true, y_pred, sample_weight=None):
            if tf.reduce_sum(y_pred) > -1e6:
                self.n.assign_add(1.0)

        def result(self):
            return self.n

    def greatest(y_true, y_pred):
        return tf.reduce_max(tf.abs(y_true - y_pred))

    model = small(metrics=[Count(name="count"), greatest], loss=lambda y, p: tf.reduce_mean(tf.abs(y - p)))
    history = model.fit(X, Y, batch_size=5, epochs=2, verbose=0)
    assert history.history["count"] == [2.0, 2.0] and "greatest" in history.history


def test_the_bar_is_drawn_on_a_terminal_only(capsys, monkeypatch):
    import sys

    small().fit(X, Y, epochs=2)
    shown = capsys.readouterr().out
    assert "━" not in shown and shown.startswith("Epoch 1/2\n1/1 - ")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    small().fit(X, Y, epochs=2)
    assert "━━━━━" in capsys.readouterr().out


def test_early_stopping_brings_back_the_best_weights():
    model = small()
    stop = K.callbacks.EarlyStopping(monitor="loss", mode="max", restore_best_weights=True)  # it gets worse at once
    history = model.fit(X, Y, epochs=9, verbose=0, callbacks=[stop])
    assert len(history.epoch) == 2 and stop.best_epoch == 0


# --- files ---
def test_weights_in_a_file(tmp_path):
    model = small()
    model.fit(X, Y, verbose=0)
    model.save_weights(tmp_path / "w.npz")
    other = small()
    with pytest.raises(ValueError, match="holds 4 weights"):
        other.load_weights(tmp_path / "w.npz")
    other.build((None, 3))
    other.load_weights(tmp_path / "w.npz")
    assert np.allclose(other(X), model(X))


def branched():
    x = K.Input((3,))
    hidden = L.Dense(4)(x)
    return K.Model(x, L.Dense(1)(L.Add()([hidden, L.Dense(4)(hidden)])))


@pytest.mark.parametrize("make", [small, branched])
def test_a_model_in_a_file_goes_on_training(make, tmp_path):
    model = make()
    model.compile("adam", "mse", metrics=["mae"])
    model.fit(X, Y, verbose=0, shuffle=False)
    model.save(tmp_path / "m.keras")
    loaded = K.models.load_model(tmp_path / "m.keras")
    assert np.allclose(loaded.predict(X, verbose=0), model.predict(X, verbose=0))
    assert loaded.optimizer.iterations.numpy() == 1
    again = [m.fit(X, Y, verbose=0, shuffle=False).history["loss"][0] for m in (model, loaded)]
    assert again[0] == pytest.approx(again[1])


def test_where_a_checkpoint_can_save_is_told_when_it_is_made(tmp_path):
    with pytest.raises(ValueError, match="must end in `.keras`"):
        K.callbacks.ModelCheckpoint(tmp_path / "model")
    assert K.callbacks.ModelCheckpoint(tmp_path / "model.keras").filepath.endswith(".keras")


def test_steps_are_those_of_batches():
    data = tf.data.Dataset.range(6).map(lambda n: (tf.ones([1]), tf.ones([1]))).filter(lambda x, y: True).batch(2)
    model = K.Sequential([K.Input((1,)), K.layers.Dense(1)])
    model.compile("adam", "mse")
    model.fit(data, epochs=2, verbose=0)
    assert model.optimizer.iterations.numpy() == 6  # Keras counts the ends of such epochs, too


def test_checkpoints_and_logs(tmp_path):
    kept = K.callbacks.ModelCheckpoint(tmp_path / "c-{epoch}.npz", save_weights_only=True)
    small().fit(X, Y, epochs=2, verbose=0, callbacks=[kept, K.callbacks.CSVLogger(tmp_path / "log.csv")])
    assert sorted(os.listdir(tmp_path)) == ["c-1.npz", "c-2.npz", "log.csv"]
    assert (tmp_path / "log.csv").read_text().splitlines()[0] == "epoch,loss,val_loss"
    with pytest.raises(ValueError, match="is a directory. `load_model` reads `.keras` files"):
        K.models.load_model(tmp_path)


def test_configurations_make_equal_models():
    model = K.Sequential([K.Input((4, 2)), L.Bidirectional(L.LSTM(3, name="lstm")), L.Dense(1)])
    again = K.models.model_from_json(model.to_json())
    assert [w.shape for w in again.weights] == [w.shape for w in model.weights]
    again.set_weights(model.get_weights())
    x = np.ones((2, 4, 2), np.float32)
    assert np.allclose(again(x), model(x))
    assert len(K.models.clone_model(branched()).weights) == 6


def test_json_tells_what_a_model_was_built_for_and_compiled_with():
    model = K.Sequential([K.Input((3,)), K.layers.Dense(2)])
    assert json.loads(model.to_json())["compile_config"] == {}
    model.compile(K.optimizers.SGD(0.5), "mse", metrics=["mae"])
    told = json.loads(model.to_json())
    assert (told["build_config"], told["config"]["build_input_shape"]) == ({"input_shape": [None, 3]}, [None, 3])
    assert told["config"]["dtype"]["config"] == {"name": "float32"}
    assert told["config"]["layers"][1]["build_config"] == {"input_shape": [None, 3]}
    assert (told["compile_config"]["loss"], told["compile_config"]["metrics"]) == ("mse", ["mae"])
    again = K.models.model_from_json(model.to_json())
    assert (again.compiled, again.loss, again.optimizer.learning_rate.numpy()) == (True, "mse", 0.5)
    unbuilt = json.loads(K.Sequential([K.layers.Dense(2)]).to_json())
    assert "build_config" not in unbuilt


def test_configurations_of_keras_3_make_models():
    told = json.loads((GOLDEN / "keras_files" / "models_as_json.json").read_text())
    chain, fork, masked = (K.models.model_from_json(json.dumps(config)) for config in told)
    assert (chain.count_params(), chain.output_shape) == (262, (None, 2))
    assert (fork.count_params(), fork.output_shape) == (91, {"one": (None, 1), "two": (None, 5, 2)})
    assert (masked.count_params(), masked.output_shape) == (243, (None, 2))  # with an operation, which makes the mask
    tokens = np.array([[1, 2, 3, 0, 0, 0]])
    assert not np.allclose(masked(tokens), masked(np.array([[1, 2, 3, 4, 0, 0]])))
    for model, theirs in zip((chain, fork), told):
        ours = json.loads(model.to_json())
        assert [c["class_name"] for c in ours["config"]["layers"]] == [
            c["class_name"] for c in theirs["config"]["layers"]
        ]
        assert ours["registered_name"] == theirs["registered_name"]
        names = [[c.get("module") for c in found["config"]["layers"]] for found in (ours, theirs)]
        assert names[0] == names[1]
    told[2]["config"]["layers"][-1]["module"] = "keras.src.ops.numpy"
    with pytest.raises(ValueError, match="operation 'Sequential' is not known"):
        K.models.model_from_json(json.dumps(told[2]))


def test_a_layer_of_ones_own_is_found_again():
    @K.utils.register_keras_serializable()
    class Times(L.Layer):
        def __init__(self, factor=2.0, **kwargs):
            super().__init__(**kwargs)
            self.factor = factor

        def call(self, x):
            return x * self.factor

    model = K.Sequential([K.Input((3,)), Times(3.0)])
    assert np.allclose(K.models.clone_model(model)(X), 3 * X)
    with pytest.raises(ValueError, match="Unknown layer: 'Other'"):
        L.deserialize({"class_name": "Other", "config": {}})


def test_copies_and_pickles_keep_paths():
    model = small()
    model(X)
    for other in (copy.deepcopy(model.layers[0]), pickle.loads(pickle.dumps(model.layers[0]))):
        assert [w.path for w in other.weights] == [w.path for w in model.layers[0].weights]
        assert np.allclose(other(X), model.layers[0](X))


# --- optimizers ---
def test_learning_rates_are_set_and_schedules_are_not():
    optimizer = K.optimizers.SGD(0.1)
    optimizer.learning_rate = 0.3
    assert optimizer.learning_rate.numpy() == np.float32(0.3)
    scheduled = K.optimizers.SGD(K.optimizers.schedules.ExponentialDecay(0.1, 1, 0.5))
    with pytest.raises(TypeError, match="LearningRateSchedule"):
        scheduled.learning_rate = 0.3
    again = K.optimizers.get(K.optimizers.serialize(scheduled))
    assert float(again.learning_rate) == pytest.approx(0.1)


@pytest.mark.parametrize(
    "optimizer, second",
    [("SGD", 0.6), ("Adam", 0.98838943), ("RMSprop", 0.70185757)],  # TensorFlow 2.20: slices are squared one by one
)  # fmt: skip
def test_rows_that_were_looked_up_twice(optimizer, second):
    def step(values):
        w = tf.Variable(np.ones((3, 2), np.float32))
        with tf.GradientTape() as tape:
            rows = tf.gather(w, [0, 1, 1]) if values else tf.one_hot([0, 1, 1], 3) @ w
            loss = tf.reduce_sum(rows**2)
        options = {} if optimizer == "SGD" else {"epsilon": 1.0}
        getattr(K.optimizers, optimizer)(0.1, **options).apply_gradients([(tape.gradient(loss, w), w)])
        return w.numpy()

    found, dense = step(True), step(False)
    assert np.allclose(found[[0, 2]], dense[[0, 2]]) and np.allclose(found[1], second, atol=1e-6)
    assert np.allclose(found, dense) == (optimizer == "SGD")


# --- what is refused ---
def first_call(layer, *shapes):
    return lambda: layer()(*[tf.ones(s) for s in shapes])


WRONG = {
    "layer 'dense'.*min_ndim=2, found ndim=1.*\\(3,\\)": first_call(lambda: L.Dense(2), [3]),
    "layer 'conv2d'.*min_ndim=4, found ndim=3": first_call(lambda: L.Conv2D(2, 3), [2, 5, 5]),
    "layer 'lstm'.*expected ndim=3, found ndim=2": first_call(lambda: L.LSTM(2), [2, 3]),
    "layer 'max_pooling2d'.*ndim=4": first_call(lambda: L.MaxPooling2D(), [2, 3]),
    "'reshape'.*input_shape=\\(4,\\), target_shape=\\(3,\\)": first_call(lambda: L.Reshape((3,)), [2, 4]),
    "'concatenate' received.*\\(2, 3\\), \\(3, 3\\)": lambda: L.Concatenate()([tf.ones([2, 3]), tf.ones([3, 3])]),
    "'add' have incompatible shapes.*\\(3,\\) and \\(4,\\)": lambda: L.Add()([tf.ones([2, 3]), tf.ones([2, 4])]),
    "units=-1": lambda: L.Dense(-1),
    "passed to Dense: {'foo': 1}": lambda: L.Dense(2, foo=1),
    "cannot contain character": lambda: L.Dense(2, name="a/b"),
    "activation function identifier: foo": lambda: L.Dense(2, activation="foo"),
    "loss identifier: foo. Known are: binary": lambda: K.losses.get("foo"),
    "optimizer identifier: foo": lambda: K.optimizers.get("foo"),
    "compile": lambda: K.Sequential([L.Dense(1)]).fit(X, Y),
    "'x' sizes: 10\n'y' sizes: 5": lambda: small().fit(X, Y[:5], verbose=0),
    "same shape.*\\(10, 4\\).*\\(10, 1\\)": lambda: small(loss="categorical_crossentropy").fit(X, np.ones((10, 4)), verbose=0),
    "no targets": lambda: small().fit(X, verbose=0),
    "No gradients provided": lambda: K.optimizers.SGD().apply_gradients([(None, tf.Variable(1.0))]),
    "Only one of `clipnorm`": lambda: K.optimizers.SGD(clipnorm=1.0, clipvalue=1.0),
    "not among the `inputs`": lambda: K.Model(K.Input((3,)), L.Dense(1)(K.Input((3,)))),
    "input to a TensorFlow function": lambda: tf.square(K.Input((3,))),
    "unique names": lambda: K.Sequential([L.Dense(1, name="q"), L.Dense(1, name="q")]),
    "length 1, but the layer was expecting 2": lambda: K.Sequential([K.Input((1,)), L.Dense(1)]).set_weights([1]),
    "weight list|not compatible": lambda: K.Sequential([K.Input((1,)), L.Dense(1)]).set_weights([np.ones(3), np.ones(1)]),
    "No such layer: zz": lambda: small().get_layer("zz"),
    "metric identifier: nonsense": lambda: small(metrics=["nonsense"]).fit(X, Y, verbose=0),
}  # fmt: skip


@pytest.mark.parametrize("pattern", WRONG, ids=range(len(WRONG)))
def test_mistakes_are_named(pattern):
    with pytest.raises(ValueError, match=f"(?s){pattern}"):
        WRONG[pattern]()


def test_other_mistakes():
    model = small()
    model.fit(X, Y, verbose=0)
    with pytest.raises(ValueError, match="layer 'dense'.*expected axis -1 of input shape to have value 3"):
        model(tf.ones([2, 5]))
    with pytest.raises(RuntimeError, match="super"):
        type("Q", (L.Layer,), {"__init__": lambda self: None, "call": lambda self, x: x})()(X)
    with pytest.raises(TypeError, match="boolean"):
        bool(K.Input((3,)))
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        L.Embedding(4, 2, name="table")(tf.constant([5]))
    assert "in layer 'table' (Embedding), called with inputs of shape (1,)" in caught.value.__notes__[-1]
    optimizer = K.optimizers.SGD()
    optimizer.build([tf.Variable(1.0)])
    with pytest.raises(ValueError, match="Unknown variable"):
        optimizer.apply_gradients([(tf.constant(1.0), tf.Variable(1.0))])


# --- functions of users, converted where they are traced ---
def test_losses_and_schedules_may_branch_on_tensors():
    def loss(y_true, y_pred):
        error = y_true - y_pred
        if tf.reduce_max(tf.abs(error)) < 1e9:
            found = tf.abs(error)
        else:
            found = error
        return found

    class Steps(K.optimizers.schedules.LearningRateSchedule):
        def __call__(self, step):
            if step < 2:
                rate = 0.5
            else:
                rate = 0.1
            return rate

    model = K.Sequential([L.Dense(1, kernel_initializer="ones")])
    model.compile(K.optimizers.SGD(Steps()), loss)
    ones = np.ones((4, 2), np.float32)
    losses = model.fit(ones, ones[:, :1], epochs=4, verbose=0).history["loss"]
    assert losses[0] == 1.0
    assert float(model.optimizer.learning_rate) == np.float32(0.1)


def test_a_step_of_ones_own_may_return_the_metrics_as_they_are():
    class Net(K.Model):
        def train_step(self, data):
            x, y = data
            with tf.GradientTape() as tape:
                y_pred = self(x, training=True)
                loss = self.compute_loss(y=y, y_pred=y_pred)
            self.optimizer.apply(tape.gradient(loss, self.trainable_variables), self.trainable_variables)
            for metric in self.metrics:
                if metric.name == "loss":
                    metric.update_state(loss)
                else:
                    metric.update_state(y, y_pred)
            return {metric.name: metric.result() for metric in self.metrics}

    x = K.Input((3,))
    net = Net(x, L.Dense(1)(x))
    net.compile("adam", "mse", metrics=["mae"])
    assert set(net.fit(X, Y, verbose=0).history) == {"loss", "mae"}


def test_every_listed_operation_is_there():
    from graphrt.keras import ops

    for name in [n for n in dir(ops) if not n.startswith("_")]:
        assert getattr(ops, name) is not None
    x = tf.constant([[1.0, -2.0], [3.0, 4.0]])
    assert K.ops.nansum(x, axis=0).numpy().tolist() == [4.0, 2.0]
    assert K.ops.max_pool(tf.reshape(tf.range(16.0), [1, 4, 4, 1]), 2).numpy().ravel().tolist() == [
        5.0,
        7.0,
        13.0,
        15.0,
    ]
    image = K.Input((5, 5, 1))
    model = K.Model(image, K.ops.conv(image, tf.ones([3, 3, 1, 2])))
    assert model.output_shape == (None, 3, 3, 2)
    with pytest.raises(AttributeError):
        K.ops.nothing


SIMPLEST = {
    "Activation": ("relu",), "EinsumDense": ("ab,bc->ac", 3), "Embedding": (4, 2), "Wrapper": (L.Dense(1),),
    "RNN": (L.LSTMCell(2),), "Bidirectional": (L.LSTM(2),), "TimeDistributed": (L.Dense(1),),
    "StackedRNNCells": ([L.LSTMCell(2)],), "Reshape": ((1,),), "Permute": ((1,),), "RepeatVector": (2,),
    "Rescaling": (2.0,), "Resizing": (2, 2), "CenterCrop": (2, 2), "CategoryEncoding": (3,), "Discretization": ([1.0],),
    "Dot": (1,), "InputLayer": ((2,),), "MultiHeadAttention": (1, 2),
}  # fmt: skip
NEEDED = {"filters": 2, "kernel_size": 2, "rate": 0.2, "units": 3, "pool_size": 2, "stddev": 0.1, "num_classes": 3,
          "target_class_ids": [0], "specificity": 0.5, "sensitivity": 0.5, "recall": 0.5, "precision": 0.5}  # fmt: skip
CLASSES = [
    (space, name) for space in ("layers", "losses", "metrics", "optimizers", "initializers", "regularizers", "constraints")
    for name in getattr(K, space).__all__
    if isinstance(getattr(getattr(K, space), name), type)
    and name not in ("Layer", "InputSpec", "Lambda", "Optimizer", "MeanMetricWrapper")
]  # fmt: skip


def test_every_class_is_made_again_from_its_configuration():
    import inspect
    import json

    for space, name in CLASSES:
        cls = getattr(getattr(K, space), name)
        needed = [p.name for p in list(inspect.signature(cls.__init__).parameters.values())[1:]
                  if p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD]  # fmt: skip
        made = cls(*(SIMPLEST[name] if name in SIMPLEST and space == "layers" else [NEEDED[n] for n in needed]))
        config = made.get_config()
        json.dumps(config)
        assert cls.from_config(config).get_config() == config, name


def test_a_train_step_of_older_versions():
    import graphrt as tf

    class Old(K.Model):
        def train_step(self, data):
            x, y = data
            with tf.GradientTape() as tape:
                loss = self.compiled_loss(y, self(x, training=True), regularization_losses=self.losses)
            gradients = tape.gradient(loss, self.trainable_variables)
            for gradient, variable in zip(gradients, self.trainable_variables):
                self.optimizer.update_step(gradient, variable, 0.5)
            return {"loss": loss}

    inputs = K.Input((1,))
    weights = K.initializers.Constant(2.0)
    model = Old(inputs, L.Dense(1, use_bias=False, kernel_initializer=weights)(inputs))
    model.compile(loss="mse", optimizer=K.optimizers.SGD(0.1))
    history = model.fit(tf.ones([1, 1]), tf.zeros([1, 1]), epochs=1, verbose=0)
    assert history.history["loss"] == [4.0] and model.get_weights()[0].tolist() == [[0.0]]


def test_sparse_inputs():
    inputs = tf.keras.Input((4,), sparse=True, name="i")
    dense = tf.keras.layers.Dense(2, kernel_initializer="ones")(inputs)
    rows = tf.sparse.from_dense([[1.0, 0.0, 0.0, 2.0], [0.0, 0.0, 3.0, 0.0]])
    assert "sparse=True" in repr(inputs)
    model = tf.keras.Model(inputs, dense)
    assert model(rows).numpy().tolist() == [[3.0, 3.0], [3.0, 3.0]]
    assert model.predict(rows, verbose=0).tolist() == [[3.0, 3.0], [3.0, 3.0]]
    both = tf.keras.Model(inputs, tf.keras.layers.Concatenate()([inputs, dense]))
    assert both(rows).numpy()[0].tolist() == [1.0, 0.0, 0.0, 2.0, 3.0, 3.0]
    model.compile("sgd", "mse")
    assert model.fit(rows, np.ones((2, 2)), verbose=0, batch_size=2).history["loss"] == [4.0]


def test_sparse_inputs_of_layers_of_the_user():
    class Own(tf.keras.layers.Layer):
        def call(self, x):
            return tf.sparse.sparse_dense_matmul(x, tf.ones([2, 1]))

    assert Own()(tf.sparse.from_dense([[1.0, 2.0]])).numpy().tolist() == [[3.0]]


@pytest.mark.parametrize("first", [[], [tf.keras.Input((2,))]])
def test_learned_statistics_are_saved(first, tmp_path):
    layer = tf.keras.layers.Normalization()
    layer.adapt(np.array([[1.0, 2.0], [3.0, 5.0]]))
    model = tf.keras.Sequential([*first, layer, tf.keras.layers.Dense(1)])
    data = np.array([[1.5, 7.0]])
    expected = model(data).numpy()
    path = str(tmp_path / "model.keras")
    model.save(path)
    assert tf.keras.models.load_model(path)(data).numpy() == expected


class BuiltLater(K.Model):
    def build(self, input_shape):
        self.inner, self.last = L.Dense(4, activation="relu"), L.Dense(1)
        super().build(input_shape)

    def call(self, x):
        return self.last(self.inner(x))


def test_layers_made_in_build_which_calls_that_of_models():
    told, called = BuiltLater(), BuiltLater()
    told.build((None, 3))
    assert told.built and told.count_params() == 21 and told.inner.built
    assert called(X).shape == (10, 1) and len(called.weights) == 4

    class Broken(BuiltLater):
        def call(self, x):
            return self.absent(x)

    broken = Broken()
    with pytest.raises(AttributeError):
        broken.build((None, 3))
    assert not broken.built


def test_declared_input_shapes_are_no_part_of_a_layer():
    first = L.Dense(2, input_shape=(3,))
    model = K.Sequential([first, L.Dense(1, input_dim=2)])
    assert model.input_shape == (None, 3)
    assert not {"input_shape", "input_dim", "batch_input_shape"} & {*first.get_config(), *model.layers[1].get_config()}
    assert K.models.model_from_json(model.to_json()).count_params() == model.count_params() == 11
    assert L.InputLayer((3,)).get_config()["batch_shape"] == (None, 3)


class Frame:  # what a table of several dtypes gives
    ndim = 2

    def to_numpy(self):
        return np.array([[True, 0.5, 3], [False, 1.5, 4]], object)

    def __array__(self, dtype=None, copy=None):
        return self.to_numpy()


def test_tables_whose_columns_differ_in_dtype():
    model = K.Sequential([L.Dense(1, kernel_initializer="ones")])
    assert model.predict(Frame(), verbose=0).tolist() == [[4.5], [5.5]]


TABLE = """\
Model: "told"
┏━━━━━━━━━━━━━━━━━━━━━┳━━━━━━━━━━━━━━━━━━━┳━━━━━━━━━━━━┳━━━━━━━━━━━━━━━━━━━┓
┃ Layer (type)        ┃ Output Shape      ┃    Param # ┃ Connected to      ┃
┡━━━━━━━━━━━━━━━━━━━━━╇━━━━━━━━━━━━━━━━━━━╇━━━━━━━━━━━━╇━━━━━━━━━━━━━━━━━━━┩
│ a_very_long_input_… │ (None, 28, 28, 3) │          0 │ -                 │
│ (InputLayer)        │                   │            │                   │
├─────────────────────┼───────────────────┼────────────┼───────────────────┤
│ batch_normalization │ (None, 28, 28, 3) │         12 │ a_very_long_inpu… │
│ (BatchNormalizatio… │                   │            │                   │
├─────────────────────┼───────────────────┼────────────┼───────────────────┤
│ conv2d (Conv2D)     │ (None, 26, 26,    │      1,792 │ batch_normalizat… │
│                     │ 64)               │            │                   │
├─────────────────────┼───────────────────┼────────────┼───────────────────┤
│ concatenate         │ (None, 26, 26,    │          0 │ conv2d[0][0],     │
│ (Concatenate)       │ 128)              │            │ conv2d[0][0]      │
└─────────────────────┴───────────────────┴────────────┴───────────────────┘
"""


def test_cells_of_summaries_are_wrapped(capsys):
    x = L.Input((28, 28, 3), name="a_very_long_input_layer_name")
    y = L.Conv2D(64, 3)(L.BatchNormalization()(x))
    K.Model(x, L.Concatenate()([y, y]), name="told").summary()
    assert capsys.readouterr().out.startswith(TABLE)
    a, told = L.Input((3,), name="a"), []
    K.Model(a, L.Add()([a, a])).summary(print_fn=told.append)
    assert "│ a[0][0], a[0][0]  │" in told[0] and told[0].endswith(")\n")
    K.Sequential([L.Input((3,)), L.Dense(2, name="of_" * 10), L.Flatten()]).summary(show_trainable=True)
    shown = capsys.readouterr().out
    assert "│ of_of_of_of_of_of_of_of_of… │ (None, 2)             │          8 │   Y   │\n│ (Dense)    " in shown
    assert "│          0 │   -   │" in shown


def test_shapes_are_told_by_name():
    class Sum(L.Layer):
        def call(self, first, second):
            return first + second

    class Twice(L.Layer):
        @tf.function
        def call(self, inputs):
            return tf.concat([inputs, inputs], -1)

    assert Twice().compute_output_shape(input_shape=(None, 3)) == (None, 6) == Twice().compute_output_shape((None, 3))
    assert Sum().compute_output_shape(first_shape=(None, 1), second_shape=(None, 4)) == (None, 4)
    assert Sum().compute_output_shape((None, 1), second_shape=(None, 4)) == (None, 4)


def test_callbacks_always_get_logs():
    seen = []

    class Note(K.callbacks.Callback):
        def __getattribute__(self, name):
            if name.startswith("on_"):
                return lambda *args: seen.append((name, *(sorted(a) if isinstance(a, dict) else a for a in args)))
            return super().__getattribute__(name)

    model = K.Sequential([K.Input((2,)), K.layers.Dense(1)])
    model.compile("sgd", "mse", metrics=["mae"])
    x, y = np.ones((4, 2)), np.ones((4, 1))
    model.fit(x, y, verbose=0, validation_data=(x, y), callbacks=[Note()])
    both, all_ = ["loss", "mae"], ["loss", "mae", "val_loss", "val_mae"]
    assert seen == [  # what Keras 3.15 tells
        ("on_train_begin", []), ("on_epoch_begin", 0, []), ("on_train_batch_begin", 0, []), ("on_train_batch_end", 0, both),
        ("on_test_begin", []), ("on_test_batch_begin", 0, []), ("on_test_batch_end", 0, both), ("on_test_end", both),
        ("on_epoch_end", 0, all_), ("on_train_end", all_),
    ]  # fmt: skip
    seen.clear()
    model.predict(x, verbose=0, callbacks=[Note()])
    assert seen == [
        ("on_predict_begin", []), ("on_predict_batch_begin", 0, []), ("on_predict_batch_end", 0, ["outputs"]),
        ("on_predict_end", []),
    ]  # fmt: skip
    outputs = []
    told = K.callbacks.LambdaCallback(on_train_begin=lambda logs: outputs.append(logs))
    told.on_predict_batch_end = lambda batch, logs: outputs.append(logs["outputs"])
    model.fit(x, y, verbose=0, callbacks=[told])
    found = model.predict(x, verbose=0, callbacks=[told])
    assert outputs[0] == {} and isinstance(outputs[1], np.ndarray) and (outputs[1] == found).all()
    K.callbacks.CallbackList([told]).on_train_begin(logs={"a": 1})
    assert outputs[2] == {"a": 1}


def test_filtering_of_tracebacks_is_one_switch():
    K.config.disable_traceback_filtering()
    try:
        assert not tf.debugging.is_traceback_filtering_enabled() and not K.config.is_traceback_filtering_enabled()
    finally:
        K.config.enable_traceback_filtering()
    assert tf.debugging.is_traceback_filtering_enabled()


def repeated_layer(entry):
    layer = L.Dense(4)
    return K.Sequential([*([K.Input((4,))] if entry else []), layer, L.ReLU(), layer, layer])


@pytest.mark.parametrize("entry", [True, False])
def test_a_layer_may_stand_in_several_places_of_a_sequential(entry, tmp_path):
    model, x = repeated_layer(entry), tf.constant([[1.0, -2.0, 3.0, 0.5]])
    (layer, *_), (kernel, bias) = model.layers, (model(x), model.get_weights())[1]
    y = np.maximum(x.numpy() @ kernel + bias, 0)
    wanted = (y @ kernel + bias) @ kernel + bias
    np.testing.assert_allclose(model(x), wanted, rtol=1e-5)
    assert len(model.layers) == 4
    assert (len(model.weights), model.count_params()) == (2, 20)
    copies = [K.Sequential.from_config(model.get_config()), K.models.clone_model(model)]
    for made in copies:
        made(x)
        assert len(made.weights) == 2
        made.set_weights(model.get_weights())
    model.save(tmp_path / "model.keras")
    model.save_weights(tmp_path / "model.weights.h5")
    loaded = repeated_layer(True)
    loaded.load_weights(tmp_path / "model.weights.h5")
    for made in [*copies, loaded, K.models.load_model(tmp_path / "model.keras")]:
        assert made.layers[0] is made.layers[2] is made.layers[3]
        np.testing.assert_allclose(made(x), wanted, rtol=1e-5)
    assert model.pop() is layer
    assert [len(model.layers), len(model.weights)] == [3, 2]
