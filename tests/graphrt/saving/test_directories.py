"""Several that save to one path at once, and read there (`directories`, `bundle`): each finds one of the things saved, whole."""

import contextlib
import os
import subprocess
import sys
import threading

import numpy as np
import pytest

import graphrt as tf
from graphrt.saving.bundle import Bundle, write_bundle
from graphrt.saving.directories import COMMITTED, place_of, read_whole, written_whole


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
            a, b = read_whole(path, "a", read)
            assert a == b

    together(run)
    assert os.listdir(tmp_path) == ["d"]


def test_an_error_of_a_directory_that_stands_is_raised(tmp_path):
    put(str(tmp_path / "d"), "a")
    calls = []

    def read():
        calls.append(1)
        raise ValueError("damaged")

    with pytest.raises(ValueError, match="damaged"):
        read_whole(str(tmp_path / "d"), "a", read)
    assert len(calls) == 1
    with pytest.raises(FileNotFoundError):
        read_whole(str(tmp_path / "no"), "a", lambda: open(tmp_path / "no"))


def put(path, *names, own=("a", "b")):
    with written_whole(path, own) as folder:
        for name in names:
            os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
            with open(os.path.join(folder, name), "w") as file:
                file.write(name)


def test_a_directory_that_is_replaced_meanwhile_is_read_again(tmp_path):
    path = str(tmp_path / "d")
    put(path, "a")
    found = []

    def read():
        if not found:
            put(path, "a", "new")
        found.append(sorted(os.listdir(path)))
        if len(found) == 1:
            raise tf.errors.DataLossError(None, None, "a part of the old one")
        return found[-1]

    assert read_whole(path, "a", read) == ["a", "new"] and len(found) == 2


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


class Ended(BaseException):
    """In the place of a kill: nothing that the code does afterwards is done."""


def steps(monkeypatch, at):
    """Has the step `at` of those that change directories raise, and all after it; gives the list of the steps."""
    taken = []

    def limited(name):
        real = getattr(os, name)

        def run(*args, **kwargs):
            taken.append((name, *map(os.path.basename, map(str, args))))
            if len(taken) > at:
                raise Ended
            return real(*args, **kwargs)

        monkeypatch.setattr(os, name, run)

    for name in ("rename", "replace", "link", "unlink", "rmdir", "mkdir"):
        limited(name)
    monkeypatch.setattr("shutil.rmtree", lambda *args, **kwargs: None)
    return taken


def test_a_save_that_is_ended_anywhere_leaves_the_old_or_the_new_model_and_all_other_files(tmp_path):
    found = []
    for at in range(200):
        path = tmp_path / str(at)
        saved(0, path)
        mine = {path / "mine": "1", path / "variables" / "mine": "2", path / "debug" / "mine": "3"}
        for place, text in mine.items():
            place.parent.mkdir(exist_ok=True)
            place.write_text(text)
        with pytest.MonkeyPatch.context() as patch:
            taken = steps(patch, at)
            with contextlib.suppress(Ended):
                saved(1, path)
        found.append(int(numbers_at(path)))
        assert tf.saved_model.contains_saved_model(path)
        saved(2, path)
        assert numbers_at(path) == 2 and not os.path.exists(path / COMMITTED)
        assert all(place.read_text() == text for place, text in mine.items())
        if len(taken) <= at:
            break
    assert found == sorted(found) and min(found.count(0), found.count(1)) > 5


def test_a_process_that_stands_in_the_directory_stays_there(tmp_path, monkeypatch):
    path = tmp_path / "m"
    saved(1, path)
    (path / "mine").write_text("1")
    code = (
        "import os, sys; print(flush=True); sys.stdin.readline(); print(os.getcwd(), open('mine').read(), os.listdir())"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], cwd=path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        other.stdout.readline()
        inode = os.stat(path).st_ino
        saved(2, path)
        told, _ = other.communicate("\n")
    assert told.startswith(f"{path} 1 ") and "saved_model.pb" in told
    assert os.stat(path).st_ino == inode and os.listdir(tmp_path) == ["m"]


def test_a_directory_below_one_that_cannot_be_written(tmp_path):
    if os.name != "posix" or os.geteuid() == 0:
        pytest.skip("root writes everywhere")
    path = tmp_path / "m"
    path.mkdir()
    tmp_path.chmod(0o500)
    try:
        saved(1, path)
    finally:
        tmp_path.chmod(0o700)
    assert numbers_at(path) == 1


def test_what_went_with_an_older_model_goes_and_links_lead_where_they_did(tmp_path):
    path, other = tmp_path / "d", tmp_path / "other"
    put(path, "a", "x/1", "x/2", "y/1", own=("a", "x/*", "y/*"))
    other.mkdir()
    (path / "x" / "deep").mkdir()
    os.symlink(other, path / "z")
    put(path, "a", "x/2", "z/1", own=("a", "x/*", "y/*"))
    assert sorted(os.listdir(path)) == ["a", "x", "z"] and sorted(os.listdir(path / "x")) == ["2", "deep"]
    assert os.listdir(path / "z") == ["1"] and os.listdir(other) == []


@pytest.mark.parametrize("there", ["a/mine", "x"])
def test_folders_in_the_place_of_files_and_files_in_that_of_folders_are_kept(tmp_path, there):
    place = tmp_path / "d" / there
    place.parent.mkdir(parents=True)
    place.write_text("mine")
    with pytest.raises((IsADirectoryError, NotADirectoryError), match=there[0]):
        put(tmp_path / "d", "a", "x/1", own=("a", "x/*"))
    assert place.read_text() == "mine" and os.listdir(tmp_path / "d") == [there[0]]


def test_without_links_files_are_copied(tmp_path, monkeypatch):
    def link(*args):
        raise PermissionError("no links")

    monkeypatch.setattr(os, "link", link)
    for number in range(2):
        saved(number, tmp_path / "m")
        assert numbers_at(tmp_path / "m") == number
    assert sorted(os.listdir(tmp_path / "m")) == ["fingerprint.pb", "saved_model.pb", "variables"]


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
