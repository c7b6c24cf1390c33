"""Names that stand for one object in TensorFlow stand for one object here."""

import pytest

import graphrt as tf
from tests.public_names import RECORDED, public_names


def test_one_object_of_several_names():
    names = public_names()
    groups = [[path for path in group if path in names] for group in RECORDED["one object"]]
    several = [group for group in groups if len({id(names[path]) for path in group}) > 1]
    assert several == []
    assert sum(len(group) > 1 for group in groups) > 300


@pytest.mark.parametrize("path", ["math.zero_fraction", "nn.zero_fraction", "keras.losses.Reduction"])
def test_a_name_gives_the_same_object_each_time(path):
    def look():
        value = tf
        for part in path.split("."):
            value = getattr(value, part)
        return value

    assert look() is look()


def test_reductions_of_older_programs():
    kinds = tf.keras.losses.Reduction
    assert kinds.all() == ("auto", "none", "sum", "sum_over_batch_size")
    kinds.validate("sum")
    with pytest.raises(ValueError, match="Invalid Reduction Key"):
        kinds.validate("mean")
    of_all = [tf.keras.losses.MeanSquaredError(reduction=r)([[1.0, 2.0]], [[3.0, 5.0]]).numpy() for r in kinds.all()]
    assert [v.tolist() for v in of_all] == [6.5, [6.5], 6.5, 6.5]
