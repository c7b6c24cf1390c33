"""Ops on strings: they give what TensorFlow gives, eagerly and in graphs (`tests/golden/calls/ops/strings`).

Covers: graphrt/types/unicode_scripts.py.
"""

import numpy as np
import pytest

import graphrt as tf
from graphrt.ops.strings.hashing import fingerprint64, hash64, hashes
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


def test_many_texts_have_the_hashes_that_they_have_alone():
    sizes = [*range(10), 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 128, 129, 192, 300]
    generator = np.random.default_rng(1)
    texts = [generator.bytes(sizes[i]) for i in generator.integers(0, len(sizes), 1000).tolist()]
    for hash_of in (fingerprint64, hash64):
        assert hashes(hash_of, texts).tolist() == [hash_of(t) for t in texts]
    assert hashes(hash64, [b""] * 20).tolist() == [hash64(b"")] * 20
    rows = np.array(texts[:40], object).reshape(20, 2)
    assert tf.fingerprint(rows).numpy().tolist() == [tf.fingerprint(r[None]).numpy()[0].tolist() for r in rows]


def test_texts_that_only_one_of_two_takes_for_numbers():
    assert tf.strings.to_number(["1", " 2.5 ", "0x1p3", "nan(1)"]).numpy().tolist()[:3] == [1.0, 2.5, 8.0]
    assert tf.strings.to_number(["7", "-8 "], tf.int64).numpy().tolist() == [7, -8]
    for text, dtype in (("1_0", tf.float32), ("\u0661", tf.float32), ("1.5", tf.int32), ("3000000000", tf.int32)):
        with pytest.raises(tf.errors.InvalidArgumentError, match="could not correctly convert string"):
            tf.strings.to_number(["1", text], dtype)


@pytest.mark.parametrize("sep", [None, ",", "aa"])
@pytest.mark.parametrize("most", [-1, 0, 1])
def test_pieces_alone_are_those_of_the_rows(sep, most):
    for texts in ([" a b", "", "c\t d \n", " "], ["a,,b", "", ","], ["xa", "aay"], []):
        x = tf.constant(texts, tf.string)
        alone = tf.function(lambda x: tf.strings.split(x, sep, most).flat_values)
        assert "k_split_values" in alone.get_concrete_function(x).source
        assert alone(x).numpy().tolist() == tf.strings.split(x, sep, most).flat_values.numpy().tolist()


@pytest.mark.parametrize("longest", [0, 255, 256, 70_000])
def test_lengths(longest):
    texts = [b"", b"a\0", "ä".encode(), b"x" * longest, "é".encode() * (longest // 2)]
    sizes = [len(t) for t in texts]
    found = tf.strings.length(tf.constant([texts, texts]))
    assert found.dtype == tf.int32 and found.numpy().tolist() == [sizes, sizes]
    characters = [len(t.decode()) for t in texts]
    assert tf.strings.length(tf.constant([texts]), "UTF8_CHAR").numpy().tolist() == [characters]
    assert [tf.strings.length(t).numpy().item() for t in texts] == sizes
    many = texts * 5
    assert tf.strings.to_hash_bucket_fast(many, 1000).numpy().tolist() == [
        tf.strings.to_hash_bucket_fast(t, 1000).numpy().item() for t in many
    ]
