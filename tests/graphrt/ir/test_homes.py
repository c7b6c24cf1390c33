"""Every use of the late-bound namespace, `ops.X`, finds what it names, and gives it arguments that it takes."""

import ast
import importlib
import inspect
import pathlib
from typing import Any

import pytest

import graphrt
from graphrt.ir.op import REQUIRED, OpDef, ops

ROOT = pathlib.Path(graphrt.__file__).parent


class Use:
    """One `ops.X`, and the call that it is the function of, if any."""

    def __init__(self, attribute: ast.Attribute, call: ast.Call | None) -> None:
        self.name, self.line, self.call = attribute.attr, attribute.lineno, call


def uses_in(path: pathlib.Path) -> list[Use]:
    text = path.read_text(encoding="utf-8")
    if "from graphrt.ir.op import" not in text:
        return []
    tree = ast.parse(text)
    imports = [n for n in ast.walk(tree) if isinstance(n, ast.ImportFrom) and n.module == "graphrt.ir.op"]
    bound = {alias.asname or alias.name for n in imports for alias in n.names if alias.name == "ops"}
    calls = {id(n.func): n for n in ast.walk(tree) if isinstance(n, ast.Call)}
    return [
        Use(n, calls.get(id(n)))
        for n in ast.walk(tree)
        if isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name) and n.value.id in bound
    ]


def module_of(path: pathlib.Path) -> str:
    return ".".join(path.relative_to(ROOT.parent).with_suffix("").parts).removesuffix(".__init__")


def fault_of_op(op: OpDef, given: int, more: bool, keywords: list[str | None]) -> str | None:
    """What is wrong with a call of an op with `given` inputs (or more) and these attributes (None: `**attrs`)."""
    if given > len(op.inputs) or (given < len(op.inputs) and not more):
        return f"{given} inputs for the {len(op.inputs)} of {op.type}"
    unknown = [k for k in keywords if k is not None and k != "name" and k not in op.attrs]
    if unknown:
        return f"{op.type} has no attribute {unknown[0]}"
    learned = {n for a in op.inputs for n in (a.type_attr, a.number_attr, a.list_attr)}
    missing = [n for n, a in op.attrs.items() if a.default is REQUIRED and n not in learned and n not in keywords]
    return f"{op.type} needs the attribute {missing[0]}" if missing and None not in keywords else None


def fault_of(use: Use) -> str | None:
    try:
        found: Any = getattr(ops, use.name)
    except AttributeError:
        return f"nobody provides {use.name}"
    if use.call is None:
        return None
    given = sum(not isinstance(a, ast.Starred) for a in use.call.args)
    more = given < len(use.call.args)
    keywords = [k.arg for k in use.call.keywords]
    if isinstance(found, OpDef):
        return fault_of_op(found, given, more, keywords)
    signature = inspect.signature(found)
    bind = signature.bind_partial if more or None in keywords else signature.bind
    try:
        bind(*[None] * given, **{k: None for k in keywords if k is not None})
    except TypeError as error:
        return f"{use.name}: {error}"
    return None


def test_each_use_names_something_that_takes_the_arguments():
    faults = []
    for path in sorted(ROOT.rglob("*.py")):
        uses = uses_in(path)
        if uses:
            importlib.import_module(module_of(path))
        for use in uses:
            fault = fault_of(use)
            if fault is not None:
                faults.append(f"{path.relative_to(ROOT.parent)}:{use.line}: {fault}")
    assert faults == []


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("ops.random_uniform(1)", "nobody provides random_uniform"),
        ("ops.AddV2(1)", "1 inputs for the 2 of AddV2"),
        ("ops.Sum(1, 2, keepdims=True)", "Sum has no attribute keepdims"),
        ("ops.RandomUniform(1)", "RandomUniform needs the attribute dtype"),
        ("ops.uniform(1, shape=2)", "uniform: multiple values for argument 'shape'"),
        ("ops.uniform(name='x')", "uniform: missing a required argument: 'shape'"),
        ("ops.AddV2(*a)", None),
        ("ops.RandomUniform(1, **a)", None),
        ("ops.uniform", None),
    ],
)
def test_the_check_finds_each_kind_of_fault(tmp_path, text, fault):
    path = tmp_path / "sample.py"
    path.write_text(f"from graphrt.ir.op import ops\n{text}\n")
    assert [fault_of(use) for use in uses_in(path)] == [fault]
