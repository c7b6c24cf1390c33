"""Declaring is idempotent, so that an import which was interrupted can be repeated; and a name has one owner."""

import json
import os
import subprocess
import sys

import pytest

from graphrt.ir.op import FUNCTIONS, INTERNAL, REGISTRY, define, ops
from tests import ROOT, whole

MODULE = """
from graphrt.ir.op import INTERNAL, define, provide

OP = define("_TestDeclared", {schema!r}, infer=lambda c: c.dims(0), kernel=lambda x: x + {added}, traits=(INTERNAL,))

@provide
def declared_in_a_test(x):
    return OP(x)
"""


def execute(name, schema="x: T -> y: T", added=1):
    namespace = {"__name__": name}
    exec(MODULE.format(schema=schema, added=added), namespace)
    return namespace


@pytest.fixture
def clean():
    yield
    dict.pop(REGISTRY, "_TestDeclared", None)
    dict.pop(FUNCTIONS, "declared_in_a_test", None)
    vars(ops).pop("declared_in_a_test", None)
    vars(ops).pop("_TestDeclared", None)


def test_a_module_may_be_executed_again(clean):
    first = execute("a_module")
    held, found = ops._TestDeclared, ops.declared_in_a_test
    assert found(1).numpy() == 2
    again = execute("a_module", added=10)
    assert held is first["OP"] is again["OP"] is REGISTRY["_TestDeclared"]  # who holds the op sees what is new
    assert held(1).numpy() == 11 and ops.declared_in_a_test is again["declared_in_a_test"]


def test_another_module_is_refused(clean):
    execute("a_module")
    with pytest.raises(ValueError, match="op _TestDeclared is declared twice, in a_module and in another"):
        execute("another")
    dict.pop(REGISTRY, "_TestDeclared")
    with pytest.raises(ValueError, match="ops.declared_in_a_test is declared twice"):
        execute("another")


def test_another_schema_is_refused(clean):
    execute("a_module")
    for schema in ("x: T -> z: T", "x: float32 -> y: float32", "x: N * T -> y: T"):
        with pytest.raises(ValueError, match="declared twice"):
            execute("a_module", schema)
    assert REGISTRY["_TestDeclared"](1).numpy() == 2


def test_names_of_our_own_ops_begin_with_an_underscore():
    with pytest.raises(ValueError, match="must begin with '_'"):
        define("Mine", "x: T -> y: T", infer=lambda c: (), traits=(INTERNAL,))
    with pytest.raises(ValueError, match="must begin with '_'"):
        define("_Theirs", "x: T -> y: T", infer=lambda c: ())


@pytest.mark.parametrize(
    "attrs", ["N", "N: ", "N: int > 3", "N: int >= x", "N int", "p: {'A'", "p: {A}", "x: float = y"]
)
def test_attributes_that_cannot_be_read(attrs):
    with pytest.raises((ValueError, SyntaxError)):
        define("_TestAttrs", "x: T -> y: T", attrs=attrs, infer=lambda c: (), traits=(INTERNAL,))
    assert "_TestAttrs" not in REGISTRY


def test_limits_of_attributes_are_read():
    text = "p: {'A', 'B'} = 'A'; N: int >= 2; s: list(int) >= 4; f: float = inf; t: type = int32; c: string = ''"
    try:
        attrs = define("_TestAttrs", "x: T -> y: T", attrs=text, infer=lambda c: (), traits=(INTERNAL,)).attrs
    finally:
        dict.pop(REGISTRY, "_TestAttrs", None)
    assert (attrs["p"].kind, attrs["p"].choices, attrs["p"].default) == ("string", ("A", "B"), "A")
    assert (attrs["N"].minimum, attrs["s"].minimum, attrs["s"].kind) == (2, 4, "list(int)")
    assert (attrs["f"].default, attrs["t"].default.name, attrs["c"].default) == (float("inf"), "int32", "")


ALONE = f"""
import sys, types

sys.modules["graphrt"] = types.ModuleType("graphrt")  # the table first, and then all that fills it
sys.modules["graphrt"].__path__ = [{str(ROOT / "graphrt")!r}]
from graphrt.ir import op
del sys.modules["graphrt"]

def again(*_):
    raise AssertionError("declared twice")

class Once(op._Table):
    def __setitem__(self, key, value):
        assert not dict.__contains__(self, key), key
        dict.__setitem__(self, key, value)

op.OpDef.become = again
assert not op.REGISTRY and not op.FUNCTIONS
op.FUNCTIONS = Once()
import graphrt
op.declare_all()
assert len(op.FUNCTIONS) > 200 and len(op.REGISTRY) > 600
"""


def test_nothing_is_declared_twice_in_one_import():
    run = [sys.executable, "-c", ALONE]
    subprocess.run(run, check=True, env={**os.environ, "PYTHONPATH": str(ROOT)})


@whole.only
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_imports_that_were_interrupted_can_be_repeated():
    run = [sys.executable, "-W", "ignore", str(ROOT / "tests" / "interrupted_imports.py"), "4"]
    ran = subprocess.run(run, capture_output=True, text=True, check=False, env={**os.environ, "PYTHONPATH": str(ROOT)})
    assert ran.returncode == 0, ran.stderr
    told = json.loads(ran.stdout)
    assert told["interrupts"] == 4 and not told["failed"], "\n".join(told["failed"])
