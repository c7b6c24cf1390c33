"""Several that save to one path at once, and read there (`directories`, `bundle`): each finds one of the things saved, whole."""

import os
import threading

import numpy as np
import pytest

import graphrt as tf
from graphrt.saving.bundle import Bundle, write_bundle
from graphrt.saving.directories import aside, place_of, read_whole, written_whole


def together(run, count=6):
    wrong = []

    def body(number):
        try:
            run(number)
        except BaseException as error:
            wrong.append(error)

    threads = [threading.Thread(target=body, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong, wrong


def test_bundles(tmp_path):
    prefix = str(tmp_path / "c")
    write_bundle(prefix, {"x": np.zeros(100), "y": np.zeros(100)})

    def run(number):
        for i in range(15):
            value = float(number * 100 + i)
            write_bundle(prefix, {"x": np.full(100, value), "y": np.full(100, value)})
            with Bundle(prefix) as bundle:
                x, y = bundle.read("x"), bundle.read("y")
            assert (x == x[0]).all() and (x == y).all()

    together(run)
    assert len(os.listdir(tmp_path)) == 2  # an index and its data


def test_directories(tmp_path):
    path = str(tmp_path / "d")

    def read():
        folder = place_of(path)
        return [open(os.path.join(folder, name)).read() for name in ("a", "b")]

    def run(number):
        for i in range(15):
            with written_whole(path, {"a", "b"}) as folder:
                for name in ("a", "b"):
                    with open(os.path.join(folder, name), "w") as file:
                        file.write(f"{number} {i}")
            a, b = read_whole(path, read)
            assert a == b

    together(run)
    assert os.listdir(tmp_path) == ["d"]


def test_an_error_of_a_directory_that_stands_is_raised(tmp_path):
    with written_whole(str(tmp_path / "d"), ()):
        pass
    calls = []

    def read():
        calls.append(1)
        raise ValueError("damaged")

    with pytest.raises(ValueError, match="damaged"):
        read_whole(str(tmp_path / "d"), read)
    assert len(calls) == 1
    with pytest.raises(FileNotFoundError):
        read_whole(str(tmp_path / "no"), lambda: open(tmp_path / "no"))


def test_a_directory_that_is_replaced_meanwhile_is_read_again(tmp_path):
    path = str(tmp_path / "d")
    with written_whole(path, {"a", "b"}):
        pass
    found = []

    def read():
        if not found:
            with written_whole(path, {"a", "b"}) as folder:
                os.mkdir(os.path.join(folder, "new"))
        found.append(os.listdir(path))
        if len(found) == 1:
            raise tf.errors.DataLossError(None, None, "a part of the old one")
        return found[-1]

    assert read_whole(path, read) == ["new"] and len(found) == 2


def test_a_model_that_stands_aside_is_read(tmp_path):
    module = tf.Module()
    module.v = tf.Variable(3)
    path = str(tmp_path / "m")
    tf.saved_model.save(module, path)
    os.rename(path, aside(path))  # a process ended while it replaced the directory
    assert tf.saved_model.contains_saved_model(path)
    assert int(tf.saved_model.load(path).v) == 3


def test_datasets(tmp_path):
    path = str(tmp_path / "s")
    tf.data.Dataset.from_tensor_slices([0, 0, 0]).save(path)

    def run(number):
        for _ in range(5):
            tf.data.Dataset.from_tensor_slices([number] * 3).save(path, shard_func=lambda x: tf.cast(x, tf.int64) % 2)
            assert len({int(x) for x in tf.data.Dataset.load(path)}) == 1

    together(run)
    assert len(os.listdir(path)) == 3  # the spec, the metadata, and one run


def saved(number, path):
    made = tf.Module()
    made.v = tf.Variable(float(number))
    tf.saved_model.save(made, path)


def numbers_at(path):
    return tf.saved_model.load(path).v.numpy()


def test_other_files_stay(tmp_path):
    path = tmp_path / "m"
    (path / "notes" / "deep").mkdir(parents=True)
    (path / "notes" / "deep" / "a.txt").write_text("mine")
    (path / "assets.extra").mkdir()
    (path / ".hidden").write_text("too")
    for number in range(2):
        saved(number, path)
        assert numbers_at(path) == number
        assert (path / "notes" / "deep" / "a.txt").read_text() == "mine"
        assert sorted(os.listdir(path)) == [
            ".hidden", "assets.extra", "fingerprint.pb", "notes", "saved_model.pb", "variables",
        ]  # fmt: skip
    assert os.listdir(tmp_path) == ["m"]


def test_other_files_stay_when_saving_was_ended_in_between(tmp_path):
    path = tmp_path / "m"
    saved(1, path)
    (path / "mine").write_text("1")
    for moved in (False, True):  # ended before, and after, the new one had its place
        os.rename(path, aside(path))
        if moved:
            os.rename(aside(path) + "-new", path)
        assert numbers_at(path) == 1
        saved(2, path)
        assert (path / "mine").read_text() == "1" and os.listdir(tmp_path) == ["m"]
        saved(1, str(aside(path)) + "-new")


def test_the_current_directory_and_a_link_to_one(tmp_path, monkeypatch):
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "mine").write_text("1")
    monkeypatch.chdir(tmp_path / "real")
    saved(1, ".")
    assert numbers_at(".") == 1 and open("mine").read() == "1"
    os.symlink(tmp_path / "real", tmp_path / "link")
    saved(2, tmp_path / "link")
    assert os.path.islink(tmp_path / "link") and numbers_at(tmp_path / "real") == 2
    with pytest.raises(ValueError, match="export_dir is empty"):
        saved(3, "")
    assert numbers_at(os.getcwd()) == 2 and open("mine").read() == "1"
