"""One library in a process of its own: asked a line at a time, answers a line at a time.

    {"row": "call: x + 1", "do": "result"}                     -> {"arrays": ["/tmp/.../0.npy"]}
    {"row": "call: x + 1", "do": "time", "seconds": 0.1}       -> {"seconds": 6.1e-07}
    {..., "do": "time", "processor": true}                     -> the same of the processor's time, for machines that are shared

A library is graphrt (one thread where OMP_NUM_THREADS is 1), tensorflow, tensorflow-1 (one thread), jax or numpy.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import pathlib
import sys
import time
import traceback
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.benchmarks.rows import Row, all_rows


def load(library: str) -> Any:
    """The module that programs for `library` are given."""
    name = library.partition("-")[0]
    module = importlib.import_module(name)
    if library == "tensorflow-1" or (library == "graphrt" and os.environ.get("OMP_NUM_THREADS") == "1"):
        module.config.threading.set_intra_op_parallelism_threads(1)
        module.config.threading.set_inter_op_parallelism_threads(1)
    if library == "jax":
        module.config.update("jax_enable_x64", True)
    return module


def prepare(library: str, module: Any, row: Row) -> Callable[[], Any] | None:
    """What is timed; None when the row has no program for the library."""
    maker = row.program(library.partition("-")[0])
    if maker is None:
        return None
    call = maker() if library == "numpy" else maker(module)
    if library == "jax" and not row.own:
        return lambda: module.block_until_ready(call())
    return call


def leaves(value: Any) -> list[Any]:
    """The arrays in a result of any library, in order."""
    if value is None:
        return []
    if isinstance(value, (list, tuple)):
        return [leaf for v in value for leaf in leaves(v)]
    if isinstance(value, dict):
        return [leaf for v in value.values() for leaf in leaves(v)]
    return [np.asarray(value)]


def timed(row: Row, call: Callable[[], Any], seconds: float, clock: Callable[[], float] = time.perf_counter) -> float:
    """Seconds that one call takes: the least of several stretches, which together last about `seconds`."""
    if row.own:
        return float(call())
    gc.collect()
    if row.once:
        spent, best = 0.0, float("inf")
        while True:
            start = clock()
            call()
            passed = clock() - start
            spent, best = spent + passed, min(best, passed)
            if spent > seconds:
                return best / row.count
    call()
    number, best = 1, float("inf")
    while True:
        start = clock()
        for _ in range(number):
            call()
        passed = clock() - start
        if passed > seconds / 6 or number > 1 << 24:
            break
        number = max(2 * number, int(number * seconds / 6 / max(passed, 1e-9)))
    best = passed
    for _ in range(4):
        start = clock()
        for _ in range(number):
            call()
        best = min(best, clock() - start)
    return best / number / row.count


def answer(library: str, module: Any, rows: dict[str, Row], calls: dict[str, Any], question: dict[str, Any]) -> Any:
    """What the worker says to one question."""
    row = rows[question["row"]]
    if row.name not in calls:
        calls.clear()  # one row at a time is in memory
        calls[row.name] = prepare(library, module, row)
    call = calls[row.name]
    if call is None:
        return {"missing": True}
    if question["do"] == "time":
        clock = time.process_time if question.get("processor") else time.perf_counter
        return {"seconds": timed(row, call, question["seconds"], clock)}
    if row.rtol is None:
        return {"arrays": []}
    paths = []
    for i, array in enumerate(leaves(call())):
        path = pathlib.Path(question["folder"]) / f"{library}-{i}.npy"
        np.save(path, array, allow_pickle=False)
        paths.append(str(path))
    return {"arrays": paths}


def main(library: str) -> None:
    """Answers until there are no more questions."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print is no answer
    module, rows, calls = load(library), all_rows(), {}
    for line in sys.stdin:
        try:
            found = answer(library, module, rows, calls, json.loads(line))
        except Exception:
            found = {"error": traceback.format_exc()}
        print(json.dumps(found), file=answers, flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
