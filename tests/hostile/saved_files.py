"""Saving that is ended at any moment, and saved files that are damaged: `python -m tests.hostile.saved_files [COUNT]`.

A process that saves one version after the other is killed at random moments: what is there must load, and be one whole
version. Of a saved directory every truncation of every file, and COUNT (10,000) random changes, must be refused with an
error of ours or load as what was saved, within a second.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator

import numpy as np

import graphrt as tf
from tests.hostile import swept

SIZE = 20_000
TAKEN = (tf.errors.OpError, ValueError)


# --- what is saved ---------------------------------------------------------------------------------------------------
class Scale(tf.Module):
    """A model of which every number is the version."""

    def __init__(self, version: int, size: int) -> None:
        super().__init__()
        self.w = tf.Variable(np.full(size, version, np.float32))

    @tf.function(input_signature=[tf.TensorSpec([])])
    def f(self, x):
        return {"y": self.w[:3] * x if x > 0.0 else -self.w[:3]}


def keras_model(version: int) -> tf.keras.Model:
    model = tf.keras.Sequential([tf.keras.layers.Input((100,)), tf.keras.layers.Dense(200)])
    for variable in model.weights:
        variable.assign(np.full(tuple(variable.shape), version, np.float32))
    return model


def one_version(arrays: list[np.ndarray]) -> int:
    """The version that all arrays are of."""
    found = np.unique(np.concatenate([np.ravel(a) for a in arrays]))
    assert len(found) == 1, f"parts of versions {found.tolist()}"
    return int(found[0])


def save_saved_model(path: str, version: int) -> None:
    tf.saved_model.save(Scale(version, SIZE), path)


def load_saved_model(path: str) -> int:
    loaded = tf.saved_model.load(path)
    return one_version([loaded.w.numpy(), loaded.f(1.0)["y"].numpy()])


def save_checkpoint(path: str, version: int) -> None:
    tf.train.Checkpoint(a=Scale(version, SIZE), b=Scale(version, 10)).write(path)


def load_checkpoint(path: str) -> int:
    a, b = Scale(0, SIZE), Scale(0, 10)
    tf.train.Checkpoint(a=a, b=b).read(path).assert_consumed()
    return one_version([a.w.numpy(), b.w.numpy()])


def save_keras(path: str, version: int) -> None:
    keras_model(version).save(path)


def load_keras(path: str) -> int:
    return one_version(tf.keras.models.load_model(path).get_weights())


def save_weights(path: str, version: int) -> None:
    keras_model(version).save_weights(path)


def load_weights(path: str) -> int:
    model = keras_model(0)
    model.load_weights(path)
    return one_version(model.get_weights())


KINDS: dict[str, tuple[str, Callable[[str, int], None], Callable[[str], int]]] = {
    "saved_model": ("model", save_saved_model, load_saved_model),
    "checkpoint": ("ckpt", save_checkpoint, load_checkpoint),
    "keras": ("m.keras", save_keras, load_keras),
    "h5": ("m.weights.h5", save_weights, load_weights),
}


# --- killing ---------------------------------------------------------------------------------------------------------
def killed(kind: str, moments: int, seed: int = 0) -> int:
    """Kills a saving process at `moments` random moments; gives how often that was while it was at work.

    Raises:
      AssertionError: what was left is no whole version, or an older one than the last that was finished.
    """
    name, save, load = KINDS[kind]
    chance = random.Random(f"{seed} {kind}")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, name)
        save(path, 1)
        began = time.perf_counter()
        save(path, 2)
        takes = time.perf_counter() - began
        done, busy = 2, 0
        for _ in range(moments):
            done, was_busy = _killed_once(path, save, done, chance.uniform(0, 4 * takes))
            busy += was_busy
            found = load(path)
            assert done <= found <= done + 1, f"version {found} after {done} was finished"
            done = found
        _check_left(folder, name)
        return busy


def _killed_once(path: str, save: Callable[[str, int], None], done: int, after: float) -> tuple[int, bool]:
    """Saves further versions in a process that is killed after some seconds; the last one that was finished."""
    told, tell = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(told)
            version = done
            while True:
                version += 1
                save(path, version)
                os.write(tell, version.to_bytes(4, "little"))
        finally:
            os._exit(1)
    os.close(tell)
    time.sleep(after)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    with os.fdopen(told, "rb") as file:
        data = file.read()
    return int.from_bytes(data[-4:], "little") if data else done, True


def _check_left(folder: str, name: str) -> None:
    """What killed processes leave behind must not be taken for what was saved: it begins with a dot, or has a number."""
    for entry in os.listdir(folder):
        assert entry.startswith((name, ".")), f"{entry} is left"


# --- damaging --------------------------------------------------------------------------------------------------------
def saved_files(folder: str) -> dict[str, bytes]:
    """Each file of a small SavedModel."""
    tf.saved_model.save(Scale(7, 8), folder)
    found = {}
    for place, _, names in os.walk(folder):
        for name in names:
            with open(os.path.join(place, name), "rb") as file:
                found[os.path.relpath(os.path.join(place, name), folder)] = file.read()
    return found


def truncations(files: dict[str, bytes], step: int = 1) -> Iterator[tuple[str, bytes]]:
    """Every file, cut off at every place (or every `step`th)."""
    for name, data in files.items():
        yield from ((name, data[:length]) for length in range(0, len(data), step))


def corruptions(files: dict[str, bytes], count: int, seed: int = 0) -> Iterator[tuple[str, bytes]]:
    """Random changes: bits turned, bytes written, cut out, doubled, put elsewhere."""
    chance = random.Random(seed)
    names = sorted(files)
    for _ in range(count):
        name = chance.choice(names)
        data = bytearray(files[name])
        at, size = chance.randrange(len(data)), chance.choice([1, 1, 1, 2, 4, 8, 30])
        how = chance.randrange(5)
        if how == 0:
            data[at] ^= 1 << chance.randrange(8)
        elif how == 1:
            data[at : at + size] = chance.randbytes(size)
        elif how == 2:
            del data[at : at + size]
        elif how == 3:
            data[at:at] = data[at : at + size]
        else:
            to = chance.randrange(len(data))
            data[to : to + size] = data[at : at + size]
        yield name, bytes(data)


def wrong(folder: str, name: str, data: bytes) -> str | None:
    """What loading the directory with another content of a file does wrong, or None."""
    path = os.path.join(folder, name)
    with open(path, "rb") as file:
        before = file.read()
    began = time.process_time()
    try:
        with open(path, "wb") as file:
            file.write(data)
        loaded = tf.saved_model.load(folder)
        found = one_version([loaded.w.numpy(), loaded.f(1.0)["y"].numpy(), -loaded.f(-1.0)["y"].numpy()])
        problem = None if found == 7 and loaded.w.shape == [8] else f"another model: {found}"
    except TAKEN:
        problem = None
    except Exception as error:
        problem = f"{type(error).__name__}: {error}"
    finally:
        with open(path, "wb") as file:
            file.write(before)
    spent = time.process_time() - began
    return f"{spent:.1f} s" if problem is None and spent > 1 else problem


def damaged(count: int, step: int = 1, seed: int = 0) -> tuple[int, list[str]]:
    """Tries truncations and `count` corruptions; gives how many, and what went wrong."""
    found, tries = [], 0
    with tempfile.TemporaryDirectory() as root:
        folder = os.path.join(root, "model")
        files = saved_files(folder)
        for name, data in (*truncations(files, step), *corruptions(files, count, seed)):
            tries += 1
            problem = wrong(folder, name, data)
            if problem is not None:
                found.append(f"{name} ({len(data)} bytes, try {tries}): {problem}")
        shutil.rmtree(folder)
    return tries, found


def main() -> int:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    for kind in KINDS:
        print(f"{kind}: killed {killed(kind, max(1, count // 50))} times, whole each time", flush=True)
    tries, found = damaged(count)
    print(f"{tries} truncations and corruptions: {len(found)} wrong", *found[:20], sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(swept(main)())
