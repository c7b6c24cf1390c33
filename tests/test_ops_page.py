"""docs/ops.md is what the declarations and tests say."""

import subprocess
import sys

from tests import ROOT


def test_page_is_up_to_date():
    command = [sys.executable, "-m", "tests.ops_page", "--check"]
    run = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert run.returncode == 0, run.stderr[-2000:]


def test_no_cell_is_empty():
    lines = [v for v in (ROOT / "docs" / "ops.md").read_text(encoding="utf-8").splitlines() if v.startswith("| ")]
    assert len(lines) > 400
    assert all(all(cell.strip() for cell in line.strip("|").split("|")) for line in lines)
