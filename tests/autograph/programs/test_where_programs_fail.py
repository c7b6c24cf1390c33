"""Where converted programs fail: the traceback has the lines and the columns that the traceback of the original has."""

from __future__ import annotations

import linecache
import sys
import textwrap
import traceback

import pytest

import autograph
from autograph import Feature
from autograph.backends import registry

FILE = "<fails>"
TESTS = """
    if (
        B):
        pass
--
    while (
        B):
        pass
--
    q = (1 if
        B else 2)
--
    q = (K and
        B and 1)
--
    return (
        K and
        B or 3)
--
    q = (not
        B)
--
    q = not B
--
    q = B and 1
--
    if (K and
        not B):
        pass
--
    q = 1 if (K and
        not B) else 3
--
    if (K > 7 or
        B):
        pass
--
    assert (
        B), 3
--
    assert (
        K > 7), (
        1)
--
    assert (K and
        not K < 7)
--
    assert (
        0 if K < 7
        else K), 4
--
    q = (K <
        3 < B
        < 4)
--
    q = [1 for i in [1] if
        B]
--
    if K and (
        1 if B
        else 2):
        pass
--
    for i in (
        5):
        pass
--
    for i in (
        5):
        if i:
            break
--
    with (
        5):
        pass
"""
ITEMS = """
    xs[c] = d
--
    xs[0][c] = d
--
    (
    xs[
    c]) = d
--
    xs[c], q = d, 1
--
    q, *xs[c] = d, 1
--
    xs[c] += d
--
    xs[0][c] += d
--
    xs[0] += 'a'
--
    ts[0] = d
--
    xs[1:2] = 4
--
    xs[unknown] = d
--
    xs[c] = unknown
--
    q = xs[1][c]
--
    xs.append(1, 2)
"""
OPTIONS = {"none": None, "lists": Feature.LISTS, "all": Feature.ALL}


class Refusing:
    """Has no truth, and comparisons that have none."""

    def __bool__(self):
        raise ValueError

    def __lt__(self, other):
        return self

    __gt__ = __lt__


def _failure(function):
    try:
        function([1, 2, 3], (1, (2,)), [2], [5], Refusing(), 1)
    except Exception as error:
        return "".join(traceback.format_exception(error.with_traceback(error.__traceback__.tb_next)))
    return "no error"


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("body", [t.strip("\n") for t in (TESTS + "--\n" + ITEMS).split("--\n")])
def test_fails_where_python_says(body, options, monkeypatch):
    body = textwrap.indent(textwrap.dedent(body), "    ")
    text = f"def f(xs, ts, c, d, B, K):\n{body}\n"
    monkeypatch.setitem(linecache.cache, FILE, (len(text), None, text.splitlines(True), FILE))
    namespace = {"__name__": "fails"}
    exec(compile(text, FILE, "exec"), namespace)
    expected = _failure(namespace["f"])
    assert expected != "no error"
    assert sys.exc_info()[1] is None
    converted = autograph.convert(optional_features=OPTIONS[options])(namespace["f"])
    for staging in (True, False):
        before = registry.always_staging(staging)
        found = _failure(converted)
        registry.always_staging(before)
        assert found == expected
