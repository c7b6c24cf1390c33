"""Objects of the user's are found by name: registered ones, those of a block, and those given to one call."""

import threading

import pytest

import graphrt as tf

K = tf.keras


class Twice(K.layers.Layer):
    def call(self, x):
        return 2 * x


class Pull(K.regularizers.Regularizer):
    def __call__(self, x):
        return tf.reduce_sum(x)

    def get_config(self):
        return {}


class Clip(K.constraints.Constraint):
    def __call__(self, w):
        return tf.minimum(w, 1.0)


class Sevens(K.initializers.Initializer):
    def __call__(self, shape, dtype=None):
        return tf.fill(shape, 7.0)


class Off(K.losses.Loss):
    def call(self, y_true, y_pred):
        return y_pred - y_true


class Seen(K.metrics.Mean):
    pass


class Steady(K.optimizers.SGD):
    pass


class Flat(K.optimizers.schedules.LearningRateSchedule):
    def __call__(self, step):
        return 0.25

    def get_config(self):
        return {}


@pytest.mark.parametrize(
    ("space", "cls"),
    [
        (K.layers, Twice),
        (K.regularizers, Pull),
        (K.constraints, Clip),
        (K.initializers, Sevens),
        (K.losses, Off),
        (K.metrics, Seen),
        (K.optimizers, Steady),
        (K.optimizers.schedules, Flat),
    ],
)
def test_deserialize_takes_custom_objects(space, cls):
    config = space.serialize(cls())
    assert config["class_name"] == cls.__name__
    made = space.deserialize(config, custom_objects={cls.__name__: cls})
    assert type(made) is cls
    with pytest.raises(ValueError, match=cls.__name__):
        space.deserialize(config)


def test_activations_take_custom_objects():
    halve = K.activations.deserialize("halve", custom_objects={"halve": lambda x: x / 2})
    assert halve(3) == 1.5
    with pytest.raises(ValueError, match="halve"):
        K.activations.get("halve")
    for value in (None, 3):
        with pytest.raises(TypeError, match="An activation is a function"):
            K.activations.serialize(value)


def test_blocks_nest_and_leave_registered_objects_alone():
    table = K.utils.get_custom_objects()
    with K.utils.custom_object_scope({"inner": lambda x: 1}, {"outer": lambda x: 2}):
        with K.utils.custom_object_scope({"inner": lambda x: 3}):
            assert (K.activations.get("inner")(0), K.activations.get("outer")(0)) == (3, 2)
            table["kept"] = lambda x: 4
        assert K.activations.get("inner")(0) == 1
    assert K.activations.get("kept")(0) == 4 and "inner" not in table
    del table["kept"]


def test_a_block_is_seen_by_its_own_thread_alone():
    entered, looked = threading.Event(), threading.Event()
    failures = []

    def other():
        with K.utils.custom_object_scope({"mine": lambda x: 1}):
            entered.set()
            looked.wait(10)
            try:
                K.activations.get("mine")
            except ValueError as error:
                failures.append(error)

    thread = threading.Thread(target=other)
    thread.start()
    assert entered.wait(10)
    with pytest.raises(ValueError, match="mine"):
        K.activations.get("mine")
    with K.utils.custom_object_scope({"ours": lambda x: 1}):
        pass
    looked.set()
    thread.join()
    assert failures == []
