"""Regular expressions mean what RE2's mean, are refused where RE2 refuses them, and take time in proportion to the text."""

import json
import os
import time

import pytest

import graphrt as tf
from graphrt.ops.strings import re2_matching, re2_syntax
from tests import GOLDEN
from tests.golden import regular_expression_cases

with open(os.path.join(GOLDEN, "regular_expressions.json")) as file:
    RECORDED = json.load(file)


@pytest.fixture
def without_the_library(monkeypatch):
    """As where the extra `regex` is not installed."""
    monkeypatch.setattr(re2_matching.importlib.util, "find_spec", lambda name: None)
    re2_matching.compiled.cache_clear()
    yield
    re2_matching.compiled.cache_clear()


def test_as_recorded_from_tensorflow(without_the_library):
    found = regular_expression_cases.results(tf)
    assert found.keys() == RECORDED.keys()
    assert {p: r for p, r in found.items() if r != RECORDED[p]} == {}


def test_the_library_gives_the_same_but_words():
    pytest.importorskip("re2")

    def meaning(result):  # a newer RE2 says more of what it refuses
        return "refused" if isinstance(result, str) else result

    found = regular_expression_cases.results(tf)
    assert {p: r for p, r in found.items() if meaning(r) != meaning(RECORDED[p])} == {}


def test_threads_find_what_pythons_re_finds(monkeypatch, without_the_library):
    monkeypatch.setattr(re2_matching, "_STEPS", 0)
    found = regular_expression_cases.results(tf)
    assert {p: r for p, r in found.items() if r != RECORDED[p]} == {}


SLOW_ELSEWHERE = [
    "(a+)+",
    "(a*)*b",
    "(a|a)*b",
    "(a|aa)+b",
    "(.*)*x",
    "([a-z]+)*$.",
    "(a+){2,100}b",
    "a*a*a*a*a*b",
    "(?:a?){50}a{50}b",
]


@pytest.mark.parametrize("pattern", SLOW_ELSEWHERE)
def test_no_pattern_takes_long(pattern):
    start = time.process_time()
    assert not tf.strings.regex_full_match("a" * 2000 + "!", pattern).numpy()
    tf.strings.regex_replace("a" * 200 + "!", pattern, "")
    assert time.process_time() - start < 5


def test_long_texts_are_matched_at_the_speed_of_pythons_re():
    text = ", ".join(["word and 12 numbers"] * 2000)
    start = time.process_time()
    for pattern in ("[0-9]+", r"\s*,\s*", r"^\s+", "[^a-z ]", r"(\w+) and"):
        tf.strings.regex_replace(text, pattern, "-")
    assert time.process_time() - start < 2


def test_characters_are_those_of_utf_8():
    assert tf.strings.regex_replace("aé日", ".", "-").numpy() == b"---"
    assert tf.strings.regex_full_match(["é", "ééé"], ".{3}").numpy().tolist() == [False, True]
    assert tf.strings.regex_replace(b"a\xffb", ".", "-").numpy() == b"-\xff-"


@pytest.mark.parametrize(
    "script, char", [("Greek", "α"), ("Cyrillic", "я"), ("Han", "日"), ("Hangul", "한"), ("Latin", "a")]
)
def test_scripts(script, char):
    assert tf.strings.regex_full_match([char, "1"], f"\\p{{{script}}}").numpy().tolist() == [True, False]


@pytest.mark.parametrize(
    "rewrite, said", [("\\2", r"\\2 of a pattern of 1 groups"), ("\\", "after"), ("\\q", r"a digit or \\ is expected")]
)
def test_rewrites_that_name_nothing_are_refused(rewrite, said):
    with pytest.raises(tf.errors.InvalidArgumentError, match=said):
        tf.strings.regex_replace("ab", "(a)", rewrite)


def test_patterns_are_refused_in_functions_too():
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"invalid perl operator: \(\?="):
        tf.function(lambda x, p: tf.strings.regex_replace(x, p, ""))(tf.constant("a"), tf.constant("(?=a)"))


def test_too_large_a_pattern_is_refused(without_the_library):
    with pytest.raises(re2_syntax.SyntaxRefused, match="too large"):
        re2_matching.compiled(b"(?:" + b"a" * 1000 + b"){1000}")
    with pytest.raises(re2_syntax.SyntaxRefused, match="nests too deeply"):
        re2_matching.compiled(b"(" * 5000 + b")" * 5000)
    with pytest.raises(re2_syntax.SyntaxRefused, match="invalid UTF-8"):
        re2_matching.compiled(b"\xff")


def _of_many_groups(times=10):
    start = time.process_time()
    many = "(a)" * 2000
    assert tf.strings.regex_replace("a" * 2000 * times, many, r"[\9]").numpy() == b"[a]" * times
    assert tf.strings.regex_full_match("a" * 2000, many).numpy()
    assert time.process_time() - start < 5
    pattern = r"[(](a)\((b)\Q(\E(?P<c>c)[^](](?i:(d))[[:alpha:](\]](e)(f)(g)(h)(?P<i>i)(j|k)(?P<l>l)"
    texts = ["(a(b(cxD(efghikl", "(a(b(cxD]efghijl!", "(a(b(c(D]efghijl"]
    assert tf.strings.regex_replace(texts, pattern, r"\3\4\9\1").numpy().tolist() == [
        b"cDia",
        b"cDia!",
        texts[2].encode(),
    ]


def test_many_groups_take_no_time():
    _of_many_groups()


def test_many_groups_take_no_time_without_the_library(without_the_library):
    _of_many_groups()


def test_many_groups_take_no_time_by_threads(monkeypatch, without_the_library):
    monkeypatch.setattr(re2_matching, "_STEPS", 0)
    _of_many_groups(1)
