"""Loops of training beside Keras 3.15.1's: executions of several steps, batches of one's own, nested models."""

import numpy as np
import pytest

import graphrt as tf

keras, layers = tf.keras, tf.keras.layers
X = np.random.RandomState(1).rand(20, 3).astype("float32")
Y = np.random.RandomState(2).rand(20, 1).astype("float32")


def made(**options):
    model = keras.Sequential([keras.Input((3,)), layers.Dense(1, kernel_initializer="ones")])
    model.compile(keras.optimizers.SGD(0.1), "mse", metrics=["mae"], **options)
    return model


class Told(keras.callbacks.Callback):
    def __init__(self):
        super().__init__()
        self.seen = []

    def on_train_batch_begin(self, batch, logs=None):
        self.seen.append(batch)

    def on_train_batch_end(self, batch, logs=None):
        self.seen.append((batch, logs["loss"]))

    def on_predict_batch_end(self, batch, logs=None):
        self.seen.append((batch, logs["outputs"].shape))


@pytest.mark.parametrize("batches", [(X, Y), (tf.data.Dataset.from_tensor_slices((X, Y)).batch(4), None)])
def test_steps_per_execution_are_told_as_one(batches):
    told = Told()
    options = {"epochs": 2, "verbose": 0, "shuffle": False, "batch_size": 4 if batches[1] is not None else None}
    whole = made()
    history = whole.fit(*batches, **options).history
    grouped = made(steps_per_execution=2)
    assert grouped.fit(*batches, callbacks=[told], **options).history == history
    assert told.seen[:6:2] == [0, 2, 4] and [one[0] for one in told.seen[1:6:2]] == [1, 3, 5]
    assert told.seen[5][1] == history["loss"][0]
    told.seen.clear()
    grouped.predict(X, batch_size=4, callbacks=[told], verbose=0)
    assert told.seen == [(1, (8, 1)), (3, (8, 1)), (5, (4, 1))]
    assert grouped.predict(X, batch_size=4, steps=3, verbose=0).shape == (16, 1)  # whole executions


class Parts(keras.utils.PyDataset):
    def __init__(self, count):
        super().__init__()
        self.count, self.asked = count, []

    @property
    def num_batches(self):
        return self.count

    def __getitem__(self, index):
        self.asked.append(index)
        at = 4 * (index % 5)
        return X[at : at + 4], Y[at : at + 4]


def test_a_dataset_of_ones_own_may_say_its_number_of_batches_or_go_on_for_ever():
    want = made().fit(X, Y, batch_size=4, shuffle=False, verbose=0).history
    parts = Parts(5)
    assert made().fit(parts, shuffle=False, verbose=0).history == want
    assert parts.asked == [0, 1, 2, 3, 4]
    endless = Parts(None)
    made().fit(endless, steps_per_epoch=3, epochs=2, shuffle=False, verbose=0)
    assert endless.asked == [0, 1, 2, 3, 4, 5]


def test_a_generator_that_has_ended_ends_the_training():
    model = made()
    with pytest.warns(UserWarning, match="ran out of data") as told:
        history = model.fit(((X, Y) for _ in range(2)), epochs=3, verbose=0)
    assert history.epoch == [0]
    assert [w.filename for w in told] == [__file__]
    with pytest.raises(ValueError, match="the data is empty"):
        model.fit(iter([]), verbose=0)


@pytest.mark.parametrize("call", ["apply", "apply_gradients", "minimize"])
def test_gradients_that_are_missing_are_told_of_where_the_program_calls(call):
    optimizer, variables = keras.optimizers.SGD(0.1), [tf.Variable(1.0), tf.Variable(2.0)]
    with pytest.warns(UserWarning, match="Gradients do not exist") as told:
        if call == "minimize":
            optimizer.minimize(lambda: 2 * variables[0], variables)
        elif call == "apply":
            optimizer.apply([tf.constant(1.0), None], variables)
        else:
            optimizer.apply_gradients([(tf.constant(1.0), variables[0]), (None, variables[1])])
    assert [w.filename for w in told] == [__file__]


