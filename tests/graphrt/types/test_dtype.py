"""What names a dtype, and what does not."""

import pytest

import graphrt as tf

TEXTS = ["f,", ",", "(2,", "2f4", "f4,f4", "O,", "m8[zz]", "datetime64[", "U99999999999999", "", "float32 "]


@pytest.mark.parametrize("text", TEXTS)
def test_texts_that_name_none_are_a_type_error(text):
    with pytest.raises(TypeError, match="Cannot convert value"):
        tf.as_dtype(text)


def test_texts_that_numpy_knows_too():
    assert [tf.as_dtype(t) for t in ("float32", "f4", "<i8", "bool")] == [tf.float32, tf.float32, tf.int64, tf.bool]
