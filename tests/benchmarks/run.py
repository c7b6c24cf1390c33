"""Compares graphrt with TensorFlow, JAX and programs written by hand in NumPy, on this machine.

    python -m tests.benchmarks.run                                    graphrt and NumPy
    python -m tests.benchmarks.run --tf-python /path/to/python        and the TensorFlow of that Python
    python -m tests.benchmarks.run --jax-python /path/to/python       and its JAX
    python -m tests.benchmarks.run --only chain "call:"               rows whose name holds one of the texts
    python -m tests.benchmarks.run --processor-time                   on a machine that is shared: one thread, its own time
    python -m tests.benchmarks.run --save now.json --markdown now.md --svg now.svg
    python -m tests.benchmarks.run --compare before.json now.json     two saved runs

Each library works in a process of its own that lives as long as the run. Row by row their results are compared first;
then they are timed in turn, several rounds, so that a disturbance of the machine meets all of them. TensorFlow is there
twice, as it comes and with one thread. Shown are medians over the rounds, their spread, and multiples of graphrt's.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
from typing import Any

import numpy as np

from tests import ROOT
from tests.benchmarks import tables
from tests.benchmarks.rows import Row, all_rows


class Worker:
    """A process that runs the programs of one library."""

    def __init__(self, library: str, python: str, one_thread: bool = False) -> None:
        self.library = library
        path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
        environment = {**os.environ, "PYTHONPATH": path, "TF_CPP_MIN_LOG_LEVEL": "3", "JAX_PLATFORMS": "cpu"}
        if one_thread:
            environment |= {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
        self._process = subprocess.Popen(
            [python, "-m", "tests.benchmarks.worker", library], cwd=ROOT, env=environment, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )  # fmt: skip

    def ask(self, **question: Any) -> dict[str, Any]:
        """The answer to a question.

        Raises:
          RuntimeError: the process has ended.
        """
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps(question) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"the worker of {self.library} has ended, at {question}")
        found: dict[str, Any] = json.loads(line)
        return found

    def close(self) -> None:
        """Ends the process."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(timeout=60)


def disagreement(row: Row, workers: list[Worker]) -> dict[str, str]:
    """Library -> what is wrong with it: no program, an error, another result than graphrt's."""
    found: dict[str, str] = {}
    first: list[Any] | None = None
    with tempfile.TemporaryDirectory() as folder:
        for worker in workers:
            said = worker.ask(row=row.name, do="result", folder=folder)
            if "missing" in said:
                found[worker.library] = ""
                continue
            if "error" in said:
                found[worker.library] = said["error"].strip().splitlines()[-1]
                continue
            arrays = [np.load(path) for path in said["arrays"]]
            if first is None:
                first = arrays
            elif not _agree(first, arrays, row.rtol or 0.0):
                found[worker.library] = "the result differs"
    return found


def _agree(first: list[Any], other: list[Any], rtol: float) -> bool:
    return len(first) == len(other) and all(
        np.shape(a) == np.shape(b)
        and np.allclose(np.asarray(a, float), np.asarray(b, float), rtol=rtol, atol=rtol * _size(a), equal_nan=True)
        for a, b in zip(first, other)
    )


def _size(array: Any) -> float:
    return float(np.max(np.abs(np.asarray(array, float)), initial=0.0))


def collect(
    workers: list[Worker], rows: list[Row], rounds: int, seconds: float, processor: bool = False
) -> tuple[tables.Results, list[str]]:
    """Row -> library -> one time a round; and what did not agree."""
    found: tables.Results = {}
    notes: list[str] = []
    for row in rows:
        wrong = disagreement(row, workers)
        notes += [f"{row.name}: {library}: {text}" for library, text in wrong.items() if text]
        times: dict[str, list[float]] = {w.library: [] for w in workers if w.library not in wrong}
        for _ in range(rounds):
            for worker in workers:
                if worker.library in times:
                    said = worker.ask(row=row.name, do="time", seconds=seconds, processor=processor)
                    times[worker.library].append(said["seconds"])
        found[row.name] = times
        print(tables.text({row.name: times}).splitlines()[1], file=sys.stderr, flush=True)
    return found, notes


def main(arguments: list[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tf-python", metavar="PATH", help="a Python that has TensorFlow")
    parser.add_argument("--jax-python", metavar="PATH", help="a Python that has JAX")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=0.1, help="for each program in each round")
    parser.add_argument("--processor-time", action="store_true", help="of one thread each, instead of the clock's")
    parser.add_argument("--only", nargs="+", metavar="TEXT", help="rows whose names hold one of these")
    parser.add_argument("--save", metavar="FILE", help="writes all times as JSON")
    parser.add_argument("--markdown", metavar="FILE", help="writes the table as Markdown")
    parser.add_argument("--svg", metavar="FILE", help="writes the ratios as a picture")
    parser.add_argument("--compare", nargs=2, metavar="FILE", help="shows two saved runs of graphrt side by side")
    options = parser.parse_args(arguments)
    if options.compare:
        before, after = (json.loads(pathlib.Path(name).read_text())["results"] for name in options.compare)
        print(tables.compared(before, after))
        return
    rows = [r for r in all_rows().values() if not options.only or any(text in r.name for text in options.only)]
    pythons = {"graphrt": sys.executable, "numpy": sys.executable}
    if options.tf_python:
        pythons |= {} if options.processor_time else {"tensorflow": options.tf_python}
        pythons["tensorflow-1"] = options.tf_python
    if options.jax_python:
        pythons["jax"] = options.jax_python
    workers = [Worker(library, python, options.processor_time) for library, python in pythons.items()]
    try:
        results, notes = collect(workers, rows, options.rounds, options.seconds, options.processor_time)
    finally:
        for worker in workers:
            worker.close()
    print(tables.text(results))
    print("\n".join(notes))
    if options.save:
        kept = {"python": sys.version, "numpy": np.__version__, "results": results, "notes": notes}
        pathlib.Path(options.save).write_text(json.dumps(kept, indent=1) + "\n")
    if options.markdown:
        pathlib.Path(options.markdown).write_text(tables.markdown(results))
    if options.svg:
        pathlib.Path(options.svg).write_text(tables.picture(results))


if __name__ == "__main__":
    main()
