"""What a check finds, and that it agrees with what conversion does."""

import ast
import importlib.util
import pathlib
import sys
import textwrap

import pytest

import autograph
from autograph import errors
from autograph.checking import check, check_text
from autograph.checking.findings import Finding
from autograph.conversion.convert import convert_source
from autograph.options import STANDARD_OPTIONS, ConversionOptions, Feature
from tests import ROOT, whole
from tests.autograph.checking import golden_findings


@pytest.mark.parametrize(("given", "expected"), [pytest.param(g, o, id=n) for n, g, o in golden_findings.cases()])
def test_findings(given, expected):
    assert golden_findings.checked(given) == expected


def test_every_kind_of_finding_has_a_case():
    kinds = {k.code for k in vars(errors).values() if isinstance(k, type) and issubclass(k, errors.Finding)}
    text = golden_findings.FILE.read_text()
    assert {code for code in kinds if f": {code} " in text} == kinds - {"AG400"}


# Agreement with conversion

_OPERATORS = {"if_stmt": ast.If, "while_stmt": ast.While, "for_stmt": ast.For}


def _headers(tree):
    """Statement -> the place at which conversion puts the operator it becomes."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.If, ast.While, ast.For)):
            decider = node.iter if isinstance(node, ast.For) else node.test
            yield type(node), (decider.lineno, decider.col_offset), (node.lineno, node.col_offset + 1)


def _converted_statements(text, filename):
    tree = convert_source(text, filename, STANDARD_OPTIONS)
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _OPERATORS:
            found.add((_OPERATORS[node.func.attr], (node.lineno, node.col_offset)))
    return {place for kind, header, place in _headers(ast.parse(text)) if (kind, header) in found}


def _checked_statements(text, filename):
    report = check_text(text, filename)
    marked = [f for f in report.functions if f.decision != "converted"]
    assert not marked, "a function that is not converted: compare another text"
    return {
        (c.line, c.column)
        for f in report.functions
        for c in f.constructs
        if c.what in ("if", "while", "for") and c.meaning != "python"
    }


def _texts():
    yield "zoo", (ROOT / "tests/golden/to_code_zoo.py").read_text()
    for name, given, _ in golden_findings.cases():
        if name not in (
            "file_that_python_refuses",
            "functions_that_are_left_alone",
            "columns_count_characters",
            "directive_outside_of_a_loop",
        ):
            yield name, given
    modules = (
        "textwrap",
        "heapq",
        "contextlib",
        "asyncio.queues",
        "inspect",
        "tempfile",
        "traceback",
        "typing",
        "xml.etree.ElementTree",
    )
    for module in whole.some(modules, 3):
        yield module, pathlib.Path(importlib.util.find_spec(module).origin).read_text(encoding="utf-8")


@pytest.mark.parametrize("text", [pytest.param(text, id=name) for name, text in _texts()])
def test_statements_said_to_be_staged_are_those_that_conversion_stages(text):
    assert _checked_statements(text, "demo.py") == _converted_statements(text, "demo.py")


EXPRESSIONS = """
def f(x, g):
    a = x and 1
    b = x or (y := 2) or 3
    c = not x
    d = 1 if x else 2
    e = 1 < x < 3
    h = [i and 1 for i in x]
    k = lambda v: v or 1
    return 1 < (z := x) < 3
