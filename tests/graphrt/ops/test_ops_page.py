"""docs/ops.md is what the declarations and tests say."""

import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).parents[3]


def test_page_is_up_to_date():
    command = [sys.executable, str(ROOT / "tests" / "ops_page.py"), "--check"]
    run = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert run.returncode == 0, run.stderr[-2000:]


def test_no_cell_is_empty():
    lines = [v for v in (ROOT / "docs" / "ops.md").read_text(encoding="utf-8").splitlines() if v.startswith("| ")]
    assert len(lines) > 400
    assert all(all(cell.strip() for cell in line.strip("|").split("|")) for line in lines)
