"""`tf.train.Checkpoint` and its manager, as programs use them.

Covers: graphrt/saving/checkpoint_state.py, graphrt/saving/manager.py, graphrt/saving/objects.py, graphrt/saving/restoring.py
"""

import logging

import numpy as np
import pytest

import graphrt as tf


class Net(tf.Module):
    def __init__(self, value=0.0):
        super().__init__()
        self.w = tf.Variable([value, value])
        self.layers = [tf.Variable(value), {"k/x": tf.Variable(value), "p.q": (tf.Variable(value),)}]


def test_round_trip(tmp_path):
    net, step = Net(3.0), tf.Variable(7)
    path = tf.train.Checkpoint(net=net, step=step).save(tmp_path / "ckpt")
    assert path == str(tmp_path / "ckpt-1") and tf.train.latest_checkpoint(tmp_path) == path
    other, later = Net(), tf.Variable(0)
    checkpoint = tf.train.Checkpoint(net=other, step=later)
    checkpoint.restore(path).assert_consumed()
    assert [v.numpy().tolist() for v in other.variables] == [v.numpy().tolist() for v in net.variables]
    assert later.numpy() == 7 and checkpoint.save_counter.numpy() == 1
    assert dict(tf.train.list_variables(path))["net/layers/1/k.Sx/.ATTRIBUTES/VARIABLE_VALUE"] == []


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float64", "int8", "uint64", "bool", "complex64", "string"])
@pytest.mark.parametrize("shape", [(), (0, 3), (2, 2)])
def test_every_dtype(dtype, shape, tmp_path):
    value = tf.zeros(shape, dtype) if dtype != "string" else tf.fill(shape, b"\x00\xfftext")
    path = tf.train.Checkpoint(v=tf.Variable(value)).write(tmp_path / "one")
    v = tf.Variable(tf.ones(shape, dtype) if dtype != "string" else tf.fill(shape, ""))
    tf.train.Checkpoint(v=v).read(path).assert_consumed()
    np.testing.assert_array_equal(v.numpy(), value.numpy())


def test_parts_that_come_later_are_restored_then(tmp_path):
    path = tf.train.Checkpoint(net=Net(4.0)).write(tmp_path / "one")
    late = tf.Module()
    status = tf.train.Checkpoint(net=late).read(path).expect_partial()
    with pytest.raises(AssertionError, match=r"Unresolved object in checkpoint: .*\(root\).net.w"):
        status.assert_consumed()
    late.w = tf.Variable([0.0, 0.0])
    assert late.w.numpy().tolist() == [4.0, 4.0]
    late.layers = Net().layers
    status.assert_consumed()


def test_weights_that_a_layer_makes_when_it_is_called(tmp_path):
    layer = tf.keras.layers.Dense(2)
    layer(tf.ones([1, 3]))
    layer.kernel.assign(tf.fill([3, 2], 5.0))
    path = tf.train.Checkpoint(layer=layer).write(tmp_path / "one")
    other = tf.keras.layers.Dense(2)
    tf.train.Checkpoint(layer=other).read(path)
    assert other(tf.ones([1, 3])).numpy().tolist() == [[15.0, 15.0]]


def test_what_does_not_fit_changes_nothing(tmp_path):
    path = tf.train.Checkpoint(a=tf.Variable(1.0), b=tf.Variable([1.0, 2.0])).write(tmp_path / "one")
    a = tf.Variable(9.0)
    with pytest.raises(ValueError, match=r"incompatible tensor with shape \(2,\).* variable with shape \(3,\)"):
        tf.train.Checkpoint(a=a, b=tf.Variable([0.0] * 3)).read(path)
    with pytest.raises(tf.errors.InvalidArgumentError, match="expected dtype int32"):
        tf.train.Checkpoint(a=a, b=tf.Variable([0, 0])).read(path)
    assert a.numpy() == 9
    with pytest.raises(tf.errors.NotFoundError, match="may\nlack the suffix|lack the suffix"):
        tf.train.Checkpoint(a=a).read(tmp_path / "two")


