"""Functions are found in their files: lambdas by their columns, the rest by their line."""

from __future__ import annotations

import argparse
import ast
import collections
import doctest
import enum
import functools
import linecache
import os
import posixpath
import subprocess
import sys
import textwrap
import types
import typing
import unittest.mock
import warnings

import pytest

import autograph
from autograph.errors import SourceChangedError, SourceNotFoundError
from autograph.pyct.parse import find_source
from autograph.pyct.texts import lines_of, remember
from autograph.pyct.trees import to_gast
from autograph.pyct.unparse import unparse

SEVERAL = [lambda x: x + 1, lambda x: x * 2, lambda x, y: (lambda z: x + y + z), lambda: 0]


def parse_function(function):
    return to_gast(find_source(function).node)


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


BEFORE = """\
import os

def f(x):
    if x:
        return 1
    return os.path.join("a", "b")

class A:
    def m(self, __y=0):
        def inner():
            return super(A, self), __y, m
        return inner

g = lambda x: 1 if x else 2
"""


@pytest.mark.parametrize("old, new, stale", [
    ("return 1\n", "return 10\n", "f"),
    ("if x:", "if x is not None:", "f"),
    ('"b"', '"c"', "f"),
    ("1 if x", "3 if x", "g"),
    ("return inner", "return inner()", "A.m"),
    ("__y, m", "__y, 0.0", "A.m"),
    ("import os", "import os # for paths", ""),
    ('"a", "b"', "'a',  'b'", ""),
    (BEFORE, "(" * 20, "f g A.m"),
    (BEFORE, "def f(:\n" * 20, "f g A.m"),
])
def test_a_change_of_the_file_is_noticed(tmp_path, old, new, stale):
    path = tmp_path / "changing.py"
    path.write_text(BEFORE)
    namespace = {"__name__": "changing"}
    exec(compile(BEFORE, str(path), "exec"), namespace)
    linecache.getlines(str(path))
    path.write_text(BEFORE.replace(old, new))
    for name, function in (("f", namespace["f"]), ("g", namespace["g"]), ("A.m", namespace["A"].m)):
        if name in stale.split():
            with pytest.raises(SourceChangedError, match="import it again"):
                parse_function(function)
        else:
            parse_function(function)


def test_code_that_was_replaced_is_noticed():
    def f():
        return "text"

    parse_function(f)
    f.__code__ = f.__code__.replace(co_consts=(None, "other"))
    with pytest.raises(SourceChangedError):
        parse_function(f)


def test_functions_with_rewritten_assertions_are_found():
    def f(x):
        assert x > 0
        return x

    assert "@pytest_ar" in globals() and text(f).startswith("def f(x):")


PROGRAM = """
import autograph
def f(x): return x + 1
g = autograph.convert(strict=True)(f)
print(g(1), g is not f)
"""


def test_classes_inside_are_known_again():
    """With assertions that pytest has rewritten, and with what Python warns of when it compiles it."""

    def f(x):
        class Q:
            n = 1

            def g(self):
                assert x
                return self.n

        if x:
            return Q().g()
        return 4

    assert "ag__.if_stmt" in autograph.to_code(f)
    space = {}
    lines = ["def f(a):\n", "    class Q:\n", "        pass\n", "    return f'{[0, 2][4 / 2]}'\n"]
    linecache.cache["<warned of>"] = (0, None, lines, "<warned of>")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compile("".join(lines), "<warned of>", "exec"), space)
    assert "class Q" in autograph.to_code(space["f"])


@pytest.mark.parametrize("command", [["-c", PROGRAM], ["-O", "-c", PROGRAM], ["-W", "error", "-c", PROGRAM + "\r\n", "x"]])
def test_functions_of_the_command_line_are_found(command):
    done = subprocess.run([sys.executable, *command], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["2", "True"]


def test_modules_frozen_into_the_interpreter_are_found():
    assert posixpath.join.__code__.co_filename.startswith("<frozen ") and text(posixpath.join).startswith("def join(")


def test_registered_lines_without_their_ends():
    source = "def f(x):\n    return x + 1"
    linecache.cache["<split>"] = (len(source), None, source.splitlines(), "<split>")
    namespace = {}
    exec(compile(source, "<split>", "exec"), namespace)
    assert text(namespace["f"]) == source


def test_functions_of_the_standard_library_are_taken_for_current():
    for module in (argparse, collections, enum, textwrap, typing, unittest.mock):
        for function in vars(module).values():
            functions = [function, *vars(function).values()] if isinstance(function, type) else [function]
            for f in functions:
                if isinstance(f, types.FunctionType) and f.__code__.co_filename == module.__file__:
                    parse_function(f)


def _named(filename, line=1):
    namespace = {}
    exec(compile("def f(x):\n    return x\n", "somewhere", "exec"), namespace)
    namespace["f"].__code__ = namespace["f"].__code__.replace(co_filename=str(filename), co_firstlineno=line)
    return namespace["f"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_pipes_and_devices_are_not_read(tmp_path):
    os.mkfifo(tmp_path / "pipe.py")
    for filename in (tmp_path / "pipe.py", "/dev/zero", "no\0name"):
        with pytest.raises(SourceNotFoundError, match="its file cannot be read"):
            parse_function(_named(filename))


def test_code_without_a_line():
    with pytest.raises(SourceNotFoundError, match="gave it no line; define it in a file"):
        parse_function(_named(__file__, 0))


def test_of_two_texts_under_one_name_none_is_shown():
    name = "<two texts>"
    texts = ["f = lambda x: x + 1\n", "f = lambda x: x + 2\n"]
    codes = [compile(text, name, "exec") for text in texts]
    made = [next(c for c in code.co_consts if hasattr(c, "co_code")) for code in codes]
    remember(made[0], [texts[0]])
    assert lines_of(name, "<lambda>") == [texts[0]] and lines_of(name, "<module>") == []
    remember(made[1], [texts[1]])
    assert lines_of(name, "<lambda>") == []
