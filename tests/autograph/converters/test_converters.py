"""Every converter, by its golden cases; and the order of the pipeline.

Covers: autograph/pyct/analysis/, autograph/pyct/names.py, autograph/pyct/nodes.py, autograph/pyct/origin.py,
  autograph/pyct/quote.py.
"""

from __future__ import annotations

import pathlib
import re
import subprocess
import sys

import gast
import pytest

from autograph.converters import PIPELINE, Context, run_pipeline
from autograph.options import ConversionOptions, Feature
from autograph.pyct.analysis.scopes import all_identifiers
from autograph.pyct.namer import Namer
from autograph.pyct.nodes import walk
from tests.autograph.converters import golden

CASES = golden.all_cases()


@pytest.mark.parametrize(
    ("path", "text", "expected"), [c[::2] + (c[3],) for c in CASES], ids=[f"{c[0].stem}-{c[1]}" for c in CASES]
)
def test_golden(path, text, expected):
    assert golden.converted(path, text) == expected


@pytest.mark.parametrize(
    "converter", [c for c in PIPELINE if c.title() not in ("stays", "long_chains", "comprehensions")]
)
def test_every_converter_has_cases(converter):
    assert any(case[0].stem == converter.title() for case in CASES)


@pytest.mark.parametrize("converter", PIPELINE)
def test_converters_say_what_they_do(converter):
    opening = pathlib.Path(sys.modules[converter.__module__].__file__).read_text().split('"""')[1]
    assert re.search(r"\n\n.*(    |->)", opening, re.DOTALL), "a converter opens with its before and after"


@pytest.mark.parametrize(("path", "text"), [c[::2] for c in CASES], ids=[f"{c[0].stem}-{c[1]}" for c in CASES])
def test_what_a_converter_eliminates_is_gone(path, text):
    function = gast.parse(text).body[0]
    if not isinstance(function, gast.FunctionDef):
        return
    for last in PIPELINE:
        tree = gast.parse(text).body[0]
        context = Context(
            ConversionOptions(recursive=True, optional_features=(Feature.ALL,)), Namer(all_identifiers(tree))
        )
        tree = run_pipeline(tree, context, last.title())
        for node in walk(tree):
            if isinstance(node, last.eliminates) and last.eliminates:
                generated = isinstance(node, gast.Return)  # the one at the end, and those of state functions
                assert generated or node in context.facts.marks.native_jumps


def test_long_chains_are_cut():
    text = (
        "def f(x):\n    if x == 0: y = 0\n"
        + "".join(f"    elif x == {i}: y = {i}\n" for i in range(1, 60))
        + "    return y\n"
    )
    tree = gast.parse(text).body[0]
    context = Context(ConversionOptions(), Namer(all_identifiers(tree)))
    tree = run_pipeline(tree, context, "long_chains")

    def depth(node):
        inner = [depth(child) for child in getattr(node, "body", []) + getattr(node, "orelse", [])]
        return isinstance(node, gast.If) + max(inner, default=0)

    assert depth(tree) <= 30


def test_comprehensions_get_names_of_their_own():
    """On the versions of Python that need it; the rewrite itself is the same on all."""
    from autograph.converters.comprehensions import Comprehensions

    text = "def f(x, z):\n    k = lambda: x\n    return k, [x for x in z(x) if (lambda: x)()], [y for y in z]"
    tree = gast.parse(text).body[0]
    context = Context(ConversionOptions(), Namer(all_identifiers(tree)))
    found = golden.text_of(Comprehensions(context).convert(tree), context)
    assert "lambda: x\n" in found and "[x_1 for x_1 in z(x) if (lambda: x_1)()], [y for y in z]" in found


def test_comprehensions_next_to_closures():
    import autograph

    def f(x, z):
        if z:
            k = lambda: x
            y = [x for x in z if x and k]
            return k(), y

    assert autograph.to_graph(f)(7, [0, 1]) == (7, [1])


OPTIMIZED = """
import autograph
import graphrt as tf

asked = []

def f(x, t):
    assert asked.append(x) or x > 100, "too small"
    if t > 0:
        assert x > 100
        x += 1
    return x

for g in (f, autograph.convert()(f), autograph.to_graph(f), tf.function(f)):
    try:
        print(int(g(3, tf.constant(1))), asked)
    except AssertionError as error:
        print(error)
"""


@pytest.mark.parametrize(
    ("options", "printed"), [(["-O"], "4 []\n" * 4), (["-OO"], "4 []\n" * 4), ([], "too small\n" * 4)]
)
def test_an_interpreter_without_assertions_has_no_staged_ones_either(options, printed):
    done = subprocess.run([sys.executable, *options, "-c", OPTIMIZED], capture_output=True, text=True, check=True)
    assert done.stdout == printed
