"""Run readers on mutated inputs and print what they do wrong: `python -m tests.hostile [--seed N] [--count N] [NAME...]`.

Wrong is: an error that is no OpError, ValueError or OSError of a file; more than a second; more memory than the limit; an
end of the process; a file touched outside of the scratch folder; a value of the context (graph, scope) that is left behind.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import shutil
import sys
import tempfile
import time
import traceback

import graphrt as tf
from tests.hostile.readers import READERS, Reader

TAKEN = (tf.errors.OpError, ValueError)
INTERESTING = [
    b"\0",
    b"\xff",
    b"\x7f",
    b"\x80",
    b"\xff\xff\xff\xff",
    b"\xff\xff\xff\x7f",
    b"\0\0\0\x80",
    b"\xff" * 8,
    b"-1",
    b"(",
    b'"',
    b"\n",
]


def mutated(sample: bytes, chance: random.Random) -> bytes:
    data = bytearray(sample)
    for _ in range(chance.choice((1, 1, 1, 2, 3, 8))):
        at = chance.randrange(len(data) + 1)
        kind = chance.randrange(7)
        if kind == 0 and data:
            data[at % len(data)] ^= 1 << chance.randrange(8)
        elif kind == 1:
            data[at : at + chance.randint(1, 8)] = b""
        elif kind == 2:
            data[at:at] = bytes(chance.randrange(256) for _ in range(chance.randint(1, 8)))
        elif kind == 3:
            word = chance.choice(INTERESTING)
            data[at : at + len(word)] = word
        elif kind == 4:
            data = data[:at]
        elif kind == 5 and data:
            other = chance.randrange(len(data))
            data[at:at] = data[other : other + chance.randint(1, 40)]
        elif data:
            data[at % len(data)] = chance.randrange(256)
    return bytes(data)


def tried(reader: Reader, data: bytes, folder: str) -> str | None:
    """What the reader does wrong with `data`, or None."""
    start = time.process_time()
    try:
        reader.read(data, folder)
    except TAKEN:
        pass
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        own = [f for f in traceback.extract_tb(error.__traceback__) if "graphrt" in f.filename] or [place]
        name = os.path.basename(own[-1].filename)
        return f"{type(error).__name__} ({name}:{own[-1].lineno})"
    took = time.process_time() - start
    return f"took {took:.1f} s" if took > 1 else None


def trial(reader: Reader, seed: int, count: int) -> dict[str, bytes]:
    """What the reader does wrong -> an input that shows it."""
    found: dict[str, bytes] = {}
    chance = random.Random(f"{seed}{reader.name}")
    folder = tempfile.mkdtemp()
    try:
        samples = reader.samples(folder)
        for i in range(count):
            data = samples[i] if i < len(samples) else mutated(chance.choice(samples), chance)
            inside = os.path.join(folder, "one")
            os.mkdir(inside)
            said = tried(reader, data, inside)
            if said is not None:
                found.setdefault(said, data)
            shutil.rmtree(inside)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return found


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.hostile", description=__doc__)
    parser.add_argument("names", nargs="*", help="readers; all if none is named")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=300, help="inputs a reader")
    parser.add_argument("--memory", type=int, default=4 << 30, help="bytes of address space")
    chosen = parser.parse_args(arguments)
    resource.setrlimit(resource.RLIMIT_AS, (chosen.memory, chosen.memory))
    wrong = 0
    for reader in READERS:
        if not chosen.names or reader.name in chosen.names:
            start = time.process_time()
            found = trial(reader, chosen.seed, chosen.count)
            print(
                f"{reader.name}: {chosen.count} inputs, {len(found)} wrong, {time.process_time() - start:.1f} s",
                flush=True,
            )
            for said, data in found.items():
                wrong += 1
                print(f"  {said}\n    {data[:120]!r}", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
