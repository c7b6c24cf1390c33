"""Run readers on hostile inputs and print what they do wrong: `python -m tests.hostile [--seed N] [--count N] [NAME...]`.

Wrong is: an error that is no OpError, ValueError or OSError of a file; more than a second; more memory than the limit; an
end of the process; a program started, a module imported, a file touched outside of the scratch folder; a value of the context
that is left changed; a file or thread that is left open.

The readers take turns in chunks, each in a process forked from this one, that is warm. Input `i` of a seed is the same whatever
came before it: `--only I` reads it alone. With `--results FILE` what was done is noted there, and not done again.
"""

from __future__ import annotations

import argparse
import json
import mmap
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Iterator
from typing import Any

import graphrt as tf
from tests.hostile import swept
from tests.hostile.mutation import changed
from tests.hostile.readers import READERS, SCRATCH, Reader
from tests.hostile.watch import State, Watch

TAKEN = (tf.errors.OpError, ValueError)
CHUNK = 2000
STUCK = 60.0  # seconds without an input read after which a process is ended
TOLD: Any = {"bytes": 1 << 27, "iterations": 3000, "seconds": 0.5}  # limits under which graphs of strangers run


def input_of(reader: Reader, samples: list[bytes], seed: int, number: int) -> bytes:
    """The input of that number: the samples first, then what comes of changing them."""
    if number < len(samples):
        return samples[number]
    chance = random.Random(f"{seed} {reader.name} {number}")
    sample = chance.choice(samples)
    if reader.within is not None and chance.random() < 0.6:
        try:
            return reader.within(sample, chance)
        except (ValueError, TypeError):  # a string that is no UTF-8, a field that does not take this value
            pass
    return changed(sample, chance)


def tried(reader: Reader, data: bytes, folder: str) -> str | None:
    """What the reader does wrong with `data`, or None."""
    start = time.process_time()
    try:
        reader.read(data, folder)
    except TAKEN:
        pass
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)
        own = [f for f in place if "graphrt" in f.filename] or [place[-1]]
        return f"{type(error).__name__} ({os.path.basename(own[-1].filename)}:{own[-1].lineno}): {str(error)[:200]}"
    took = time.process_time() - start
    return f"took {took:.1f} s" if took > 1 else None


def trial(
    reader: Reader, seed: int, numbers: range, watch: Watch | None = None, at: Any = None
) -> dict[str, tuple[int, bytes]]:
    """What the reader does wrong -> number and bytes of an input that shows it."""
    found: dict[str, tuple[int, bytes]] = {}
    folder = tempfile.mkdtemp()
    inside = os.path.join(folder, "one")
    try:
        samples = reader.samples(folder)
        tried(reader, samples[0], tempfile.mkdtemp(dir=folder))  # what is imported when it is first used
        state = State()
        for number in numbers:
            data = input_of(reader, samples, seed, number)
            if at is not None:
                at[:8] = number.to_bytes(8, "little")
            if reader.files:
                os.mkdir(inside)
            if watch is not None:
                watch.on = True
            said = tried(reader, data, inside)
            if watch is not None:
                watch.on = False
                said = next(iter(watch.seen), said)
                watch.seen.clear()
            said = said or state.lost() or (state.left() if number % 100 == 99 else None)
            if said is not None:
                found.setdefault(said if said.startswith("state") else said.partition(": ")[0], (number, data))
            if reader.files:
                shutil.rmtree(inside)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return found


class Chunk:
    """A range of inputs of a reader, tried in a process of its own."""

    def __init__(self, reader: Reader, seed: int, numbers: range, memory: int) -> None:
        self.reader, self.seed, self.numbers, self.memory = reader, seed, numbers, memory
        self.at = mmap.mmap(-1, 16)

    def run(self, watch: Watch) -> dict[str, tuple[int, bytes]]:
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(read)
            try:
                self._in_child(watch, write)
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(1)
        os.close(write)
        said = self._listen(child, read)
        _, status = os.waitpid(child, 0)
        code = os.waitstatus_to_exitcode(status)
        if code != 0 or not said:
            number = int.from_bytes(self.at[:8], "little")
            with tempfile.TemporaryDirectory() as folder:
                data = input_of(self.reader, self.reader.samples(folder), self.seed, number)
            return {f"the process ended with {code}": (number, data)}
        return {k: (n, data.encode("latin-1")) for k, (n, data) in json.loads(said).items()}

    def _in_child(self, watch: Watch, write: int) -> None:
        nowhere = os.open(os.devnull, os.O_RDWR)  # what graphs print, nobody reads
        os.dup2(nowhere, 1)
        with open("/proc/self/statm") as file:
            taken = int(file.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (taken + self.memory, taken + self.memory))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        with tf.config.limits(**TOLD):
            found = trial(self.reader, self.seed, self.numbers, watch, self.at)
        with os.fdopen(write, "w") as file:
            json.dump({k: (n, data.decode("latin-1")) for k, (n, data) in found.items()}, file)
        os._exit(0)  # without what this process would clean up of its parent's

    def _listen(self, child: int, read: int) -> str:
        last, since = b"", time.monotonic()
        os.set_blocking(read, False)
        parts: list[bytes] = []
        while True:
            try:
                part = os.read(read, 1 << 16)
                if not part:
                    break
                parts.append(part)
            except BlockingIOError:
                time.sleep(0.01)
            if self.at[:8] != last:
                last, since = self.at[:8], time.monotonic()
            elif time.monotonic() - since > STUCK:
                os.kill(child, signal.SIGKILL)
        os.close(read)
        return b"".join(parts).decode()