def test_a_callback_that_waits_for_a_metric_that_there_is_not_tells_of_it_where_the_program_calls():
    stopping = keras.callbacks.EarlyStopping("val_lss")
    with pytest.warns(UserWarning, match="which is not available") as told:
        made().fit(X, Y, verbose=0, callbacks=[stopping])
    assert [w.filename for w in told] == [__file__]


def test_validation_begins_with_the_first_batch():
    data = tf.data.Dataset.from_tensor_slices((X, Y)).batch(4)
    model = made()
    model.compile(keras.optimizers.SGD(0.0), "mse")
    found = model.fit(X, Y, validation_data=data, validation_steps=2, epochs=2, verbose=0).history["val_loss"]
    assert found[0] == found[1] == pytest.approx(model.evaluate(X[:8], Y[:8], verbose=0))


def test_the_metrics_of_models_inside_are_their_own():
    inside = made()
    inside.fit(X, Y, verbose=0)
    entry = keras.Input((3,))
    model = keras.Model(entry, layers.Dense(1)(inside(entry)))
    model.compile(keras.optimizers.SGD(0.0), "mse", metrics=["mse"])
    assert [m.name for m in model.metrics] == ["loss", "compile_metrics"]
    found = model.fit(X, Y, verbose=0).history
    assert found.keys() == {"loss", "mse"} and found["loss"] == pytest.approx(found["mse"]) and found["loss"][0] > 0


def test_own_metrics_come_after_those_of_compile_and_losses_may_take_no_training():
    class Net(keras.Model):
        def __init__(self):
            super().__init__()
            self.dense, self.custom = layers.Dense(1), keras.metrics.Mean(name="custom")

        def call(self, x):
            return self.dense(x)

        def compute_loss(self, x=None, y=None, y_pred=None, sample_weight=None):
            loss = super().compute_loss(x, y, y_pred, sample_weight)
            self.custom.update_state(loss * 4)
            return loss

    model = Net()
    model.compile("sgd", "mse", metrics=["mae"], weighted_metrics=["mae"])
    found = model.evaluate(X, Y, return_dict=True, verbose=0)
    assert found["custom"] == pytest.approx(4 * found["loss"])
    listed = model.evaluate(X, Y, verbose=0)  # a value for each metric, also of the same name
    assert listed == pytest.approx([found[name] for name in ("loss", "mae", "mae", "custom", "weighted_mae")])
    assert model.metrics_names == ["loss", "compile_metrics", "custom"]


def test_queries_that_see_nothing_get_no_values_where_weights_are_told():
    layer = layers.MultiHeadAttention(2, 4, use_bias=False)
    mask = np.ones((2, 3, 3), bool)
    mask[0, 1] = False
    data = X[:18].reshape(2, 3, 9)
    found, weights = layer(data, data, attention_mask=mask, return_attention_scores=True)
    assert not found[0, 1].numpy().any() and not weights[0, :, 1].numpy().any()
    np.testing.assert_allclose(weights[1].numpy().sum(-1), 1, rtol=1e-5)
    evenly = layer(data, data, attention_mask=mask)[0, 1].numpy()
    assert evenly.any()  # without weights Keras's kernel spreads them evenly


def test_callbacks_end_evaluation_and_prediction():
    class Stop(keras.callbacks.Callback):
        def on_test_batch_end(self, batch, logs=None):
            self.model.stop_evaluating = batch == 1

        def on_predict_batch_end(self, batch, logs=None):
            self.model.stop_predicting = batch == 2

    model = made()
    want = model.evaluate(X[:8], Y[:8], verbose=0)
    data = tf.data.Dataset.from_tensor_slices((X, Y)).batch(4).repeat()
    assert model.evaluate(data, callbacks=[Stop()], verbose=0) == pytest.approx(want)
    assert model.predict(data, callbacks=[Stop()], verbose=0).shape == (12, 1)
    assert model.evaluate(X[:8], Y[:8], verbose=0) == pytest.approx(want)
