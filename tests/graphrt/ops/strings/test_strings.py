"""Ops on strings: they give what TensorFlow gives, eagerly and in graphs (`tests/golden/calls/ops/strings`).

Covers: graphrt/types/unicode_scripts.py.
"""

import pytest

import graphrt as tf
from tests.golden.checks import golden_tests

test_calls = golden_tests("ops/strings")


def test_substr_names_the_string():
    with pytest.raises(tf.errors.InvalidArgumentError, match="pos 5 out of range for string b'ab' at index 1"):
        tf.strings.substr(["abcdef", "ab"], 5, 1)


def test_mistakes_in_texts_are_found_beyond_windows():
    parts = [b"a", "\u00e4\u4e2d".encode(), b"\xe4\xb8", b"\xff", "\U0001f600".encode(), b"\xf0\x9f"]
    for turn in range(40):
        text = b"".join(parts[(i * i + turn) % 6] for i in range(turn * 12))
        assert tf.strings.unicode_decode(text, "UTF-8").numpy().tolist() == list(
            map(ord, text.decode("utf-8", "replace"))
        )
    assert tf.strings.unicode_decode(b"\xff" * 100_000, "UTF-8").shape == (100_000,)


def test_what_is_no_encoding_and_no_character_is_refused():
    nothing = tf.constant([], tf.string)
    for call in (
        lambda: tf.strings.unicode_transcode(nothing, "x", "UTF-8"),
        lambda: tf.strings.unicode_decode([b"6162"], "hex"),
        lambda: tf.strings.unicode_decode(nothing, "UTF-8", replacement_char=-1),
        lambda: tf.strings.unicode_encode([65], "UTF-8", replacement_char=1 << 21),
    ):
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"converter for input encoding|codepoint range"):
            call()
