"""The figures of the house: each is the most there may be. They only ever go down; a lower count lowers its figure here.

`python -m tests.house NAME` lists what a figure counts.
"""

import textwrap

import pytest

from tests import house

MOST = {
    "graphrt": {
        "circles": 0,
        "type_circles_between_rooms": 0,
        "long_files": 0,
        "lazy_imports": 0,
        "private_reaches": 14,
        "op_name_strings": 0,
        "late_names": 0,
        "top_files": 4,
        "modules_without_test": 0,
        "tests_of_no_module": 0,
        "raw_values": 292,
        "kept_errors": 0,
        "error_states": 26,
    },
    "autograph": {
        "circles": 0,
        "type_circles_between_rooms": 0,
        "long_files": 0,
        "lazy_imports": 16,
        "private_reaches": 7,
        "op_name_strings": 0,
        "late_names": 0,
        "top_files": 7,
        "modules_without_test": 0,
        "tests_of_no_module": 0,
        "raw_values": 26,
        "kept_errors": 0,
        "error_states": 0,
    },
}
MOST_ANY = {  # percent of the annotations of parameters and returns, by room
    "graphrt": {
        "*top": 19,
        "api": 16,
        "autodiff": 13,
        "control_flow": 14,
        "data": 10,
        "executor": 6,
        "function": 24,
        "graphdef": 16,
        "ir": 7,
        "keras": 23,
        "linear_operators": 10,
        "numpy_api": 12,
        "ops": 13,
        "ops/legacy": 4,
        "passes": 10,
        "staging": 22,
        "state": 11,
        "tensor": 12,
        "types": 22,
    },
    "autograph": {
        "*top": 16,
        "backends": 17,
        "checking": 2,
        "cli": 2,
        "conversion": 3,
        "converters": 2,
        "operators": 16,
        "emit": 6,
        "pyct": 5,
    },
}


@pytest.mark.parametrize("package", MOST)
@pytest.mark.parametrize("figure", house.COUNTED)
def test_figure(package, figure):
    found = house.COUNTED[figure](package)
    most = MOST[package][figure]
    assert len(found) <= most, f"{len(found)} {figure}, at most {most} are allowed:\n" + "\n".join(found)


@pytest.mark.parametrize("package", MOST_ANY)
def test_share_of_any(package):
    found = house.any_percent(package)
    over = {room: share for room, share in found.items() if share > MOST_ANY[package].get(room, 25) + 1}
    assert not over, f"more than the percent allowed of these rooms' annotations are Any: {over}"
    assert MOST_ANY[package].keys() <= found.keys(), "a room is gone: so is its figure"


def test_what_tests_say_they_cover_is_there():
    assert [name for name in sorted(house.covered()) if not (house.ROOT / name).exists()] == []


# --- what the figures count ------------------------------------------------------------------------------------------
def write(folder, monkeypatch, **texts):
    package = folder / "graphrt"
    for name, text in texts.items():
        path = package.joinpath(*name.split("__")).with_suffix(".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    monkeypatch.setattr(house, "ROOT", folder)
    monkeypatch.setattr(house, "files", house.files.__wrapped__)


def test_circles_count_imports_inside_functions_and_not_those_of_type_checkers(tmp_path, monkeypatch):
    checking = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from graphrt.ir import graph\n"
    write(
        tmp_path, monkeypatch,
        data__a="from graphrt.data.b import f\n",
        data__b="def f():\n    from graphrt.data import a\n",
        types__dtype=checking,
        ir__graph="import graphrt.types.dtype\n",
        ir__alone="from graphrt.ir.graph import Graph\n",
    )  # fmt: skip
    assert len(house.circles("graphrt")) == 2
    assert sorted(house.type_circles_between_rooms("graphrt")) == ["graphrt.ir.graph", "graphrt.types.dtype"]


def test_an_import_inside_a_function_says_why(tmp_path, monkeypatch):
    write(
        tmp_path, monkeypatch,
        a="def f():\n    import json\n    import zlib  # lazy: 3 ms\n    # lazy: an extra\n    import PIL\n",
    )  # fmt: skip
    assert len(house.lazy_imports("graphrt")) == 1


def test_private_names_of_other_files(tmp_path, monkeypatch):
    text = "from graphrt.b import _g\nclass A:\n    def __init__(self):\n        self._x = 1\n"
    write(tmp_path, monkeypatch, a=text + "def f(a, b):\n    return a._x, b._y, b._fields, b.__dict__\n")
    found = {line.rpartition(" ")[2] for line in house.private_reaches("graphrt")}
    assert found == {"_g", "b._y"}


def test_names_of_ops(tmp_path, monkeypatch):
    text = '''"""Add"""
def _unary(name, kernel):
    return define(name, "x: T -> y: T", kernel=kernel)
_unary("Abs", 1)
_KERNELS = {"Sin": 1, "Cos": 2}
for name, kernel in _KERNELS.items():
    define(name, "x: T -> y: T", kernel=kernel)
__all__ = ["Mul"]
QUIET = {"Abs", "nothing"}
FORMAT = {"Add": 1}  # names: the file format's own
def f(node, x, name="Abs"):
    with scope(name, "Sin"):
        g(x, name="Cos")
    return node.type == "Sin", name or "Cos"
'''
    write(tmp_path, monkeypatch, ops__family=text)
    assert [found.rpartition(" ")[2] for found in house.op_name_strings("graphrt")] == ["'Abs'", "'Sin'"]


def test_values_that_errors_show(tmp_path, monkeypatch):
    write(
        tmp_path, monkeypatch, a='def f(x):\n    y = f"{x!r}"\n    raise ValueError(f"{x!r} {x.name!r} {shown(x)} {x} {y}")\n'
    )  # fmt: skip
    assert house.raw_values("graphrt") == ["graphrt/a.py:3: x"]


def test_errors_that_their_frames_keep(tmp_path, monkeypatch):
    text = """
        def f(error):
            raise error
        def g(error):
            try:
                raise error
            finally:
                del error
        def h():
            try:
                f()
            except ValueError as error:
                raise error
            raise KeyError
    """
    write(tmp_path, monkeypatch, a=textwrap.dedent(text))
    assert house.kept_errors("graphrt") == ["graphrt/a.py:3: error"]


def test_shares_of_any(tmp_path, monkeypatch):
    write(tmp_path, monkeypatch, ir__a="def f(x: Any, y: list[Any], *z: Any, w: int = 0) -> None: ...\n")
    assert house.any_percent("graphrt") == {"ir": 40.0}


def test_modules_have_tests_of_their_names(tmp_path, monkeypatch):
    write(tmp_path, monkeypatch, ops__nn="", ops__pooling="", state__queue="", state__tables="", ir__graph="")
    tests = tmp_path / "tests" / "graphrt"
    for name, text in (
        ("ops/test_pooling_of_rows.py", ""),
        ("state/test_state.py", ""),
        ("staging/test_loops.py", '"""Loops.\n\nCovers: graphrt/ir/graph.py, graphrt/ir/nothing.py.\n"""\n'),
        ("ops/programs/test_anything.py", ""),
    ):
        (tests / name).parent.mkdir(parents=True, exist_ok=True)
        (tests / name).write_text(text)
    assert house.modules_without_test("graphrt") == ["graphrt/ops/nn.py"]
    assert house.tests_of_no_module("graphrt") == ["tests/graphrt/staging/test_loops.py"]
    assert house.covered() == {"graphrt/ir/graph.py", "graphrt/ir/nothing.py"}