def test_partial_restores_are_told(tmp_path, caplog):
    path = tf.train.Checkpoint(a=tf.Variable(1.0), b=tf.Variable(2.0)).write(tmp_path / "one")
    with caplog.at_level(logging.WARNING, "graphrt"):
        tf.train.Checkpoint(a=tf.Variable(0.0)).read(path)
    assert "Values that no object took: (root).b" in caplog.text
    caplog.clear()
    tf.train.Checkpoint(a=tf.Variable(0.0)).read(path).expect_partial()
    assert not caplog.text
    with pytest.raises(AssertionError, match="Found 1 Python objects"):
        tf.train.Checkpoint(a=tf.Variable(0.0), c=tf.Variable(1.0)).read(path).assert_existing_objects_matched()
    with pytest.raises(AssertionError, match="Nothing except the root"):
        tf.train.Checkpoint(x=tf.Variable(0.0)).read(path).assert_nontrivial_match()


def test_root_tables_and_generators(tmp_path):
    class Model(tf.Module):
        def __init__(self):
            super().__init__()
            self.table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
            self.random = tf.random.Generator.from_seed(1)

    first, second = Model(), Model()
    first.table.insert(["a"], [5])
    first.random.normal([3])
    path = tf.train.Checkpoint(first).write(tmp_path / "one")
    tf.train.Checkpoint(second).read(path).assert_consumed()
    assert second.table.lookup(tf.constant(["a"])).numpy() == [5]
    assert first.random.normal([2]).numpy().tolist() == second.random.normal([2]).numpy().tolist()


def test_manager(tmp_path):
    v = tf.Variable(0)
    manager = tf.train.CheckpointManager(tf.train.Checkpoint(v=v), tmp_path, max_to_keep=2)
    for i in range(4):
        v.assign(i)
        manager.save()
    names = sorted(p.name for p in tmp_path.iterdir())
    assert names == [
        "checkpoint", "ckpt-3.data-00000-of-00001", "ckpt-3.index", "ckpt-4.data-00000-of-00001", "ckpt-4.index"
    ]  # fmt: skip
    v.assign(0)
    again = tf.train.CheckpointManager(tf.train.Checkpoint(v=v), tmp_path, max_to_keep=2)
    assert again.restore_or_initialize() == str(tmp_path / "ckpt-4") and v.numpy() == 3
    assert [p.rpartition("-")[2] for p in again.checkpoints] == ["3", "4"]


def test_in_a_function(tmp_path):
    checkpoint = tf.train.Checkpoint(v=tf.Variable(0))
    with pytest.raises(NotImplementedError, match="cannot be called while a function is traced"):
        tf.function(lambda: checkpoint.save(tmp_path / "ckpt"))()
    assert checkpoint.save_counter.numpy() == 0


def test_what_cannot_be_in_a_checkpoint():
    with pytest.raises(ValueError, match="expecting q to be a trackable object"):
        tf.train.Checkpoint(q=3)


def test_a_manager_tells_what_it_was_given(tmp_path):
    checkpoint = tf.train.Checkpoint(v=tf.Variable(0))
    step = tf.Variable(0)
    manager = tf.train.CheckpointManager(
        checkpoint, tmp_path, max_to_keep=None, step_counter=step, checkpoint_interval=5
    )
    assert (manager.directory, manager.checkpoint, manager.checkpoint_interval) == (str(tmp_path), checkpoint, 5)
    saved = []
    for _ in range(11):
        saved.append(manager.save() is not None)
        step.assign_add(1)
    assert [i for i, s in enumerate(saved) if s] == [0, 5, 10]


