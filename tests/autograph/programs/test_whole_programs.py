"""Programs of several parts, run as they are, converted in both bodies, and dumped: everything printed is the same."""

import os
import subprocess
import sys
import textwrap

import pytest

import autograph
from autograph.backends import registry
from tests import ROOT

PATH = str(ROOT)

PROGRAMS = {
    "a metaclass that refuses calls but makes instances": """
        class Meta(type):
            def __call__(cls, *args):
                raise TypeError("use make")
            def make(cls, *args):
                return super().__call__(*args)

        class A(metaclass=Meta):
            def __init__(self, x):
                self.x = x

        class B(metaclass=Meta):
            pass

        def main():
            yield A.make(3).x
            yield type(B.make())
            yield type.__call__(A, 5).x
            try:
                A(4)
            except TypeError as error:
                yield error
    """,
    "generators that are awaited": """
        import types

        @types.coroutine
        def step(value):
            if value:
                sent = yield value
            else:
                sent = yield -1
            return sent

        async def total(n):
            @types.coroutine
            def twice(value):
                return (yield value) if value else 0
            result = 0
            for i in range(n):
                result += await step(i) + await twice(i)
            return result

        def main():
            running, sent = total(4), None
            try:
                while True:
                    sent = running.send(sent)
                    yield sent
            except StopIteration as stop:
                yield stop.value
    """,
}


PROGRAMS["recursions without an end"] = """
    import gc
    import traceback
    import weakref

    def endless(n):
        endless(n + 1)

    def guarded(n):
        try:
            return guarded(n + 1)
        finally:
            n += 1

    class Thing:
        pass

    def main():
        def holding():
            nonlocal held
            thing = Thing()
            held = weakref.ref(thing)
            holding()
        held = None
        try:
            holding()
        except RecursionError:
            pass
        gc.collect()
        yield held()

        def inner(n):
            inner(n + 1)
        for f in (endless, guarded, inner):
            try:
                f(0)
            except RecursionError as error:
                entries = traceback.extract_tb(error.__traceback__)
                names = {e.name for e in entries if not e.filename.startswith("<") and "autograph" not in e.filename}
                yield f.__name__, error, error.__context__, sorted(names)
"""
PROGRAMS["classes that note the module of their caller"] = """
    import enum
    import typing

    def main():
        class Pair(typing.Generic[typing.TypeVar("Q")]):
            pass
        made = [typing.TypeVar("T"), typing.NewType("N", int), enum.Enum("E", "A B"), Pair, *Pair.__parameters__]
        made += [typing.TypeVar(name, bound=int) for name in "ab"]
        made += map(typing.ParamSpec, "pq")
        for x in made:
            yield x.__module__
"""


def printed(source, how, tmp_path):
    """What a program prints: its `main` as it is, converted, or of the dumped module."""
    file = tmp_path / "program.py"
    file.write_text(
        textwrap.dedent(source) + "\nif __name__ == '__main__':\n    for line in main():\n        print(line)\n"
    )
    if how == "dumped":
        target = tmp_path / "dumped.py"
        run("-m", "autograph", "dump", str(file), "-o", str(target))
        return run(str(target)).splitlines()
    scope = {"__name__": "__main__" if "__module__" in source else "program", "__file__": str(file)}
    exec(compile(file.read_text(), str(file), "exec"), scope)
    main = scope["main"] if how == "original" else autograph.convert()(scope["main"])
    before = registry.always_staging(how == "converted")
    try:
        return [str(line).replace("program.", "__main__.") for line in main()]
    finally:
        registry.always_staging(before)


def run(*arguments):
    done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, timeout=120,
                          env={**os.environ, "PYTHONPATH": PATH})  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("how", ["plain", "converted", "dumped"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name, how, tmp_path):
    assert printed(PROGRAMS[name], how, tmp_path) == printed(PROGRAMS[name], "original", tmp_path)