def chunks(readers: list[Reader], seed: int, counts: dict[str, int], memory: int) -> Iterator[Chunk]:
    for start in range(0, max(counts.values()), CHUNK):
        for reader in readers:
            numbers = range(start, min(start + CHUNK, counts[reader.name]))
            if numbers:
                yield Chunk(reader, seed, numbers, memory)


def shares(readers: list[Reader], total: int) -> dict[str, int]:
    """How many of the inputs each reader gets: those that need files, which are slow, a third of what others get."""
    weights = {r.name: 1 if r.files else 3 for r in readers}
    return {name: -(-total * weight // sum(weights.values())) for name, weight in weights.items()}


def noted(path: str | None) -> set[tuple[str, int, int, int]]:
    """The chunks that a file of results says are done."""
    if path is None or not os.path.exists(path):
        return set()
    with open(path) as file:
        told = [json.loads(line) for line in file]
    return {(t["reader"], t["seed"], t["start"], t["stop"]) for t in told}


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.hostile", description=__doc__)
    parser.add_argument("names", nargs="*", help="readers; all if none is named")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=300, help="inputs a reader")
    parser.add_argument("--total", type=int, help="inputs in all")
    parser.add_argument("--only", type=int, help="the number of one input, read here, its error shown")
    parser.add_argument("--memory", type=int, default=1 << 30, help="bytes of address space that reading may add")
    parser.add_argument("--results", help="a file of results, one line a chunk")
    chosen = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    readers = [r for r in READERS if not chosen.names or r.name in chosen.names]
    if chosen.only is not None:
        return show(readers[0], chosen.seed, chosen.only)
    watch, done = Watch(SCRATCH.name), noted(chosen.results)
    inputs = shares(readers, chosen.total) if chosen.total else {r.name: chosen.count for r in readers}
    wrong: dict[str, dict[str, tuple[int, bytes]]] = {r.name: {} for r in readers}
    for chunk in chunks(readers, chosen.seed, inputs, chosen.memory):
        name, numbers = chunk.reader.name, chunk.numbers
        if (name, chosen.seed, numbers.start, numbers.stop) in done:
            continue
        began = time.perf_counter()
        found = chunk.run(watch)
        for said, (number, data) in found.items():
            if wrong[name].setdefault(said, (number, data))[0] == number:
                print(f"{name}: {said}: --seed {chosen.seed} --only {number}\n    {data[:120]!r}", flush=True)
        if chosen.results:
            with open(chosen.results, "a") as file:
                line = {"reader": name, "seed": chosen.seed, "start": numbers.start, "stop": numbers.stop}
                wrongs = {said: number for said, (number, _) in found.items()}
                file.write(
                    json.dumps({**line, "wrong": wrongs, "seconds": round(time.perf_counter() - began, 2)}) + "\n"
                )
    for name, count in inputs.items():
        print(f"{name}: {count} inputs, {len(wrong[name])} wrong")
    print(f"{sum(inputs.values())} inputs of {len(readers)} readers, {sum(map(len, wrong.values()))} wrong")
    return 1 if any(wrong.values()) else 0


def show(reader: Reader, seed: int, number: int) -> int:
    """Reads one input, and prints it and the error it gives."""
    folder = tempfile.mkdtemp()
    data = input_of(reader, reader.samples(tempfile.mkdtemp(dir=folder)), seed, number)
    print(repr(data))
    try:
        with tf.config.limits(**TOLD):
            print("read:", repr(reader.read(data, tempfile.mkdtemp(dir=folder)))[:500])
    except Exception:
        traceback.print_exc()
    finally:
        shutil.rmtree(folder)
    return 0


if __name__ == "__main__":
    sys.exit(swept(main)(sys.argv[1:]))
