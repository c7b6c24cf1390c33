"""What modules keep after their import says what guards it: `python -m tests.global_state` lists all of it."""

import sys
import threading

import numpy as np
import pytest

import graphrt as tf
from tests import global_state, house


@pytest.fixture(scope="module")
def of_graphrt():
    return global_state.state()


def test_state_says_what_guards_it(of_graphrt):
    found = of_graphrt
    assert len(found) > 20, "nothing is found any more"
    assert not [str(f) for f in found if f.guard is None]


def test_what_is_locked_is_changed_under_its_lock(of_graphrt):
    wrong = {f.name: [n.lineno for n in f.unguarded] for f in of_graphrt if f.unguarded}
    assert not wrong, f"changed outside of the lock: {wrong}"


TEXT = """
import functools, threading
_lock = threading.Lock()
_told = {}  # state: locked by _lock
_silent = []
_count = 0
_constant = {"a": 1}
_local = {}

@functools.cache
def kept(x):
    return x

@functools.cache
def once():
    return 1

def change():
    global _count
    _count += 1
    _silent.append(1)
    with _lock:
        _told["a"] = 1
    _told["b"] = 1

def shadow(_local):
    _local["a"] = 1
"""


def test_what_counts_as_state(tmp_path, monkeypatch):
    (tmp_path / "graphrt").mkdir()
    (tmp_path / "graphrt" / "a.py").write_text(TEXT)
    monkeypatch.setattr(house, "ROOT", tmp_path)
    monkeypatch.setattr(house, "files", house.files.__wrapped__)
    found = {f.name: f for f in global_state.state()}
    assert sorted(found) == ["_count", "_silent", "_told", "kept"]
    assert found["_told"].guard == "locked by _lock" and len(found["_told"].unguarded) == 1
    assert found["kept"].guard is None


# --- what was not guarded --------------------------------------------------------------------------------------------
def at_once(work, count=8):
    found, start = [], threading.Barrier(count)

    def run():
        start.wait()
        found.append(work())

    threads = [threading.Thread(target=run) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


@pytest.fixture
def hasty():
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def test_names_of_layers_made_at_once_differ(hasty):
    from graphrt.keras import names

    names.forget_names()
    found = [n for several in at_once(lambda: [names.auto_name("thread") for _ in range(300)]) for n in several]
    assert len(found) == len(set(found))


def test_one_global_seed_is_drawn_from(hasty):
    from graphrt.keras import random

    random.forget_global_seeds()
    assert len({id(seed) for seed in at_once(random._anywhere)}) == 1


def test_samplers_that_learn_are_forgotten_at_last():
    from graphrt.ops.nn import candidate_sampling

    for seed in range(1, 100):
        tf.random.learned_unigram_candidate_sampler(np.array([[1]], np.int64), 1, 2, True, 10, seed=seed)
    assert len(candidate_sampling._learned) <= candidate_sampling._KEPT


def test_handlers_registered_at_once_all_answer(hasty):
    kinds = [
        type(f"Kind{i}", (tf.experimental.ExtensionType,), {"__annotations__": {"x": tf.Tensor}}) for i in range(8)
    ]
    waiting = list(kinds)

    def register():
        kind = waiting.pop()

        @tf.experimental.dispatch_for_api(tf.math.erfcinv, {"x": kind})
        def answer(x, name=None):
            return kind

        return answer

    handlers = at_once(register)
    try:
        assert [tf.math.erfcinv(kind(1.0)) for kind in kinds] == kinds
    finally:
        for handler in handlers:
            tf.experimental.unregister_dispatch_for(handler)