"""


def test_expressions_said_to_be_staged_are_those_that_conversion_stages():
    report = check_text(EXPRESSIONS, "demo.py")
    staged = [(c.line, c.what) for c in report.functions[0].staged]
    text = ast.unparse(convert_source(EXPRESSIONS, "demo.py", STANDARD_OPTIONS))
    assert staged == [
        (3, "and"), (4, "or"), (5, "not"), (6, "conditional expression"), (7, "chained comparison"), (8, "and"),
        (9, "or"), (10, "chained comparison"),
    ]  # fmt: skip
    # The chained comparison is an `and_` of two; the text leaves what sets variables to Python.
    assert [text.count(f"ag__.{op}(") for op in ("and_", "or_", "not_", "if_exp")] == [3, 1, 1, 1]
    assert report.functions[0].python == []


# The records


def test_constructs_say_what_they_choose_by():
    function = check_text(
        "def f(x, n: str):\n  if x:\n    x = 1\n  if n:\n    x = 2\n  return [i for i in x if i]\n", "d.py"
    )
    assert [(c.what, c.meaning) for c in function.functions[0].constructs] == [
        ("if", "staged"), ("if", "plain"), ("condition of a comprehension", "python"),
    ]  # fmt: skip


def test_a_feature_that_is_on_makes_asserts_staged():
    text = "def f(x):\n  assert x > 0\n  out = []\n  while x > 1:\n    out.append(x)\n    x -= 1\n"
    assert [f.code for f in check_text(text, "d.py").findings] == ["AG415", "AG425"]
    options = ConversionOptions(recursive=True, optional_features=(Feature.ASSERT_STATEMENTS, Feature.LISTS))
    assert check_text(text, "d.py", None, options).findings == []


def test_comprehensions_are_staged_with_their_feature():
    text = "def f(xs):\n  return [x for x in xs if x > 0], {x for x in xs if x > 0}\n"
    options = ConversionOptions(recursive=True, optional_features=Feature.LISTS)
    assert [f.column for f in check_text(text, "d.py").findings] == [28, 54]
    assert [f.column for f in check_text(text, "d.py", None, options).findings] == [54]


def test_only_the_named_function_is_reported():
    text = "class A:\n  def m(self, x):\n    return [i for i in x if i]\n  def n(self, x):\n    return [i for i in x if i]\n"
    assert [f.line for f in check_text(text, "d.py", "A.n").findings] == [5]
    assert [f.line for f in check_text(text, "d.py", "A").findings] == [3, 5]
    with pytest.raises(autograph.errors.UsageError, match="no function or class 'A.k'"):
        check_text(text, "d.py", "A.k")


def test_nested_functions_are_named_as_python_names_them():
    report = check_text("def f(x):\n  class A:\n    def m(self):\n      def g(): pass\n", "d.py")
    assert [f.name for f in report.functions] == ["f", "f.<locals>.A.m", "f.<locals>.A.m.<locals>.g"]
    assert len(check_text("def f(x):\n  def g(y): return 1\n", "d.py", "f.<locals>.g").functions) == 1


def test_deep_code_is_checked():
    text = "def f(x):\n  return " + "-" * 300 + "x\ndef g(xs):\n  return [x for x in xs if x]\n"
    assert [f.code for f in check_text(text, "deep.py").findings] == ["AG414"]


def positive(xs):
    return [x for x in xs if x > 0]


def test_check_of_objects():
    line = positive.__code__.co_firstlineno
    for target in (positive, autograph.convert(positive), autograph.to_graph(positive)):
        report = check(target)
        assert [(f.code, f.line, f.function) for f in report.findings] == [("AG414", line + 1, "positive")]
    assert {f.name for f in check(textwrap.TextWrapper).functions} > {"TextWrapper.__init__", "TextWrapper.wrap"}
    assert [f.name for f in check(textwrap.TextWrapper().fill).functions] == ["TextWrapper.fill"]
    assert len(check(textwrap).functions) > 10
    with pytest.raises(autograph.errors.SourceNotFoundError):
        check(len)


def test_nothing_of_a_checked_text_is_run():
    assert check_text("raise SystemExit\ndef f(x):\n  return 1\n", "d.py").functions[0].name == "f"


def test_checks_are_the_same_each_time():
    text = pathlib.Path(textwrap.__file__).read_text(encoding="utf-8")
    assert check_text(text, "textwrap.py") == check_text(text, "textwrap.py") != check_text("", "textwrap.py")


def test_records_are_complete():
    finding = check_text("def f(xs):\n    return [x for x in xs if x > 0]\n", "demo.py").findings[0]
    assert finding == Finding(
        errors.ComprehensionConditionFinding,
        "demo.py",
        2,
        30,
        2,
        35,
        "f",
        "the condition `x > 0` of a comprehension is tested by Python",
        "write a loop, or turn on Feature.LISTS",
    )
    assert finding.as_dict() == {
        "code": "AG414", "level": "note", "file": "demo.py", "line": 2, "column": 30, "end_line": 2, "end_column": 35,
        "function": "f", "reason": "the condition `x > 0` of a comprehension is tested by Python",
        "suggestion": "write a loop, or turn on Feature.LISTS",
    }  # fmt: skip


@pytest.mark.skipif(sys.version_info < (3, 12), reason="syntax of Python 3.12")
def test_type_parameters():
    assert check_text("def f[T](x: T) -> T:\n  if x:\n    return x\n  return x\n", "d.py").findings == []
