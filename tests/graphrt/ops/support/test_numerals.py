"""Numbers as text are what TensorFlow takes for them."""

import math

import pytest

import graphrt as tf
from graphrt.ops.support.numerals import real_number, whole_number

REAL = [
    ("0x1p3", 8.0), ("-0x1.8p1", -3.0), ("0x.8", 0.5), ("0x1.p2", 4.0), ("0x10000000000000000", 2.0**64),
    ("0x1p2000", math.inf), ("-0x1p2000", -math.inf), ("1e400", math.inf), (" .5 ", 0.5), ("1.", 1.0), ("-Infinity", -math.inf),
]  # fmt: skip


@pytest.mark.parametrize(("text", "value"), REAL)
def test_floats(text, value):
    assert real_number(text.encode()) == value
    assert tf.strings.to_number(text, tf.float64).numpy() == value
    assert tf.io.decode_csv([text], [[0.0]])[0].numpy().tolist() == [value]


@pytest.mark.parametrize("text", ["nan", "NaN", "nan(abc)", "-nan"])
def test_nan(text):
    assert math.isnan(real_number(text.encode()))


@pytest.mark.parametrize(
    "text", ["1_0", "١", "0x", "0x1p", "0xp1", "1e", "--1", "+-1", "0b1", "1f", "", "nan(abc", "infinit"]
)
def test_what_is_no_number(text, tmp_path):
    for read in (real_number, whole_number):
        with pytest.raises(ValueError):
            read(text.encode())
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.strings.to_number(text)
    if text:
        for default in ([0.0], [0]):
            with pytest.raises(tf.errors.InvalidArgumentError):
                tf.io.decode_csv([text], [default])
        (tmp_path / "file").write_text(text + "\n", encoding="utf-8")
        with pytest.raises(tf.errors.InvalidArgumentError, match="not a valid"):
            list(tf.data.experimental.CsvDataset(str(tmp_path / "file"), [tf.float32]))


def test_whole_numbers():
    assert [whole_number(t) for t in (b" -12 ", b"+7", b"007")] == [-12, 7, 7]
    with pytest.raises(ValueError):
        whole_number(b"0x10")
