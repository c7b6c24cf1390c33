"""Generated text is made of templates of our own source, names, and literals: nothing else gets in."""

import ast
import functools
import re

import numpy as np
import pytest

from graphrt.ir.code import Code, Names, Template, bare, commas, file_name, identifier, joined, quoted, sign
from tests import ROOT

GRAPHRT = ROOT / "graphrt"
NATIVE = {"native/building.py", "native/region.py", "native/with_numba.py"}
GENERATORS = {  # write text, and run it
    "executor/program.py", "function/fast_dispatch.py", "function/signature.py", *NATIVE,
}  # fmt: skip
RUNNERS = GENERATORS | {
    "as_tensorflow/programs.py",  # the program that the user asked to run
    "function/extension_fields.py",  # evaluates the annotations of the user's own class
    "viewing/notebook.py",  # the user's own line of a notebook
    "viewing/recording.py",  # a program of `executor`, with marks between its lines
}


LOOKED_FOR = re.compile(r"\b(Template|Code|exec|eval|__import__)\b")


@functools.cache
def calls():
    """The path, the name and the node of each call, in files that have one of the words that are looked for."""
    found = []
    for path in sorted(GRAPHRT.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(text)) if LOOKED_FOR.search(text) else ():
            if isinstance(node, ast.Call):
                name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
                found.append((path.relative_to(GRAPHRT).as_posix(), name, node))
    return found


def test_templates_stand_in_the_source():
    found = [(path, node) for path, name, node in calls() if name == "Template"]
    assert len(found) > 40
    for path, node in found:
        assert len(node.args) == 1 and isinstance(node.args[0], ast.Constant), f"{path}:{node.lineno}"


def test_only_this_room_makes_pieces():
    assert {path for path, name, _ in calls() if name == "Code"} == {"ir/code.py"}


def test_nothing_else_runs_text():
    def runs(name, node):
        return name in ("exec", "eval") and isinstance(node.func, ast.Name) or name == "__import__"

    assert {path for path, name, node in calls() if runs(name, node)} == RUNNERS


def test_what_writes_text_asks_no_object_how_it_looks():
    for name in sorted(GENERATORS):
        tree = ast.parse((GRAPHRT / name).read_text(encoding="utf-8"))
        inside = {id(n) for e in ast.walk(tree) if isinstance(e, ast.Raise) for n in ast.walk(e)}
        inside |= {
            id(n)
            for f in ast.walk(tree)
            if getattr(f, "name", "") in ("__repr__", "_plain_message")
            for n in ast.walk(f)
        }
        shown = [n for n in ast.walk(tree) if isinstance(n, ast.FormattedValue) and n.conversion == ord("r")]
        shown += [
            n for n in ast.walk(tree) if isinstance(n, ast.Call) and getattr(n.func, "id", "") in ("repr", "ascii")
        ]
        assert not [n.lineno for n in shown if id(n) not in inside], name


@pytest.mark.parametrize(
    "text",
    ["f({})", "{}.x; y", "'{}'", '"{}"', "{} # x", "{}\n{}", "{}\\", "import {}", "lambda: {}", "{0.x}", "{!r}", "{:>9}",
     "__import__({})", "a", "{a}", "{}(x)", "e\u00e9({})", "{", "}"],
)  # fmt: skip
def test_templates_hold_no_names_and_no_strings(text):
    with pytest.raises(ValueError, match="not a template"):
        Template(text)


@pytest.mark.parametrize(
    "part", ["x", b"x", 1j, float("nan"), np.float32(1), np.int32(1), object(), [1], {}, ("a",), 1 << 200]
)
def test_only_pieces_and_plain_numbers_fill_places(part):
    with pytest.raises(TypeError, match="text from outside in a generated program"):
        Template("{} + {}")(identifier("a"), part)


def test_places():
    a, b = identifier("a"), identifier("b")
    assert Template("{0} if {0} > {1} else {1}")(a, b) == "a if a > b else b"
    assert Template("{}[{}] = {}")(a, (1, None), -2) == "a[(1, None)] = -2"
    assert type(Template("{}")(a)) is Code
    with pytest.raises(TypeError):
        commas(["a", "b"])
    with pytest.raises(ValueError, match="separator"):
        joined("; import os; ", [a, b])
    assert joined(" + ", [a, b]) == "a + b"
    assert bare(Template("({} + {})")(a, b)) == "a + b" and bare(Template("({})({})")(a, b)) == "(a)(b)"


@pytest.mark.parametrize("text", ["", "1a", "a b", "a.b", "class", "None", "é", "a\n", "a;", "__import__('os')"])
def test_what_is_no_name(text):
    with pytest.raises(ValueError, match="not a name"):
        identifier(text)


def test_what_is_no_sign():
    with pytest.raises(ValueError, match="not an operator"):
        sign("+ x() +")


@pytest.mark.parametrize(
    "value", [None, True, False, 0, -7, 10**30, 1.5, -0.0, 1e300, "", "it's", 'a"b', "\n\\{}", "\ud800\u202e\x00", b"\xff'",
              (), (1,), (None, True, -3)],
)  # fmt: skip
def test_literals_mean_their_value(value):
    text = quoted(value)
    assert repr(ast.literal_eval(text)) == repr(value) and text.isprintable()


class Text(str):
    __slots__ = ()


class Number(int):
    pass


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), 1j, 10**60, "x" * 60, Text("x"), Number(1), (Number(1),), ("x",), ((1,),), [1],
              np.str_("x"), np.float64(1), np.bool_(True), ..., (1,) * 9],
)  # fmt: skip
def test_what_is_not_plain_is_bound(value):
    assert quoted(value) is None


def test_names_are_new_and_plain():
    names = Names()
    made = [
        names.fresh(h) for h in ("a", "a", "a/b:0", "class", "len", "", "é", "9", "__debug__", "x" * 500, "x" * 500)
    ]
    assert made[:6] == ["a", "a_1", "a_b_0", "v_class", "v_len", "v"]
    assert len(set(made)) == len(made) and all(m.isascii() and m.isidentifier() and len(m) < 110 for m in made)


def test_file_names_can_be_compiled():
    for name in ("f", "\x00", "a\nb", "\ud800", "x" * 10000):
        shown = file_name("entry", name)
        compile("1", shown, "eval")
        assert shown.startswith("<graphrt entry ") and len(shown) < 130
