"""The ops that train variables, against recorded calls, and inside of functions."""

import inspect
import threading

import numpy as np
import pytest

import graphrt as tf
from graphrt.state import training_ops
from tests.golden.checks import golden_tests

test_calls = golden_tests("state/training_ops")

OPS = sorted(name for name in dir(training_ops) if name.startswith("Resource"))
VALUES = {"global_step": 3, "lr_power": -0.5, "indices": [2, 0, 2]}
SLOTS = {
    "var", "m", "v", "vhat", "ms", "mg", "mom", "accum", "accum_update", "linear", "gradient_accumulator",
    "gradient_squared_accumulator",
}  # fmt: skip
GRADIENT = np.array([[0.5, -1.0], [0.0, 0.25], [-2.0, 0.125]], "float32")


def arguments(op):
    """Variables for the slots of an op, and its other arguments without the gradient."""
    names = [p.name for p in inspect.signature(getattr(tf.raw_ops, op)).parameters.values() if p.default is p.empty]
    slots = {n: tf.Variable([[1.0, 2.0], [0.5, 0.25], [3.0, 4.0]]) for n in names if n in SLOTS}
    if "mg" in slots:
        slots["mg"].assign(slots["mg"] / 8)
    given = {n: VALUES.get(n, 0.125) for n in names if n not in SLOTS and n not in ("grad", "delta")}
    return slots, given, "delta" if "delta" in names else "grad"


@pytest.mark.parametrize("op", OPS)
def test_functions_train_as_calls_do(op):
    (slots, given, gradient), (twins, _, _) = arguments(op), arguments(op)
    apply = getattr(tf.raw_ops, op)

    @tf.function(input_signature=[tf.TensorSpec(None), tf.TensorSpec([], tf.int32)])
    def step(delta, count):
        for _ in tf.range(count):
            if tf.reduce_any(delta > 0):
                apply(**{k: v.handle for k, v in slots.items()}, **{gradient: delta}, **given)
        return slots["var"].read_value()

    found = step(GRADIENT, 2)
    for _ in range(2):
        apply(**{k: v.handle for k, v in twins.items()}, **{gradient: GRADIENT}, **given)
    assert not np.array_equal(found, tf.Variable([[1.0, 2.0], [0.5, 0.25], [3.0, 4.0]]))
    for slot, twin in zip(slots.values(), twins.values()):
        np.testing.assert_array_equal(slot.numpy(), twin.numpy())


def test_values_that_were_read_stay():
    v = tf.Variable([1.0, 2.0])
    before = v.read_value()
    tf.raw_ops.ResourceSparseApplyProximalGradientDescent(
        var=v.handle, alpha=0.5, l1=0.0, l2=0.0, grad=[2.0], indices=[0]
    )
    assert (before.numpy().tolist(), v.numpy().tolist()) == ([1.0, 2.0], [0.0, 2.0])


def test_what_does_not_fit_is_told_while_tracing():
    v, m = tf.Variable([1.0, 2.0]), tf.Variable([0.0])

    def step(delta, rate):
        tf.raw_ops.ResourceApplyGradientDescent(var=v.handle, alpha=rate, delta=delta)

    with pytest.raises(ValueError, match=r"Shapes \(2,\) and \(3,\) are not compatible"):
        tf.function(step)(tf.zeros(3), 0.5)
    with pytest.raises(ValueError, match="must be rank 0 but is rank 1"):
        tf.function(step)(tf.zeros(2), [0.5])
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"var and delta do not have the same shape\[2\] \[3\]"):
        tf.function(step, input_signature=[tf.TensorSpec(None), tf.TensorSpec([])])(tf.zeros(3), 0.5)
    with pytest.raises(tf.errors.InvalidArgumentError, match="var and accum do not have the same shape"):
        tf.raw_ops.ResourceApplyMomentum(var=v.handle, accum=m.handle, lr=0.5, grad=[1.0, 1.0], momentum=0.5)
    other = tf.Variable([0.0, 0.0], dtype=tf.float64)
    with pytest.raises(tf.errors.InvalidArgumentError, match="do not have the same dtype: float32, float64"):
        tf.raw_ops.ResourceApplyMomentum(var=v.handle, accum=other.handle, lr=0.5, grad=[1.0, 1.0], momentum=0.5)
    assert v.numpy().tolist() == [1.0, 2.0]


def test_updates_of_threads_are_all_there():
    v, m = tf.Variable([0.0]), tf.Variable([0.0])

    def work(first, second):
        for _ in range(200):
            tf.raw_ops.ResourceApplyMomentum(var=first.handle, accum=second.handle, lr=0.0, grad=[1.0], momentum=1.0)

    threads = [threading.Thread(target=work, args=pair) for pair in ((v, m), (m, v))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (v.numpy().tolist(), m.numpy().tolist()) == ([200.0], [200.0])
