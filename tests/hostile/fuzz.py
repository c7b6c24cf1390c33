"""Inputs that are found by what they make the readers do: `python -m tests.hostile.fuzz READER... [-max_total_time=60 ...]`.

Needs atheris, which is no dependency of the tests, and the extras, since a missing one counts as found: `pip install atheris
ml_dtypes h5py`. It instruments graphrt, and changes inputs so that
they reach code which none before has reached; half of the changes are those of `mutation.py`, which keep the outer form.
An error that is neither an OpError nor a ValueError ends it, and leaves the input in a file `crash-*`. Several readers, or
`all`, run one after the other, each in a process of its own that begins when all is instrumented: a line is printed for each.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import pkgutil
import random
import shutil
import sys
import tempfile
import traceback
from collections.abc import Callable

from tests.hostile import swept


def target(name: str, folder: str) -> tuple[Callable[[bytes], None], Callable[[bytes, int, int], bytes], str]:
    """What tries one input of a reader, what changes one, and the folder of the inputs to start from."""
    import graphrt as tf
    from tests.hostile.__main__ import TAKEN, TOLD
    from tests.hostile.mutation import changed
    from tests.hostile.readers import READERS

    (reader,) = [r for r in READERS if r.name == name]
    inside, corpus = os.path.join(folder, "one"), os.path.join(folder, "corpus")
    os.mkdir(corpus)
    samples = reader.samples(folder)
    for i, sample in enumerate(samples):
        with open(os.path.join(corpus, str(i)), "wb") as file:
            file.write(sample)

    def one(data: bytes) -> None:
        if reader.files:
            os.mkdir(inside)
        try:
            with tf.config.limits(**TOLD):
                reader.read(data, inside)
        except TAKEN:
            pass
        finally:
            if reader.files:
                shutil.rmtree(inside)

    def other(data: bytes, most: int, seed: int) -> bytes:
        chance = random.Random(seed)
        if reader.within is not None and chance.random() < 0.5:
            try:
                return reader.within(data if chance.random() < 0.5 else chance.choice(samples), chance)[:most]
            except Exception:  # these bytes are of no such form any more
                pass
        return changed(data, chance)[:most]

    return one, other, corpus


def fuzz(arguments: list[str], name: str) -> None:
    """Tries one reader for as long as the arguments say, and ends the process."""
    import atheris

    with tempfile.TemporaryDirectory() as folder:
        with atheris.instrument_imports(include=["graphrt"]):
            one, other, corpus = target(name, folder)
            for sample in os.listdir(corpus):  # what is imported when it is needed is instrumented, too
                with open(os.path.join(corpus, sample), "rb") as file:
                    one(file.read())
        atheris.Setup([*arguments, corpus], one, custom_mutator=other)
        atheris.Fuzz()


def import_all() -> None:
    """Imports every module there is, so that they are instrumented once and not again for each reader."""
    import graphrt

    for module in pkgutil.walk_packages(graphrt.__path__, "graphrt."):
        if not module.name.endswith("__main__"):
            with contextlib.suppress(ImportError):  # of an extra that is not installed
                importlib.import_module(module.name)


def alone(arguments: list[str], name: str) -> str:
    """What became of a reader that is tried in a process of its own; what it says goes to `fuzz-NAME.txt`."""
    path = f"fuzz-{name}.txt"
    child = os.fork()
    if child == 0:
        with open(path, "wb") as file:
            os.dup2(file.fileno(), 1)
            os.dup2(file.fileno(), 2)
        try:
            fuzz(arguments, name)
        except BaseException:
            traceback.print_exc()
        os._exit(1)
    _, status = os.waitpid(child, 0)
    with open(path, errors="replace") as lines:
        done = [line.strip() for line in lines if line.startswith("Done ")]
    return f"{name}: {done[-1] if done and status == 0 else f'FOUND SOMETHING, status {status}: see {path}'}"


def main(arguments: list[str]) -> int:
    import atheris

    names = [a for a in arguments[1:] if not a.startswith("-")]
    options = [arguments[0], *(a for a in arguments[1:] if a.startswith("-"))]
    with atheris.instrument_imports(include=["graphrt"]):
        from graphrt.ir.op import declare_all
        from tests.hostile.readers import READERS

        declare_all()
        import_all()
    if len(names) == 1 and names != ["all"]:
        fuzz(options, names[0])
    told = []
    for name in [r.name for r in READERS] if names == ["all"] else names:
        told.append(alone(options, name))
        print(told[-1], flush=True)
    return int(any("FOUND" in line for line in told))


if __name__ == "__main__":
    sys.exit(swept(main)(sys.argv))
