"""Compares graphrt with TensorFlow, and JAX, on this machine.

    python -m tests.benchmarks.run                                    graphrt alone
    python -m tests.benchmarks.run --tf-python /path/to/python        against the TensorFlow of that Python
    python -m tests.benchmarks.run --save now.json                    keeps the numbers
    python -m tests.benchmarks.run --compare before.json now.json     two saved runs

Each library is measured in processes of its own, which take turns: a disturbance of the machine meets all of them.
Shown are medians over the rounds, and how many times as long the others take.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time
from typing import Any

HERE = pathlib.Path(__file__).resolve().parent
QUESTIONS = ("call_overhead", "loops", "trace_time")
IMPORT = "import"


# --- one measurement, in a process of its own ------------------------------------------------------------------------
def measure(library: str, questions: list[str], seconds: float) -> dict[str, float]:
    """Seconds a call of each case, in this process."""
    start = time.perf_counter()
    module = importlib.import_module(library)
    results = {IMPORT: time.perf_counter() - start}
    for question in questions:
        source = importlib.import_module(question)
        table = source.jax_cases(module) if library == "jax" else source.cases(module)
        for name, function in table.items():
            results[name] = _time(function, seconds) / _iterations(name)
    return results


def _iterations(name: str) -> int:
    head, slash, count = name.rpartition(" / ")
    return int(count) if slash and head else 1


def _time(function: Any, seconds: float) -> float:
    for _ in range(5):
        function()
    number, best = 1, float("inf")
    while True:
        start = time.perf_counter()
        for _ in range(number):
            function()
        passed = time.perf_counter() - start
        if passed > seconds / 5:
            break
        number *= 2
    for _ in range(4):
        start = time.perf_counter()
        for _ in range(number):
            function()
        best = min(best, time.perf_counter() - start, passed)
    return best / number


# --- many measurements ------------------------------------------------------------------------------------------------
def collect(
    pythons: dict[str, str], questions: list[str], rounds: int, seconds: float
) -> dict[str, dict[str, list[float]]]:
    """All results: library -> case -> one number a round."""
    found: dict[str, dict[str, list[float]]] = {library: {} for library in pythons}
    for number in range(rounds):
        for library, python in pythons.items():
            print(f"round {number + 1} of {rounds}: {library}", file=sys.stderr)
            for case, result in _worker(library, python, questions, seconds).items():
                found[library].setdefault(case, []).append(result)
    return found


def _worker(library: str, python: str, questions: list[str], seconds: float) -> dict[str, float]:
    path = os.pathsep.join([str(HERE), str(HERE.parent.parent), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONPATH": path, "TF_CPP_MIN_LOG_LEVEL": "3", "JAX_PLATFORMS": "cpu"}
    command = [python, str(HERE / "run.py"), "--worker", library, "--seconds", str(seconds), "--only", *questions]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600)
    if done.returncode:
        raise SystemExit(f"{library} in {python} failed:\n{done.stderr[-2000:]}")
    return json.loads(done.stdout.splitlines()[-1])  # type: ignore[no-any-return]


def _has(python: str, library: str) -> bool:
    question = f"import importlib.util, sys; sys.exit(importlib.util.find_spec({library!r}) is None)"
    return subprocess.run([python, "-c", question], capture_output=True).returncode == 0


# --- tables -----------------------------------------------------------------------------------------------------------
def medians(run: dict[str, dict[str, list[float]]]) -> dict[str, dict[str, float]]:
    """The median of each list."""
    return {lib: {case: statistics.median(numbers) for case, numbers in table.items()} for lib, table in run.items()}


def show(columns: dict[str, dict[str, float]]) -> str:
    """A table: the first column in microseconds, the others also as multiples of it."""
    first, *others = columns
    cases = list(columns[first])
    width = max(map(len, cases)) + 2
    lines = ["".ljust(width) + f"{first:>14}" + "".join(f"{name:>24}" for name in others)]
    for case in cases:
        own = columns[first][case]
        line = case.ljust(width) + f"{own * 1e6:11.2f} us"
        for name in others:
            other = columns[name].get(case)
            line += f"{'-':>24}" if other is None else f"{other * 1e6:13.2f} us {other / own:6.1f}x"
        lines.append(line)
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tf-python", metavar="PATH", help="a Python that has TensorFlow (and, if it has it, JAX)")
    parser.add_argument("--jax-python", metavar="PATH", help="a Python that has JAX")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=0.2, help="for each case in each round")
    parser.add_argument("--only", nargs="+", choices=QUESTIONS, default=list(QUESTIONS))
    parser.add_argument("--save", metavar="FILE", help="writes all numbers as JSON")
    parser.add_argument("--compare", nargs=2, metavar="FILE", help="shows two saved runs of graphrt side by side")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.worker:
        print(json.dumps(measure(options.worker, options.only, options.seconds)))
        return
    if options.compare:
        runs = [medians(json.loads(pathlib.Path(name).read_text())["results"]) for name in options.compare]
        print(show({name: run["graphrt"] for name, run in zip(options.compare, runs)}))
        return
    pythons = {"graphrt": sys.executable}
    if options.tf_python:
        pythons["tensorflow"] = options.tf_python
    jax_python = options.jax_python or next(
        (p for p in (options.tf_python, sys.executable) if p and _has(p, "jax")), None
    )
    if jax_python:
        pythons["jax"] = jax_python
    results = collect(pythons, options.only, options.rounds, options.seconds)
    print(show(medians(results)))
    if options.save:
        pathlib.Path(options.save).write_text(json.dumps({"python": sys.version, "results": results}, indent=1) + "\n")


if __name__ == "__main__":
    main()
