"""Instructions that nobody wrote are on no line, and those around them stay where they are."""

import ast

import pytest

from autograph.operators import locations

TEXT = """
def f(x):
    y = [x, 1]
    if x:
        y = g(y, 2)

    return y[x and
             -1]
"""
LINE = 1 << 24


@pytest.mark.parametrize("kind", [ast.Constant, ast.Name, ast.Call, ast.Subscript, ast.BoolOp, ast.expr])
def test_what_is_nowhere_has_no_line(kind, monkeypatch):
    monkeypatch.setattr(locations, "NOWHERE", LINE)
    tree = ast.parse("\n" * 400 + TEXT)
    for node in ast.walk(tree):
        if isinstance(node, kind):
            node.lineno = node.end_lineno = LINE
            node.col_offset = node.end_col_offset = -1
    code = compile(tree, "<text>", "exec").co_consts[0]
    before = [place[0] for place in code.co_positions()]
    after = [place[0] for place in locations.without_generated_lines(code, locations.HEADER).co_positions()]
    assert LINE in before and LINE not in after
    # What lies between parts of one line is on it.
    assert all(new == old or (old == LINE and new in (None, *before)) for old, new in zip(before, after, strict=True))
    wanted = {line for line in before if line not in (LINE, None)}
    assert wanted - {code.co_firstlineno} <= set(after) <= wanted | {None}


def test_code_without_such_lines_stays_as_it_is(monkeypatch):
    monkeypatch.setattr(locations, "NOWHERE", LINE)
    code = compile(TEXT, "<text>", "exec").co_consts[0]
    found = locations.without_generated_lines(code, locations.HEADER)
    assert list(found.co_positions()) == list(code.co_positions())