Data = tf.data.Dataset
PIPELINES = {
    "range": lambda: Data.range(20),
    "shuffled": lambda: Data.range(20).shuffle(20).shuffle(7, seed=3).repeat(3).batch(2),
    "zipped": lambda: Data.zip((Data.range(50).shuffle(9), Data.range(50).shuffle(50))).prefetch(2),
    "interleaved": lambda: Data.range(5).interleave(lambda x: Data.from_tensors(x).repeat(3), 2, 1),
    "parallel": lambda: Data.range(40).map(lambda x: x * 2, num_parallel_calls=4).filter(lambda x: x % 3 == 0),
    "cached": lambda: Data.range(9).cache().shuffle(4).repeat(),
    "sampled": lambda: Data.sample_from_datasets([Data.range(20), Data.range(100, 120)]),
    "random": lambda: Data.random(rerandomize_each_iteration=True).take(30),
}


def following(iterator, count):
    return [np.asarray(tf.nest.flatten(next(iterator, -1))).tolist() for _ in range(count)]


@pytest.mark.parametrize("name", PIPELINES)
def test_iterators_go_on_where_they_were(name, tmp_path):
    dataset = PIPELINES[name]()
    list(dataset.take(2))  # the seeds of the iteration are not the first
    iterator = iter(dataset)
    following(iterator, 4)
    path = tf.train.Checkpoint(iterator=iterator).save(tmp_path / "c")
    wanted = following(iterator, 9)
    again = iter(PIPELINES[name]())
    following(again, 2)
    tf.train.Checkpoint(iterator=again).restore(path).assert_consumed()
    assert following(again, 9) == wanted
    tf.train.Checkpoint(iterator=again).restore(path)
    assert following(again, 9) == wanted


def test_an_iterator_at_its_end_stays_there(tmp_path):
    iterator = iter(Data.range(2))
    assert len(list(iterator)) == 2
    path = tf.train.Checkpoint(iterator=iterator).save(tmp_path / "c")
    again = iter(Data.range(2))
    tf.train.Checkpoint(iterator=again).restore(path)
    assert list(again) == []
    shorter = iter(Data.range(1))
    tf.train.Checkpoint(iterator=shorter).restore(path)
    assert list(shorter) == []


def test_the_position_in_another_dataset_is_refused(tmp_path):
    path = tf.train.Checkpoint(iterator=iter(Data.range(9).shuffle(2))).save(tmp_path / "c")
    with pytest.raises(tf.errors.InvalidArgumentError, match="over a dataset of the same transformations"):
        tf.train.Checkpoint(iterator=iter(Data.range(9))).restore(path)


def test_a_module_that_has_an_iterator_is_saved(tmp_path):
    module = tf.Module()
    module.iterator, module.v = iter(Data.range(3)), tf.Variable(2.0)
    module.f = tf.function(lambda x: x * module.v, input_signature=[tf.TensorSpec([])])
    tf.saved_model.save(module, tmp_path / "m")
    assert tf.saved_model.load(tmp_path / "m").f(3.0) == 6.0


def test_slots_that_are_made_after_a_restore_get_their_values(tmp_path):
    def step(variable, optimizer):
        optimizer.apply_gradients([(tf.constant([1.0, 1.0]), variable)])

    first, optimizer = tf.Variable([1.0, 2.0]), tf.keras.optimizers.Adam(0.1)
    step(first, optimizer)
    path = tf.train.Checkpoint(v=first, o=optimizer).save(tmp_path / "c")
    second, again = tf.Variable([0.0, 0.0]), tf.keras.optimizers.Adam(0.1)
    status = tf.train.Checkpoint(v=second, o=again).restore(path)
    step(first, optimizer)
    step(second, again)
    np.testing.assert_array_equal(second, first)
    status.assert_existing_objects_matched()


def test_a_checkpoint_that_gets_an_attribute_after_a_restore_fills_it(tmp_path):
    path = tf.train.Checkpoint(x=tf.Variable([1, 2]), y=tf.Variable(3)).save(tmp_path / "c")
    later = tf.train.Checkpoint(y=tf.Variable(0))
    later.restore(path).expect_partial()
    later.x = tf.Variable([0, 0])
    assert later.x.numpy().tolist() == [1, 2]


