"""Inputs that are found by what they make the readers do: `python -m tests.hostile.fuzz READER [-max_total_time=60 ...]`.

Needs atheris, which is no dependency of the tests: `pip install atheris`. It instruments graphrt, and changes inputs so that
they reach code which none before has reached; half of the changes are those of `mutation.py`, which keep the outer form.
An error that is neither an OpError nor a ValueError ends it, and leaves the input in a file `crash-*`.
"""

from __future__ import annotations

import os
import random
import shutil
import sys
import tempfile
from collections.abc import Callable


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


def main(arguments: list[str]) -> None:
    import atheris

    with tempfile.TemporaryDirectory() as folder:
        with atheris.instrument_imports(include=["graphrt"]):
            from graphrt.ir.op import declare_all

            declare_all()
            one, other, corpus = target(arguments[1], folder)
            for name in os.listdir(corpus):  # what is imported when it is needed is instrumented, too
                with open(os.path.join(corpus, name), "rb") as file:
                    one(file.read())
        atheris.Setup([arguments[0], *arguments[2:], corpus], one, custom_mutator=other)
        atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv)
