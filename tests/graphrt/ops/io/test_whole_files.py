"""Who writes a file leaves the old one or the new one: a failure changes nothing."""

import os
import stat
import zipfile

import pytest

import graphrt as tf
from graphrt.ops.io.whole_files import remove_tree, replaced


def test_an_error_leaves_the_old_file(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"old")
    with pytest.raises(KeyboardInterrupt), replaced(str(path)) as file:
        file.write(b"half of the n")
        raise KeyboardInterrupt
    assert path.read_bytes() == b"old" and list(tmp_path.iterdir()) == [path]
    with replaced(str(path)) as file:
        file.write(b"new")
    assert path.read_bytes() == b"new" and list(tmp_path.iterdir()) == [path]


def test_who_may_read_a_file_stays_as_it_was(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"old")
    path.chmod(0o640)
    with replaced(str(path)) as file:
        assert stat.S_IMODE(os.fstat(file.fileno()).st_mode) == 0o640  # before there is anything to read
        file.write(b"new")
    assert (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) == (b"new", 0o640)


def test_what_a_link_leads_to_is_replaced(tmp_path):
    (tmp_path / "folder").mkdir()
    link, path = tmp_path / "link", tmp_path / "folder" / "file"
    link.symlink_to(path)
    for text in (b"made", b"replaced"):
        with replaced(str(link)) as file:
            file.write(text)
        assert link.is_symlink() and path.read_bytes() == text and list(path.parent.iterdir()) == [path]


def test_a_pipe_is_written_to_and_stays(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    number = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        with replaced(str(path)) as file:
            file.write(b"through")
        assert os.read(number, 100) == b"through"
    finally:
        os.close(number)
    assert stat.S_ISFIFO(path.stat().st_mode) and list(tmp_path.iterdir()) == [path]


def test_a_model_that_cannot_be_saved_leaves_the_old_archive(tmp_path, monkeypatch):
    model = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(2)])
    path = tmp_path / "model.keras"
    model.save(path)
    before = path.read_bytes()
    model.compile("sgd", "mse")
    model.fit(tf.ones([2, 3]), tf.ones([2, 2]), verbose=0)
    write, parts = zipfile.ZipFile.writestr, []

    def full(archive, name, *rest):
        if parts:
            raise OSError("disk full")
        parts.append(name)
        write(archive, name, *rest)

    monkeypatch.setattr(zipfile.ZipFile, "writestr", full)
    with pytest.raises(OSError, match="disk full"):
        model.save(path)
    assert path.read_bytes() == before and list(tmp_path.iterdir()) == [path]


def test_an_interrupt_while_a_tree_is_removed_stays_one(tmp_path, monkeypatch):
    (tmp_path / "a").mkdir()
    close, came = os.close, []

    def interrupted(number):
        close(number)
        if not came:
            came.append(number)
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(os, "close", interrupted)
        with pytest.raises(KeyboardInterrupt):
            remove_tree(str(tmp_path))
    remove_tree(str(tmp_path))
    assert came and not tmp_path.exists()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names")
@pytest.mark.parametrize(
    "part", ["saved_model.pb", "variables/variables.index", "variables/variables.data-00000-of-00001"]
)
def test_pipes_and_devices_in_the_place_of_files_are_refused_at_once(tmp_path, part):
    module = tf.Module()
    module.v = tf.Variable(1.0)
    tf.saved_model.save(module, str(tmp_path))
    for put in (os.mkfifo, lambda place: os.symlink("/dev/zero", place)):
        (tmp_path / part).unlink()
        put(tmp_path / part)
        with pytest.raises(tf.errors.DataLossError, match="no file but a pipe, a device or a socket"):
            tf.saved_model.load(str(tmp_path))
