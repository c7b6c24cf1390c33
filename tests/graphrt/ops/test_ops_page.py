"""docs/ops.md is what the declarations and tests say, and the lists of ops loaded at need are right."""

import importlib
import pathlib
import subprocess
import sys

import pytest

from graphrt.ir import op as ir_op

ROOT = pathlib.Path(__file__).parents[3]


def test_page_is_up_to_date():
    command = [sys.executable, str(ROOT / "tests" / "ops_page.py"), "--check"]
    run = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert run.returncode == 0, run.stderr[-2000:]


def test_no_cell_is_empty():
    lines = [v for v in (ROOT / "docs" / "ops.md").read_text(encoding="utf-8").splitlines() if v.startswith("| ")]
    assert len(lines) > 400
    assert all(all(cell.strip() for cell in line.strip("|").split("|")) for line in lines)


@pytest.mark.parametrize("name", sorted(ir_op._LATER))
def test_name_is_declared_where_it_is_said_to_be(name):
    importlib.import_module(ir_op._LATER[name])
    assert dict.__contains__(ir_op.REGISTRY, name) or dict.__contains__(ir_op.FUNCTIONS, name)
