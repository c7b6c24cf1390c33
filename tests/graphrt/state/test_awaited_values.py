"""Values of a checkpoint find what is put into lists and dictionaries after it was restored, as recorded from TensorFlow."""

import gc
import threading
import weakref

import pytest

import graphrt as tf
from graphrt.saving.bundle import Bundle
from graphrt.state.awaited_values import _Waiters
from tests.collecting import while_collecting


class Blocks(tf.Module):
    def __init__(self, count):
        super().__init__()
        self.blocks = []
        self.names = {}
        for i in range(count):
            self.add(float(i + 1))

    def add(self, value):
        block = tf.Module()
        self.blocks.append(block)
        block.w = tf.Variable(value)
        block.inner = {}
        block.inner["k"] = []
        block.inner["k"].append(tf.Variable(10 * value))


@pytest.fixture(name="prefix")
def written(tmp_path):
    blocks = Blocks(3)
    blocks.names["a"] = tf.Variable(5.0)
    kept = tf.train.Checkpoint(blocks=blocks, listed=[tf.Variable(1.0), tf.Variable(2.0)])
    return kept.save(str(tmp_path / "ckpt"))


def test_appended_variables(prefix):
    kept = tf.train.Checkpoint()
    status = kept.restore(prefix).expect_partial()
    kept.listed = []
    first = tf.Variable(0.0)
    kept.listed.append(first)
    assert first.numpy() == 1.0
    second = tf.Variable(0.0)
    assert second.numpy() == 0.0
    kept.listed.append(second)
    assert second.numpy() == 2.0
    assert type(kept.listed) is list
    with pytest.raises(AssertionError, match=r"\(root\)\.blocks"):
        status.assert_consumed()


def test_parts_of_what_was_appended_and_functions(prefix):
    kept = tf.train.Checkpoint(blocks=Blocks(0), listed=[])
    status = kept.restore(prefix)
    for _ in range(3):
        kept.blocks.add(0.0)
    assert [b.w.numpy() for b in kept.blocks.blocks] == [1.0, 2.0, 3.0]
    kept.listed.append(tf.Variable(0.0))
    read = tf.function(lambda: kept.listed[0] * kept.blocks.blocks[1].inner["k"][0])
    assert read().numpy() == 20.0
    kept.listed.append(tf.Variable(0.0))
    kept.blocks.names["a"] = tf.Variable(0.0)
    status.assert_consumed()
    assert kept.blocks.names["a"].numpy() == 5.0


def test_what_is_assigned_later_stays(prefix):
    kept = tf.train.Checkpoint(blocks=Blocks(0), listed=[])
    status = kept.restore(prefix).expect_partial()
    kept.listed += [tf.Variable(0.0), tf.Variable(0.0)]
    kept.listed[0].assign(7.0)
    kept.listed[1].assign_add(7.0)
    status.assert_existing_objects_matched()
    assert [v.numpy() for v in kept.listed] == [7.0, 9.0]


def test_nothing_asks_when_nothing_waits(prefix):
    gc.collect()  # those who waited in other tests
    kept = tf.train.Checkpoint(blocks=Blocks(3), listed=[tf.Variable(0.0)])
    kept.restore(prefix).expect_partial()
    late = tf.Variable(0.0)
    assert type(late.storage).__name__ == "_AskingStorage"
    kept.listed.append(late)
    kept.blocks.names["a"] = tf.Variable(0.0)
    assert late.numpy() == 2.0
    assert type(late.storage).__name__ == type(tf.Variable(0.0).storage).__name__ == "Storage"
    waits = tf.train.Checkpoint(listed=[])
    waits.restore(prefix).expect_partial()
    del waits
    gc.collect()
    assert type(tf.Variable(0.0).storage).__name__ == "Storage"


def test_what_does_not_fit_is_told_where_it_is_read(prefix):
    kept = tf.train.Checkpoint(listed=[])
    kept.restore(prefix).expect_partial()
    kept.listed.append(tf.Variable([0.0, 0.0], name="two"))
    with pytest.raises(ValueError, match="incompatible tensor with shape"):
        kept.listed[0].numpy()