def test_what_a_layer_has_set_to_none_before_is_restored_when_it_comes(tmp_path):
    def made():
        return tf.keras.Sequential([tf.keras.layers.LSTM(2), tf.keras.layers.Dense(3)])

    model, other = made(), made()
    model.build((None, 4, 3))
    path = tf.train.Checkpoint(model=model).write(tmp_path / "c")
    status = tf.train.Checkpoint(model=other).read(path)
    other.build((None, 4, 3))
    status.assert_consumed()
    assert all(np.array_equal(a, b) for a, b in zip(model.get_weights(), other.get_weights()))


class Before(tf.Module):
    def __init__(self, step):
        super().__init__()
        self.average, self.step = tf.Variable([1.0, 2.0]), tf.Variable(np.int32(step))


class Now(tf.Module):
    __saved_before__ = {"average": "mean"}

    def __init__(self, late=False):
        super().__init__()
        if not late:
            self.come()

    def come(self):
        self.mean, self.step = tf.Variable([0.0, 0.0]), tf.Variable(np.int64(0))


def test_names_and_widths_of_earlier_versions(tmp_path):
    path = tf.train.Checkpoint(m=Before(7)).write(tmp_path / "c")
    now, late = Now(), Now(late=True)
    tf.train.Checkpoint(m=now).read(path).assert_consumed()
    status = tf.train.Checkpoint(m=late).read(path)
    late.come()
    status.assert_consumed()
    for found in (now, late):
        assert found.mean.numpy().tolist() == [1.0, 2.0] and found.step.numpy() == 7
    again = Now()
    tf.train.Checkpoint(m=again).read(tf.train.Checkpoint(m=now).write(tmp_path / "d")).assert_consumed()
    assert again.step.numpy() == 7 and again.step.dtype == tf.int64
    narrow = tf.train.Checkpoint(step=tf.Variable(np.int64(0)))
    with pytest.raises(tf.errors.InvalidArgumentError, match="expected dtype int64"):  # as in TensorFlow
        narrow.read(tf.train.Checkpoint(step=tf.Variable(np.int32(1))).write(tmp_path / "e"))


def test_older_checkpoints_of_normalization(tmp_path):
    class Layer(tf.Module):  # as it was saved before
        def __init__(self):
            super().__init__()
            self.mean, self.variance = tf.Variable([1.0, 2.0]), tf.Variable([4.0, 9.0])
            self.count = tf.Variable(np.int32(5))

    layer = tf.keras.layers.Normalization()
    layer.build((None, 2))
    tf.train.Checkpoint(m=layer).read(tf.train.Checkpoint(m=Layer()).write(tmp_path / "c")).assert_consumed()
    assert layer(tf.constant([[3.0, 5.0]])).numpy().tolist() == [[1.0, 1.0]] and layer.count.numpy() == 5


def test_a_file_in_the_place_of_a_folder_holds_no_checkpoints(tmp_path):
    file = tmp_path / "file"
    file.write_text("")
    assert tf.train.get_checkpoint_state(file) is None and tf.train.latest_checkpoint(file) is None


@pytest.mark.parametrize("leads", ["{0}/other/theirs", "../other/theirs", "link/theirs"])
def test_a_manager_deletes_nothing_outside_of_its_directory(leads, tmp_path):
    own, other = tmp_path / "own", tmp_path / "other"
    own.mkdir()
    checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
    checkpoint.write(other / "theirs")
    (own / "link").symlink_to(other)
    named = leads.format(tmp_path)
    (own / "checkpoint").write_text(f'model_checkpoint_path: "{named}"\nall_model_checkpoint_paths: "{named}"\n')
    before = sorted(p.name for p in other.iterdir())
    manager = tf.train.CheckpointManager(checkpoint, own, max_to_keep=1, checkpoint_name="deeper/ckpt")
    assert len(manager.checkpoints) == 1
    manager.save()
    manager.save()
    assert sorted(p.name for p in other.iterdir()) == before
    assert sorted(p.name for p in (own / "deeper").iterdir()) == ["ckpt-2.data-00000-of-00001", "ckpt-2.index"]
