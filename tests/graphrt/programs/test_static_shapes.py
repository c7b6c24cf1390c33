"""What is known of shapes while public functions are traced: true, and no less than TensorFlow knows."""

import pytest

import graphrt as tf
from tests import static_shapes, whole
from tests.golden import public_edge_runner as runner
from tests.golden import static_shape_runner

KNOWN = static_shape_runner.recorded()
LISTED = static_shapes.listed()


@pytest.mark.parametrize("name", list(KNOWN))
def test_no_less_than_tensorflow(name):
    recorded, calls = runner.recorded(name), {c.text: c for c in runner.calls(name)}
    told = []
    for text in whole.some(list(KNOWN[name]), 12):
        wrong, less = static_shapes.problems(calls[text], recorded[text], KNOWN[name][text])
        told += wrong + [t for reason, t in less if (reason, name, text) not in LISTED]
    assert not told, "\n".join(told)


def test_what_is_less_has_a_reason():
    assert {reason for reason, _, _ in LISTED} == set(static_shapes.REASONS)


@pytest.mark.parametrize("name", ["flip_left_right", "flip_up_down", "transpose", "rot90"])
def test_images_of_unknown_rank(name):
    change = getattr(tf.image, name)
    image = tf.reshape(tf.range(24.0), [2, 4, 3])
    found = tf.function(change, input_signature=[tf.TensorSpec(None)])(image)
    assert found.numpy().tolist() == change(image).numpy().tolist()
