"""Ops that write text and read files: they give what TensorFlow gives, eagerly and in graphs (`tests/golden/calls/ops/io`)."""

import pytest

import graphrt as tf
from tests.golden.checks import golden_tests

test_calls = golden_tests("ops/io")


def test_records_without_quotes_are_read_as_those_with_quotes_are():
    rows = [("1", "2.5", "a", "7"), (" -3", "nan", "", "8"), ("", "1e400", "NA", " 9"), ("NA", "", "b_c", "-1")]
    defaults = [tf.constant([5]), tf.constant([0.25]), tf.constant(["d"]), tf.constant([], tf.int64)]
    plain = [",".join(row) for row in rows]
    quoted = [",".join(f'"{field}"' for field in row) for row in rows]
    for chosen in (None, [0, 2]):
        given = [defaults[i] for i in chosen or range(4)]
        found = [tf.io.decode_csv(lines, given, na_value="NA", select_cols=chosen) for lines in (plain, quoted)]
        for a, b in zip(*found):
            assert a.dtype == b.dtype and str(a.numpy().tolist()) == str(b.numpy().tolist())
    for wrong, message in (
        ("1,2,a,", "Field 3 is required but missing in record 4"),
        ("2147483648,2,a,1", "Field 0 in record 4 is not a valid int32"),
        ("1_0,2,a,1", "Field 0 in record 4 is not a valid int32"),
        ("1,2,a", "Expect 4 fields but have 3 in record 4"),
    ):
        with pytest.raises(tf.errors.InvalidArgumentError, match=message):
            tf.io.decode_csv([*plain, wrong], defaults, na_value="NA")


def test_what_is_asked_for_by_attributes_is_held_to_the_limit_of_bytes():
    wave = tf.audio.encode_wav(tf.ones([3, 1]), 8000)
    assert tf.audio.decode_wav(wave, 2, 4)[0].numpy()[:, 1].round(3).tolist() == [1.0, 1.0, 1.0, 0.0]
    most = 2**31 - 1
    for asked in (
        lambda: tf.audio.decode_wav(wave, most, most),
        lambda: tf.strings.as_string([1.0, 2.0], width=most),
        lambda: tf.io.decode_raw(["a", "b"], tf.uint8, fixed_length=most),
    ):
        with tf.config.limits(bytes=10**9), pytest.raises(tf.errors.ResourceExhaustedError, match="would take"):
            asked()
