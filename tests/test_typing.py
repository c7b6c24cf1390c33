"""What users' type checkers see: the public interface is typed, and decorators keep signatures.

Covers: graphrt/types/likes.py.
"""

import importlib.util
import os
import shutil
import subprocess
import sys

import pytest

from tests import ROOT

FILES = sorted((ROOT / "tests" / "typing").glob("*.py"))
STRICT = ROOT / "tests" / "typing" / "signatures.py"


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    """What mypy found in our packages: once for all files that are checked alike."""
    return tmp_path_factory.mktemp("mypy")


@pytest.mark.skipif(importlib.util.find_spec("mypy") is None, reason="mypy is not installed")
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_mypy(file, cache):
    strict = ["--strict"] if file == STRICT else ["--check-untyped-defs", "--warn-unused-ignores"]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *strict, "--config-file=", "--follow-imports=silent", "--ignore-missing-imports",
         "--cache-dir", str(cache), str(file)],
        capture_output=True, text=True, cwd=ROOT, timeout=600,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_program_runs():
    done = subprocess.run(
        [sys.executable, str(ROOT / "tests" / "typing" / "training_program.py")], capture_output=True, text=True, timeout=300,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.skipif(shutil.which("pyright") is None, reason="pyright is not installed")
def test_pyright():
    done = subprocess.run(["pyright", *map(str, FILES)], capture_output=True, text=True, cwd=ROOT, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.skipif(importlib.util.find_spec("mypy") is None, reason="mypy is not installed")
def test_every_public_name_has_a_type(tmp_path):
    """`reveal_type` of each name is something else than Any."""
    import autograph

    names = sorted(autograph.__all__)
    file = tmp_path / "names.py"
    file.write_text("import autograph\n" + "".join(f"reveal_type(autograph.{name})\n" for name in names))
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file=", "--follow-imports=silent", "--ignore-missing-imports",
         "--cache-dir", str(tmp_path / "cache"), str(file)],
        capture_output=True, text=True, cwd=ROOT, timeout=600,
    )  # fmt: skip
    revealed = [line.partition("Revealed type is ")[2] for line in done.stdout.splitlines() if "Revealed" in line]
    assert len(revealed) == len(names), done.stdout
    assert [n for n, r in zip(names, revealed) if r in ('"Any"', '"builtins.object"')] == []
