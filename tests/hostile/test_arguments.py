"""Arguments of other kinds are refused in words; `python -m tests.hostile.arguments` and `methods` call more often."""

import os
import subprocess
import sys

import numpy as np
import pytest

import graphrt as tf
from tests import ROOT
from tests.hostile.arguments import calls, wrong


def test_a_few_calls_of_each_public_name():
    # in a process of its own: some of them change what holds for all
    command = [sys.executable, "-m", "tests.hostile.arguments", "--seed", "1", "--count", "2"]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr


def test_what_says_nothing_is_told():
    def bad(x):
        return x.no_such_attribute

    found = wrong("bad", bad, 0, 20)
    assert len(found) == 1 and "no_such_attribute" in found[0]


def test_calls_are_those_of_the_seed():
    def f(x, y=1):
        return x

    one, two = (repr([([type(v) for v in c], list(named)) for c, named in calls("f", f, 3, 9)]) for _ in range(2))
    assert one == two and len(list(calls("f", f, 4, 9))) == 9


def test_a_few_calls_of_each_method():
    command = [sys.executable, "-m", "tests.hostile.methods", "--seed", "1", "--count", "2"]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr


def test_state_that_is_lost_is_told():
    left = []

    def bad(x):
        left.append(x)
        raise ValueError("no")

    assert "leaves another state" in wrong("bad", bad, 0, 3, lambda: len(left))[0]
    assert wrong("bad", bad, 0, 3) == []


one = tf.constant(1.0)
images = tf.ones([1, 2, 2, 1])


@pytest.mark.parametrize(
    "call, told",
    [
        (lambda: tf.nn.conv_transpose(images, tf.ones([1, 1, 1, 1]), [1, 2, 2, 1], 1, data_format=one), "data_format"),
        (lambda: tf.nn.pool(images, [2, 2], "MAX", dilations=[2, 2], padding="SAME", data_format=one), "data_format"),
        (lambda: tf.TensorArray(tf.float32, flow=one), "flow"),
        (lambda: tf.TensorArray(tf.float32, flow=3), "flow"),
        (lambda: tf.DeviceSpec.from_string([]), "spec"),
        (lambda: tf.linalg.LinearOperatorIdentity(2, name=[1.0]), "name"),
        (lambda: tf.keras.layers.Bidirectional(tf.keras.layers.GRU(2), backward_layer=one), "backward_layer"),
        (lambda: tf.keras.models.save_model(one, "x.keras"), "model"),
        (lambda: tf.keras.ops.map(lambda x: None, tf.ones([2])), "`f` must"),
        (lambda: tf.keras.utils.timeseries_dataset_from_array(np.arange(9), None, 3, end_index=1j), "end_index"),
    ],
)
def test_arguments_of_other_kinds_are_named(call, told):
    with pytest.raises(TypeError, match=told) as error:
        call()
    assert os.path.basename(__file__) in str(error.value)


def test_numbers_of_any_size_take_the_time_of_what_there_is():
    assert tf.array_api.diff(tf.constant([1.0, 2.0, 4.0]), n=2**62).shape == (0,)
    with pytest.raises(tf.errors.ResourceExhaustedError, match="thresholds"):
        tf.keras.metrics.AUC(num_thresholds=2**40)
