"""The converted text equals what TensorFlow prints, but for orders that TensorFlow leaves to chance.

Lists of variables (in `nonlocal`, in state tuples, in the tuple of symbol names) and runs of `x = ag__.Undefined('x')`
come in one fixed order here; both texts are parsed and put into the same order before they are compared.

Covers: autograph/emit/annotation_text.py, autograph/emit/functional.py, autograph/emit/nodes.py.
"""

from __future__ import annotations

import ast
import functools
import importlib.util
import json

import pytest

import autograph
from tests import GOLDEN

RECORDED = json.loads((GOLDEN / "to_code.json").read_text(encoding="utf-8"))["texts"]

# Where TensorFlow's own text is not exact on plain values, or refuses what it need not; each with the reason.
_DOCSTRING = "TensorFlow prints several lines of docstring with the indentation of its temporary file"
DIFFERENT = {
    "docstring_and_return": _DOCSTRING,
    "Methods.docstring": _DOCSTRING,
    "more_2": "a closure that gets away has to share the variable, not that of one iteration",
    "more_18": "a closure that gets away has to share the variable, not that of one iteration",
    "more_4": "TensorFlow's branches set local variables instead of the global one",
    "more_5": "when the inner manager fails and the outer one swallows that, nothing has been returned",
    "more_19": "`except ... as e` leaves `e` without a value, which get_state and the bodies must survive",
    "more_24": "the branch calls a function that sets `y`, so `y` belongs to its state",
    "assign_aug_attribute/LISTS": "augmented items are lowered too, in Python's order of evaluation",
    "big_everything/LISTS": "`in` is lowered too, so that it works on staged containers",
    "for_temp_in_branch_then_assigned": "TensorFlow's get_state fails: `t` has no value in the first iteration",
}


def _zoo():
    spec = importlib.util.spec_from_file_location("to_code_zoo", GOLDEN / "to_code_zoo.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


ZOO = _zoo()


class _Ordered(ast.NodeTransformer):
    """Puts what has no fixed order in TensorFlow's text into alphabetical order."""

    def visit_Nonlocal(self, node):
        node.names.sort()
        return node

    visit_Global = visit_Nonlocal

    def visit_FunctionDef(self, node):
        self.generic_visit(node)
        if node.name.startswith("get_state"):
            node.body[0].value.elts.sort(key=ast.unparse)
        elif node.name.startswith("set_state") and isinstance(node.body[-1], ast.Assign):
            node.body[-1].targets[0].elts.sort(key=ast.unparse)
        node.body = self._sorted_undefined(node.body)
        return node

    def visit_With(self, node):
        self.generic_visit(node)
        for part in ("body", "orelse", "finalbody"):
            if hasattr(node, part):
                setattr(node, part, self._sorted_undefined(getattr(node, part)))
        return node

    visit_Try = visit_ExceptHandler = visit_ClassDef = visit_With

    def _sorted_undefined(self, body):
        result, run = [], []
        for statement in body:
            if ".Undefined(" in ast.unparse(statement) and isinstance(statement, ast.Assign):
                run.append(statement)
                continue
            result += sorted(run, key=ast.unparse) + [statement]
            run = []
        return result + sorted(run, key=ast.unparse)

    def visit_Call(self, node):
        self.generic_visit(node)
        if isinstance(node.func, ast.Attribute) and node.func.attr in ("if_stmt", "while_stmt", "for_stmt"):
            names = node.args[-2].elts
            outputs = node.args[-1].value if node.func.attr == "if_stmt" else 0
            node.args[-2].elts = sorted(names[:outputs], key=ast.unparse) + sorted(names[outputs:], key=ast.unparse)
        return node


def normalised(text):
    return ast.unparse(_Ordered().visit(ast.parse(text)))


@functools.cache
def converted(key):
    name, _, feature = key.partition("/")
    features = autograph.Feature[feature] if feature else None
    return autograph.to_code(ZOO.FUNCTIONS[name], optional_features=features)


SAME = [key for key, found in RECORDED.items() if "text" in found and key not in DIFFERENT]


@pytest.mark.parametrize("key", SAME)
def test_text_is_that_of_tensorflow(key):
    assert normalised(converted(key)) == normalised(RECORDED[key]["text"])


@pytest.mark.parametrize("key", [k for k in RECORDED if k not in SAME])
def test_text_that_differs_compiles(key):
    text = converted(key)
    compile(text, "<converted>", "exec")
    if "text" in RECORDED[key] and DIFFERENT[key] != _DOCSTRING:
        assert normalised(text) != normalised(RECORDED[key]["text"]), "no longer different: take it off the list"


@pytest.mark.parametrize("key", [k for k in RECORDED if "/" not in k])
def test_state_is_listed_in_one_order(key):
    """What `get_state` returns, what `set_state` sets and the symbol names correspond one to one."""
    getters, setters = {}, {}
    tree = ast.parse(converted(key))
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name.startswith("get_state"):
            getters[node.name] = [ast.unparse(e) for e in node.body[0].value.elts]
        elif isinstance(node, ast.FunctionDef) and node.name.startswith("set_state"):
            last = node.body[-1]
            setters[node.name] = [ast.unparse(e) for e in last.targets[0].elts] if isinstance(last, ast.Assign) else []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr.endswith("_stmt"):
            if node.func.attr == "assert_stmt":
                continue
            names = [e.value for e in node.args[-2].elts]
            assert setters[node.args[-3].id] == names
            assert [g if not g.startswith("ag__.ldu") else n for g, n in zip(getters[node.args[-4].id], names)] == names


def test_the_zoo_is_large():
    assert sum("/" not in key for key in RECORDED) >= 150


if __name__ == "__main__":  # shows the differences
    import difflib
    import sys

    for key in sys.argv[1:] or SAME:
        try:
            ours = normalised(converted(key))
        except Exception as error:
            print("#####", key, type(error), error)
            continue
        theirs = normalised(RECORDED[key]["text"])
        if ours != theirs:
            print("#####", key)
            print(
                "\n".join(difflib.unified_diff(theirs.splitlines(), ours.splitlines(), "tf", "ours", lineterm="", n=2))
            )
