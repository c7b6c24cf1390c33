"""Cells run in a real Jupyter kernel: nothing is said on stderr, and the outputs are right.

Each `.txt` file here is a notebook with a kernel of its own, its cells are `[case name]`, `[in]` and `[out]` parts. The
output is what the cell prints, and its value; the last line of a cell that fails is its error.
"""

import functools
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import pytest

nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")

import nbformat  # noqa: E402
from jupyter_client.kernelspec import KernelSpec  # noqa: E402
from jupyter_client.manager import AsyncKernelManager  # noqa: E402

FOLDER = pathlib.Path(__file__).parent
_CELL = re.compile(r"^\[case (\w+)\]\n\[in\]\n(.*?)^\[out\]\n(.*?)(?=^\[case |\Z)", re.MULTILINE | re.DOTALL)
NOTEBOOKS = sorted(FOLDER.glob("*.txt"))


class Kernel(AsyncKernelManager):
    """The kernel of this very Python, whatever kernels are installed."""

    @property
    def kernel_spec(self):
        command = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
        return KernelSpec(argv=command, language="python", display_name="this Python")


@functools.cache
def cells(path):
    """The `(name, source, output)` triples of a notebook."""
    text = path.read_text(encoding="utf-8")
    found = [(m[1], m[2].removesuffix("\n"), m[3].strip("\n")) for m in _CELL.finditer(text)]
    assert len(found) == text.count("[case ") and len({name for name, _, _ in found}) == len(found), path
    return found


@functools.cache
def executed(path):
    """The cells of a notebook after it was run from top to bottom, by name."""
    given = cells(path)
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for _, source, _ in given])
    with tempfile.TemporaryDirectory() as folder:
        environment = {
            **os.environ,
            "PYTHONPATH": str(FOLDER.parents[1]),
            "IPYTHONDIR": folder,
            "JUPYTER_RUNTIME_DIR": folder,
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        client = nbclient.NotebookClient(
            notebook,
            timeout=120,
            allow_errors=True,
            kernel_manager_class=Kernel,
            resources={"metadata": {"path": folder}},
        )
        client.execute(env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return {name: cell for (name, _, _), cell in zip(given, notebook.cells)}


def said(cell):
    """What a cell printed on stdout, its value and its error; and what it printed on stderr."""
    out, err = "", ""
    for output in cell.outputs:
        if output.output_type == "stream":
            if output.name == "stderr":
                err += output.text
            else:
                out += output.text
        elif output.output_type == "error":
            out += f"{output.ename}: {output.evalue}".partition("\n")[0]
        else:
            out += output.data.get("text/plain", "")
    return "\n".join(line.rstrip() for line in out.splitlines()).strip("\n"), err  # a terminal ends lines its own way


@pytest.mark.parametrize(
    ("path", "name"),
    [pytest.param(path, name, id=f"{path.stem}-{name}") for path in NOTEBOOKS for name, _, _ in cells(path)],
)
def test_cell(path, name):
    expected = next(output for title, _, output in cells(path) if title == name)
    assert said(executed(path)[name]) == (expected, "")
