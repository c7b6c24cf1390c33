"""Runs TensorFlow's notebooks on graphrt in its place, in IPython kernels, and tells how many cells run and say the same.

    python -m tests.notebooks FOLDER [notebook ...] --tensorflow PYTHON [--again]

`FOLDER` holds notebooks (`.ipynb`; those of github.com/tensorflow/docs, say). `PYTHON` is one that has tensorflow 2.20 and
ipykernel; what it gives is kept in `FOLDER/tensorflow.json`, until `--again`. This Python needs nbclient and ipykernel.

Cells count that TensorFlow runs without an error: those that need a network, a GPU or TensorFlow 1 fail there, too. Commands
of the shell (`!pip ...`) are left out. What a cell says is its streams and its result, line by line in any order, with numbers
compared to four digits; a cell whose words are others each time TensorFlow runs it counts as said when it runs.
Writes what differs to `FOLDER/differing.txt`.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import pathlib
import re
import sys
import tempfile

import nbformat
from nbclient import NotebookClient

from tests import ROOT

START = {
    # messages of loggers as TensorFlow's say what they are
    "graphrt": "import logging, graphrt.as_tensorflow\nlogging.basicConfig()\ngraphrt.as_tensorflow()",
    "tensorflow": "import os\nos.environ['TF_CPP_MIN_LOG_LEVEL'] = '3'",
}
_COMMAND = re.compile(r"^\s*[!%].*$", re.MULTILINE)
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+|inf|nan)")
# what says where something is or how long it took, in words of its own; warnings; where in a program an error was made
_OWN = [
    (re.compile(r"^(WARNING|INFO):.*$|^[WIEF]0000 .*$|^\d{4}-\d\d-\d\d .*$|^\[IPKernel.*$", re.MULTILINE), ""),
    (re.compile(r"\x1b\[\d*m"), ""), (re.compile(r"^Instructions for updating:\n.*$", re.MULTILINE), ""),
    (re.compile(r'^ +File ".*", line \d+, in .*\n(?:(?: {4}.*)?\n)*', re.MULTILINE), ""),  # the frames of tracebacks
    (re.compile(r"\S+/site-packages/\S+: (\w+Warning)"), r"\1"),
    (re.compile(r"\{\{function_node \S+\}\} ?"), ""), (re.compile(r"(\[Op:\w+\]) name: *"), r"\1"),
    (re.compile(r"<class '[\w.]*?(\w+)'>"), r"<class \1>"),
    (re.compile(r"\n  at \S+:\d+.*(\n +\d* \|.*)*"), ""),
    (re.compile(r"0x[0-9a-f]{6,}"), "ADDRESS"), (re.compile(r"[ \t]+"), " "), (re.compile(r"/tmp/\S+"), "PATH"),
    (re.compile(r"\d+(\.\d+)?\s*(ns|µs|us|ms|s|seconds)\b"), "TIME"),
]  # fmt: skip


def kernels(folder: pathlib.Path, pythons: dict[str, str]) -> None:
    """Writes a kernel for each Python below `folder`."""
    for name, python in pythons.items():
        spec = folder / "kernels" / name
        spec.mkdir(parents=True)
        command = [python, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
        (spec / "kernel.json").write_text(json.dumps({"argv": command, "display_name": name, "language": "python"}))


def outputs_of(cell: dict) -> dict[str, str]:
    """What a cell said: `text`, and `error` if it ended in one."""
    text, error, stream = [], "", None
    for output in cell.get("outputs", ()):
        before, stream = stream, output.get("name")
        if output["output_type"] == "stream":
            if stream == before:  # comes in pieces, which may end anywhere
                text[-1] += output["text"]
            else:
                text.append(output["text"])
        elif output["output_type"] == "execute_result":
            text.append(output["data"].get("text/plain", ""))
        elif output["output_type"] == "error":
            error = f"{output['ename']}: {output['evalue'][:500]}" or "error"
    return {"text": "\n".join(text), "error": error}


def run(path: pathlib.Path, kernel: str, folder: pathlib.Path) -> list[dict[str, str]]:
    """What the cells of a notebook say."""
    notebook = nbformat.read(path, as_version=4)
    notebook.cells = [c for c in notebook.cells if c.cell_type == "code" and c.source.strip()]
    for cell in notebook.cells:
        cell.outputs = []
        cell.source = _COMMAND.sub("", cell.source)
    notebook.cells.insert(0, nbformat.v4.new_code_cell(START[kernel]))
    with tempfile.TemporaryDirectory() as place:
        client = NotebookClient(
            notebook, timeout=150, kernel_name=kernel, allow_errors=True, resources={"metadata": {"path": place}},
            interrupt_on_timeout=True,
        )  # fmt: skip
        try:
            client.execute()
        except Exception as error:  # the kernel died: what it said so far stands
            print(f"{path.name}: {type(error).__name__}: {str(error)[:200]}", flush=True)
    return [outputs_of(cell) for cell in notebook.cells[1:]]


def says_the_same(a: str, b: str) -> bool:
    """Whether two outputs have the same words, and the same numbers to four digits."""
    for pattern, word in _OWN:
        a, b = pattern.sub(word, a), pattern.sub(word, b)
    a, b = ("\n".join(sorted(filter(None, map(str.strip, text.split("\n"))))) for text in (a, b))
    if re.sub(r"\s", "", _NUMBER.sub("#", a)) != re.sub(r"\s", "", _NUMBER.sub("#", b)):
        return False
    pairs = zip(_NUMBER.findall(a), _NUMBER.findall(b))
    return all(
        x == y or math.isclose(float(x), float(y), rel_tol=1e-4, abs_tol=1e-6) or x.lower() == y.lower()
        for x, y in pairs
    )


def compare(name: str, first: list, second: list, ours: list) -> tuple[int, int, int, list[str]]:
    """How many cells count, run, and say the same; and what differs."""
    count = runs = same = 0
    lines = []
    for i, (a, b, c) in enumerate(zip(first, second, ours)):
        if a["error"] or b["error"]:
            continue
        count += 1
        if c["error"]:
            lines.append(f"{name} [{i}] {c['error']}\n")
            continue
        runs += 1
        steady = says_the_same(a["text"], b["text"])
        if not steady or says_the_same(a["text"], c["text"]):
            same += 1
        else:
            lines.append(f"{name} [{i}] says\n{c['text'][:1500]}\n    TensorFlow:\n{a['text'][:1500]}\n")
    return count, runs, same, lines


def main() -> int:
    """Runs and compares; returns 1 where fewer than 95 % of the cells run or 92 % say the same."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("notebooks", nargs="*", help="names without .ipynb; all of the folder")
    parser.add_argument("--tensorflow", metavar="PYTHON", required=True)
    parser.add_argument("--again", action="store_true", help="run on TensorFlow even where its outputs are kept")
    given = parser.parse_args()
    folder = given.folder.resolve()
    kept_in = folder / "tensorflow.json"
    kept = json.loads(kept_in.read_text()) if kept_in.exists() else {}
    total = [0, 0, 0]
    differing = []
    with tempfile.TemporaryDirectory() as place:
        kernels(pathlib.Path(place), {"graphrt": sys.executable, "tensorflow": given.tensorflow})
        os.environ["JUPYTER_PATH"] = place
        os.environ["PYTHONPATH"] = f"{ROOT}:{os.environ.get('PYTHONPATH', '')}"
        for path in sorted(folder.glob("*.ipynb")):
            if given.notebooks and path.stem not in given.notebooks:
                continue
            if given.again or path.stem not in kept:
                kept[path.stem] = [run(path, "tensorflow", folder) for _ in range(2)]
                kept_in.write_text(json.dumps(kept))
            *figures, lines = compare(path.stem, *kept[path.stem], run(path, "graphrt", folder))
            print(f"{path.stem}: of {figures[0]} cells {figures[1]} run, {figures[2]} say the same", flush=True)
            total = [a + b for a, b in zip(total, figures)]
            differing += lines
            (folder / "differing.txt").write_text("\n".join(differing))
    count, runs, same = total
    print(f"of {count} cells {runs} run ({runs / max(count, 1):.1%}), {same} say the same ({same / max(count, 1):.1%})")
    return int(runs < 0.95 * count or same < 0.92 * count)


if __name__ == "__main__":
    sys.exit(main())
