"""Functions under load, at length; tests/graphrt/function/test_cache.py has the small versions.

    python -m tests.stress_functions threads --threads 16 --calls 10000 --signatures 20
    python -m tests.stress_functions memory --functions 10000

`threads` calls one function with state from many threads, and checks each result, the state and the number of traces.
`memory` makes, calls and drops functions, and prints what memory they leave behind.
"""

from __future__ import annotations

import argparse
import gc
import resource
import threading
import time
import warnings

import graphrt as tf


def threads(count: int, calls: int, signatures: int) -> str:
    """Runs the threads; a line that says how it went.

    Raises:
      AssertionError: a result, the state, or the number of traces is wrong.
    """
    total, traced, failures = tf.Variable(0, dtype=tf.int64), [], []
    added = [0] * count

    @tf.function
    def f(x, n):
        traced.append(n)
        total.assign_add(n)
        if x > 0:
            x = x + n
        return x

    def work(seed: int) -> None:
        try:
            for i in range(calls):
                n = (seed * 7 + i) % signatures
                found = f(tf.constant(i), n).numpy()
                assert found == (i + n if i else 0), (i, n, found)
                added[seed] += n
        except BaseException as error:
            failures.append(error)

    start = time.perf_counter()
    workers = [threading.Thread(target=work, args=(seed,)) for seed in range(count)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    seconds = time.perf_counter() - start
    if failures:
        raise failures[0]
    assert sorted(traced) == list(range(signatures)), traced
    assert int(total.numpy()) == sum(added), (total.numpy(), sum(added))
    return f"{count} threads x {calls} calls over {signatures} signatures: {seconds:.1f} s, {len(traced)} traces"


def memory(functions: int) -> list[int]:
    """Makes, calls and drops functions; the peak of resident memory in KiB after each tenth of them."""
    x = tf.constant(1.0)
    peaks = []
    for i in range(functions):
        f = tf.function(lambda x, i=i: x * 2 + i)
        for _ in range(3):
            f(x)
        del f
        if (i + 1) % max(functions // 10, 1) == 0:
            gc.collect()
            peaks.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    return peaks


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    load = commands.add_parser("threads")
    load.add_argument("--threads", type=int, default=16)
    load.add_argument("--calls", type=int, default=10_000)
    load.add_argument("--signatures", type=int, default=20)
    drop = commands.add_parser("memory")
    drop.add_argument("--functions", type=int, default=10_000)
    given = parser.parse_args()
    warnings.simplefilter("ignore", tf.errors.RetracingWarning)
    if given.command == "threads":
        print(threads(given.threads, given.calls, given.signatures))
        return
    peaks = memory(given.functions)
    print("peak of resident memory after each tenth, MiB:", ", ".join(f"{p / 1024:.1f}" for p in peaks))
    print(f"growth over the last nine tenths: {(peaks[-1] - peaks[0]) / 1024:.1f} MiB")


if __name__ == "__main__":
    main()
