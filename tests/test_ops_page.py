"""docs/ops.md is what the declarations and tests say."""

import subprocess
import sys

from tests import ROOT
from tests.ops_page import PAGE


def test_page_is_up_to_date():
    command = [sys.executable, "-m", "tests.ops_page", "--check"]
    run = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert run.returncode == 0, run.stderr[-2000:]


def test_no_cell_is_empty():
    lines = [v for v in (ROOT / "docs" / "ops.md").read_text(encoding="utf-8").splitlines() if v.startswith("| ")]
    assert len(lines) > 400
    assert all(all(cell.strip() for cell in line.strip("|").split("|")) for line in lines)


SAMPLES = 13  # of each op; but for these, with the reason:
NO_KERNEL = "TensorFlow has no kernel for it on processors: it is compared with NumPy"
FEWER = {
    **dict.fromkeys(("FFTND", "IFFTND", "RFFTND", "IRFFTND", "QuantizedReluX"), NO_KERNEL),
    "EagerPyFunc": "eagerly the function is called without it: the recorded calls of py_function make it in graphs only",
}


def test_each_op_has_samples():
    rows = [v.strip("| \n").split(" | ") for v in PAGE.read_text(encoding="utf-8").splitlines() if v.startswith("| ")]
    at = rows[0].index("samples")
    few = {row[0] for row in rows[1:] if not row[at].endswith("+") or int(row[at][:-1]) < SAMPLES}
    assert not few - FEWER.keys(), f"ops with fewer than {SAMPLES} samples; record some (tests/golden/op_chain_*.py)"
    assert not FEWER.keys() - few, "reasons that are needed no more"
