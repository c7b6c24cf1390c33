"""Random crops keep what they are told to keep, and refuse what TensorFlow refuses."""

import pytest

import graphrt as tf

BOXES = [[[0.1, 0.2, 0.8, 0.9], [0.0, 0.0, 0.3, 0.3]]]
crop = tf.image.stateless_sample_distorted_bounding_box


def overlap(one, two):
    height, width = min(one[2], two[2]) - max(one[0], two[0]), min(one[3], two[3]) - max(one[1], two[1])
    return max(height, 0) * max(width, 0) / ((two[2] - two[0]) * (two[3] - two[1]))


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize(
    "how",
    [{}, {"area_range": (0.2, 0.5)}, {"aspect_ratio_range": (0.9, 1.1), "min_object_covered": 0.7}],
    ids=["", "area", "cover"],
)
def test_what_is_asked_for(seed, how):
    found = crop([40, 60, 3], BOXES, (seed, 5), **how)
    (y, x, c), (height, width, depth) = found.begin.numpy().tolist(), found.size.numpy().tolist()
    assert (c, depth) == (0, -1) and 0 <= y and y + height <= 40 and 0 <= x and x + width <= 60
    box = found.bboxes.numpy()[0, 0].tolist()
    assert box == pytest.approx([y / 40, x / 60, (y + height) / 40, (x + width) / 60])
    assert max(overlap(box, b) for b in BOXES[0]) >= how.get("min_object_covered", 0.1)
    low, high = how.get("area_range", (0.05, 1))
    slack = max(height, width) / 2400
    assert low - slack <= height * width / 2400 <= high + slack
    low, high = how.get("aspect_ratio_range", (0.75, 1.33))
    assert low - 2 / height <= width / height <= high + 2 / height
    again = crop([40, 60, 3], BOXES, (seed, 5), **how)
    assert (again.begin.numpy() == found.begin.numpy()).all() and (again.size.numpy() == found.size.numpy()).all()


def test_the_other_one_and_shapes():
    tf.random.set_seed(1)
    one = [tf.image.sample_distorted_bounding_box([40, 60, 3], BOXES, seed=3).begin.numpy().tolist() for _ in range(4)]
    assert len({tuple(v) for v in one}) > 1
    found = tf.function(lambda b: crop(tf.constant([40, 60, 3], tf.int64), b, (1, 2))).get_concrete_function(
        tf.TensorSpec([1, None, 4])
    )
    assert [s.as_list() for s in found.output_shapes] == [[3], [3], [1, 1, 4]]
    whole = crop([40, 60, 3], tf.zeros([1, 0, 4]), (1, 2), use_image_if_no_bounding_boxes=True)
    assert whole.begin.dtype == tf.int32 and whole.size.shape == [3]
    image = tf.reshape(tf.range(40 * 60 * 3), [40, 60, 3])
    assert tf.slice(image, whole.begin, whole.size).shape[2] == 3


@pytest.mark.parametrize(("size", "boxes", "how", "text"), [
    ([40, 60, 3], tf.zeros([1, 0, 4]), {}, "No bounding boxes"), ([40, 60], BOXES, {}, "must contain 3 elements"), ([40, 60, 3], BOXES[0], {}, "3-dimensional"),
    ([40, 60, 3], [[[0.0, 0, 1, 2.0]]], {}, r"must be in \[0.0, 1.0\]: 2"), ([40, 60, 3], BOXES, {"area_range": (0.0, 2.0)}, "Area range"), ([40, 60, 3], BOXES, {"min_object_covered": -1.0}, "non-negative"),
    ([40, 60, 3], BOXES, {"max_attempts": 0}, "Max attempts"), ([40, 60, 3], BOXES, {"aspect_ratio_range": (0.0, 1.0)}, "Aspect ratio"),
])  # fmt: skip
def test_refused(size, boxes, how, text):
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        crop(size, boxes, (1, 2), **how)
