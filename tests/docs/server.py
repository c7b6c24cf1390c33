"""Runs scripts, each in a process of its own, that has imported the packages and called nothing.

What many of them ask for is imported before, once; that nothing is missing without it is what `tests/isolation` shows.
A request is a line: the path of a script. The answer is a line, too: the exit code; what the script wrote stands beside it,
in files with the endings `.out` and `.err`.
"""

import os
import sys

import autograph.conversion.convert  # noqa: F401
import graphrt.data
import graphrt.executor.program
import graphrt.function.function
import graphrt.keras  # noqa: F401
from graphrt.ir.op import declare_all

declare_all()


def run(path):
    """Runs a script as Python does; its exit code."""
    import runpy
    import traceback

    for stream, ending in ((1, ".out"), (2, ".err")):
        os.dup2(os.open(path + ending, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), stream)
    sys.argv[:] = [path]
    sys.path[0] = os.path.dirname(path)
    try:
        runpy.run_path(path, run_name="__main__")
        return 0
    except BaseException:
        traceback.print_exc()
        return 1
    finally:
        sys.stdout.flush()
        sys.stderr.flush()


if __name__ == "__main__":
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            os._exit(run(line.rstrip("\n")))
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