def test_one_that_does_not_fit_keeps_nothing_from_others(prefix):
    kept = tf.train.Checkpoint(listed=[])
    kept.restore(prefix).expect_partial()
    kept.listed.extend([tf.Variable([0.0, 0.0]), tf.Variable(0.0)])
    with pytest.raises(ValueError, match=r"incompatible tensor with shape \(\)"):
        kept.listed[1].numpy()
    assert kept.listed[1].numpy() == 2.0
    assert kept.listed[0].numpy().tolist() == [0.0, 0.0]


def test_elements_that_take_the_places_of_others(prefix):
    kept = tf.train.Checkpoint(listed=[None, None], blocks=Blocks(0))
    kept.blocks.names["a"] = None
    kept.restore(prefix).expect_partial()
    kept.listed[1] = tf.Variable(0.0)
    kept.blocks.names["a"] = tf.Variable(0.0)
    assert kept.listed[1].numpy() == 2.0
    assert kept.blocks.names["a"].numpy() == 5.0


def test_values_wait_for_as_long_as_the_module_lives(tmp_path):
    full = Blocks(2)
    path = tf.train.Checkpoint(full).write(str(tmp_path / "root"))
    late = tf.Module()
    tf.train.Checkpoint(late).read(path).expect_partial()
    gc.collect()
    late.blocks = []  # an attribute of what was given as root
    late.blocks.append(tf.Module())
    gc.collect()
    late.blocks[0].w = tf.Variable(0.0)
    assert late.blocks[0].w.numpy() == 1.0
    gone = weakref.ref(late.__dict__["_awaited"].by[0][0])
    del late
    gc.collect()
    assert gone() is None


def test_the_last_restoration_has_the_last_word_and_replaces_those_before(tmp_path):
    paths = [
        tf.train.Checkpoint(v=[tf.Variable(x), tf.Variable(x + 1)]).write(str(tmp_path / f"{x}")) for x in (1.0, 5.0)
    ]
    short = tf.train.Checkpoint(v=[tf.Variable(9.0)]).write(str(tmp_path / "short"))
    for read, found in (([0, 1], [5.0, 6.0]), ([1, 0], [1.0, 2.0])):
        kept = tf.train.Checkpoint()
        for i in read:
            kept.read(paths[i]).expect_partial()
        kept.v = []
        kept.v += [tf.Variable(0.0), tf.Variable(0.0)]
        assert [v.numpy() for v in kept.v] == found
    kept = tf.train.Checkpoint(v=[])
    for _ in range(5):
        kept.read(paths[0]).expect_partial()
    kept.read(short).expect_partial()
    assert len(kept.__dict__["_awaited"].by) == 2
    kept.v += [tf.Variable(0.0), tf.Variable(0.0)]
    assert [v.numpy() for v in kept.v] == [9.0, 2.0]


def test_an_earlier_restoration_that_waits_again_stays_the_earlier(tmp_path):
    def full(x):
        return [[tf.Variable(x)], [tf.Variable(x + 1)]]

    paths = [tf.train.Checkpoint(v=full(x)).write(str(tmp_path / f"{x}")) for x in (1.0, 5.0)]
    kept = tf.train.Checkpoint(v=[])
    kept.read(paths[0]).expect_partial()
    kept.v += full(0.0)
    assert kept.v[0][0].numpy() == 1.0
    del kept.v[:]
    kept.read(paths[1]).expect_partial()
    for inner in ([], []):
        kept.v.append(inner)
        inner.append(tf.Variable(0.0))
    assert [inner[0].numpy() for inner in kept.v] == [5.0, 6.0]


