"""Functions are found in their files: lambdas by their columns, the rest by their line."""

from __future__ import annotations

import ast
import doctest
import functools
import linecache

import pytest

import autograph
from autograph.errors import SourceNotFoundError
from autograph.pyct.parse import parse_function
from autograph.pyct.unparse import unparse

SEVERAL = [lambda x: x + 1, lambda x: x * 2, lambda x, y: (lambda z: x + y + z), lambda: 0]


def with_default(key=lambda v: v[0], other=lambda v: v[1]):
    return key, other


def call(*args, **kwargs):
    return args, kwargs


SPREAD = call(
    lambda a: a
    + 1, key=lambda b: b - 1,
)


def text(function):
    return unparse(parse_function(function))


def test_lambdas_on_one_line_are_told_apart():
    assert [text(f) for f in SEVERAL] == ["lambda x: x + 1", "lambda x: x * 2", "lambda x, y: lambda z: x + y + z", "lambda: 0"]


def test_a_lambda_made_by_a_lambda_is_found():
    assert text(SEVERAL[2](1, 2)) == "lambda z: x + y + z"


def test_lambdas_as_defaults_and_over_lines():
    assert [text(f) for f in with_default()] == ["lambda v: v[0]", "lambda v: v[1]"]
    (first,), named = SPREAD
    assert (text(first), text(named["key"])) == ("lambda a: a + 1", "lambda b: b - 1")


def test_lambdas_without_columns():
    """Without columns (python -X no_debug_ranges) the instructions decide."""
    source = "pair = lambda x: x + 1, lambda x: x * 2\n"
    linecache.cache["<no columns>"] = (len(source), None, source.splitlines(True), "<no columns>")
    namespace = {}
    exec(compile(source, "<no columns>", "exec"), namespace)
    for f, expected in zip(namespace["pair"], ("lambda x: x + 1", "lambda x: x * 2")):
        # One table entry that covers all instructions: line 1, no columns.
        count = len(f.__code__.co_code) // 2
        table = b""
        while count > 0:
            size = min(count, 8)
            table += bytes([0x80 | (13 << 3) | (size - 1), 0])
            count -= size
        bare = f.__code__.replace(co_linetable=table)
        assert {p[2] for p in bare.co_positions()} == {None}
        assert text(type(f)(bare, {})) == expected


def decorate(value):
    def apply(f):
        @functools.wraps(f)
        def wrapper(*args):
            return f(*args) + value
        return wrapper
    return apply


@decorate(
    3
)
@decorate(4)
def decorated(x, y=")", z="""
not indented
"""):
    """Doc with 'def f():'"""
    return (
        x
    )
# a comment after it


def test_decorated_functions_keep_their_lines():
    tree = parse_function(decorated.__wrapped__.__wrapped__)
    assert tree.name == "decorated"
    assert tree.body[-1].lineno == tree.lineno + 4
    assert ast.get_docstring(ast.parse(text(decorated.__wrapped__.__wrapped__)).body[0]) == "Doc with 'def f():'"


class Outer:
    class __Inner:
        def method(self, __x):
            if self:
                text = """
unindented
"""
                return text, __x

    inner = __Inner


def test_nested_methods_and_private_parameters():
    tree = parse_function(Outer.inner.method)
    assert (tree.name, tree.col_offset) == ("method", 8)
    assert autograph.to_graph(Outer.inner.method)(1, 2) == ("\nunindented\n", 2)


def test_source_typed_into_doctest():
    example = ">>> def typed(x):\n...     if x:\n...         return 1\n...     return 2\n>>> import autograph\n>>> autograph.to_graph(typed)(1)\n1\n"
    test = doctest.DocTestParser().get_doctest(example, {}, "typed", "typed.py", 0)
    assert doctest.DocTestRunner().run(test).failed == 0


def test_source_registered_in_linecache():
    source = "def cell(x):\n    return x + 1\n"
    linecache.cache["<ipython-input-1>"] = (len(source), None, source.splitlines(True), "<ipython-input-1>")
    namespace = {}
    exec(compile(source, "<ipython-input-1>", "exec"), namespace)
    assert autograph.to_graph(namespace["cell"])(1) == 2


def test_missing_source_is_said():
    namespace = {}
    exec("def f(): pass", namespace)
    with pytest.raises(SourceNotFoundError, match=r"<string>:1.*no source text.*'f'"):
        parse_function(namespace["f"])


def test_changed_source_is_said():
    source = "def other(x):\n    return x\n"
    namespace = {}
    exec(compile("def f(x):\n    return x\n", "<changed>", "exec"), namespace)
    linecache.cache["<changed>"] = (len(source), None, source.splitlines(True), "<changed>")
    with pytest.raises(SourceNotFoundError, match="has changed"):
        parse_function(namespace["f"])
