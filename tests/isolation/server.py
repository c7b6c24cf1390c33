"""Runs examples each in a process of its own, that has done nothing before but `import graphrt`.

A request is a line of JSON: the sources of one example's statements. The answer is a line, too: what each statement
printed, and the traceback's last lines and the number of the statement that failed, if one did.
"""

import json
import os
import sys

import graphrt  # noqa: F401


def run(sources, shown):
    """What the statements print, one after the other, each as at the prompt."""
    import contextlib
    import io
    import traceback
    import types

    module = types.ModuleType("__main__")  # classes of an example are found again by their module, when pickled
    sys.modules["__main__"] = module
    printed, error = [], None
    for number, source in enumerate(sources):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            try:
                exec(compile(source, f"<doctest {shown}[{number}]>", "single"), module.__dict__)
            except BaseException as failure:
                error = ["".join(traceback.format_exception_only(failure)), "".join(traceback.format_exc())]
        printed.append([out.getvalue(), error])
        error = None
    return printed


def keep_sources(shown, sources):
    """Makes the statements known where Python looks for the text of functions, as doctest does."""
    import linecache

    for number, source in enumerate(sources):
        lines = source.splitlines(keepends=True)
        linecache.cache[f"<doctest {shown}[{number}]>"] = (len(source), None, lines, f"<doctest {shown}[{number}]>")


def answer(line):
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        status = 1
        try:
            shown, sources = json.loads(line)
            keep_sources(shown, sources)
            with os.fdopen(writer, "w") as out:
                json.dump(run(sources, shown), out)
            status = 0
        finally:
            os._exit(status)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        found = pipe.read()
    os.waitpid(child, 0)
    return found or "null"


if __name__ == "__main__":
    for request in sys.stdin:
        print(answer(request), flush=True)