def test_a_later_restoration_that_is_told_first_has_the_last_word(tmp_path):
    def full(x):
        held = tf.Module()
        held.a, held.b = tf.Variable(x), tf.Variable(x + 1)
        return held

    paths = [tf.train.Checkpoint(v=[full(x)]).write(str(tmp_path / f"{x}")) for x in (1.0, 5.0)]
    kept = tf.train.Checkpoint(v=[])
    kept.read(paths[0]).expect_partial()
    status = kept.read(paths[1])
    held = tf.Module()
    kept.v.append(held)
    held.a = tf.Variable(0.0)
    status.assert_existing_objects_matched()
    held.b = tf.Variable(0.0)
    assert held.b.numpy() == 6.0
    assert held.a.numpy() == 5.0
    status.assert_consumed()


@pytest.mark.parametrize("order", [(0, 1), (1, 0), (0, 0, 1)])
def test_asking_an_earlier_status_changes_no_values(tmp_path, order):
    def full(x):
        made = tf.Module()
        made.a, made.listed, made.inner = tf.Variable(x), [tf.Variable(x + 1)], tf.Module()
        made.inner.b = tf.Variable(x + 2)
        return made

    def read():
        return [v.numpy().item() for v in (kept.m.a, kept.m.listed[0], kept.m.inner.b)]

    paths = [tf.train.Checkpoint(m=full(x)).write(str(tmp_path / f"{x}")) for x in (1.0, 5.0)]
    kept = tf.train.Checkpoint(m=tf.Module())
    statuses = [kept.read(path).expect_partial() for path in paths]
    for name, made in full(0.0).__dict__.items():
        if name in ("a", "listed", "inner"):
            for i in order:
                statuses[i].assert_existing_objects_matched()
            setattr(kept.m, name, made)
    for i in order:
        statuses[i].assert_consumed()
        assert read() == [5.0, 6.0, 7.0]
    kept.m.a.assign(9.0)
    for i in order:
        statuses[i].assert_consumed()
    assert read() == [9.0, 6.0, 7.0]


def test_what_was_interrupted_is_looked_for_again(tmp_path, monkeypatch):
    path = tf.train.Checkpoint(v=[tf.Variable(3.0)]).write(str(tmp_path / "v"))
    kept = tf.train.Checkpoint(v=[])
    kept.read(path).expect_partial()
    kept.v.append(tf.Variable(0.0))

    def interrupt(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Bundle, "read", interrupt)
        with pytest.raises(KeyboardInterrupt):
            kept.v[0].numpy()
    assert kept.v[0].numpy() == 3.0


def test_tables(tmp_path):
    def table():
        return tf.lookup.experimental.MutableHashTable(tf.int64, tf.int64, -1)

    one = table()
    one.insert(tf.constant([5], tf.int64), tf.constant([6], tf.int64))
    path = tf.train.Checkpoint(tables=[one]).write(str(tmp_path / "t"))
    kept = tf.train.Checkpoint(tables=[])
    status = kept.read(path)
    kept.tables.append(table())
    assert kept.tables[0].lookup(tf.constant([5], tf.int64)).numpy() == [6]
    status.assert_consumed()


def test_threads_that_read_meanwhile_see_the_values(tmp_path):
    path = tf.train.Checkpoint(v=[tf.Variable(float(i + 1)) for i in range(40)]).write(str(tmp_path / "v"))
    kept = tf.train.Checkpoint(v=[])
    kept.read(path)
    kept.v += [tf.Variable(0.0) for _ in range(40)]
    start, seen = threading.Barrier(4), []

    def read():
        start.wait()
        seen.append([v.numpy().item() for v in kept.v])

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [[float(i + 1) for i in range(40)]] * 4


def test_who_goes_while_others_look():
    class One:
        def look_into_containers(self):
            return True

    waiters, alive = _Waiters(), {turn: One() for turn in range(60)}
    for turn, one in alive.items():
        waiters.known[turn] = weakref.ref(one, lambda _, turn=turn: waiters.known.pop(turn, None))
    del one
    while_collecting(waiters.look, alive.popitem)
    assert waiters.known.keys() == alive.keys() and len(alive) < 60
