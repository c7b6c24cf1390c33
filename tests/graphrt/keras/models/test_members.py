"""Members of archives that claim other things than they hold: refused before memory is taken, with the file and the name."""

import io
import json
import resource
import struct
import zipfile

import numpy as np
import pytest

import graphrt as tf


def npy(shape, descr="'<f4'", data=b"", version=(1, 0)):
    head = f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    size = struct.pack("<H" if version == (1, 0) else "<I", len(head))
    return b"\x93NUMPY" + bytes(version) + size + head + data


def archive(path, first, method=zipfile.ZIP_STORED, claims=None):
    """A file of the weights of `model()`; `claims` is what the directory says of the length of the first one."""
    with zipfile.ZipFile(path, "w", method) as file:
        file.writestr("0:a.npy", first)
        file.writestr("1:b.npy", npy("(2,)", data=bytes(8)))
    if claims is not None:
        data = bytearray(path.read_bytes())
        at = data.index(b"PK\x01\x02") + 24
        data[at : at + 4] = struct.pack("<I", claims)
        path.write_bytes(data)


def model():
    return tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(2)])


CLAIMS = {
    "huge": (npy(f"({1 << 62},)"), "claims the shape"),
    "huge product": (npy(f"({1 << 40}, {1 << 40})"), "claims the shape"),
    "more": (npy("(3, 2)", data=bytes(20)), "for which 20 bytes are there"),
    "negative": (npy("(-1, -6)", data=bytes(24)), "which no weight has"),
    "nothing each": (npy(f"({1 << 62},)", "'S0'"), "which no weight has"),
    "no numbers": (npy("(True, 2)", data=bytes(8)), "which no weight has"),
    "objects": (npy("(3,)", "'|O'", bytes(24)), "holds Python objects, which could run code"),
    "inner objects": (npy("(3,)", "[('a', '|O')]", bytes(24)), "holds Python objects"),
    "records": (npy("(3, 2)", "[('a', '<f4')]", bytes(24)), "which no weight has"),
    "arrays of arrays": (npy("(1,)", "('<f4', (3, 2))", bytes(24)), "which no weight has"),
    "code": (npy("__import__('os').abort()"), "is no array of NumPy's"),
    "no shape": (npy("[3]", data=bytes(12)), "is no array of NumPy's: shape is not valid"),
    "a version": (npy("(3, 2)", data=bytes(24), version=(9, 9)), r"is no array of NumPy's: .*\(9, ?9\)"),
    "dimensions": (npy(f"({'1,' * 70})", data=bytes(4)), "maximum supported dimension"),
    "empty": (b"", "is no array of NumPy's"),
    "complex": (npy("(3, 2)", "'<c16'", bytes(96)), "kernel: Cannot convert an array of dtype complex128"),
}


@pytest.mark.parametrize("name", CLAIMS)
def test_arrays_that_claim_what_is_not_there(name, tmp_path):
    data, message = CLAIMS[name]
    archive(tmp_path / "w.npz", data)
    with pytest.raises(ValueError, match=f"(?s)w.npz.*{message}"):
        model().load_weights(str(tmp_path / "w.npz"))


def taken(call):
    """The kilobytes by which the most memory of this process grows."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    call()
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
@pytest.mark.parametrize("claims", [None, 100])
def test_what_unpacks_to_more_than_a_weight_takes_no_memory(method, claims, tmp_path):
    archive(tmp_path / "w.npz", bytes(200 << 20), method, claims)

    def load():
        with pytest.raises(ValueError, match=r"(?s)w\.npz"):
            model().load_weights(str(tmp_path / "w.npz"))

    assert taken(load) < 50_000


def test_arrays_of_all_versions_and_orders(tmp_path):
    kernel = np.arange(6, dtype=np.float32).reshape(3, 2)
    for version in ((1, 0), (2, 0), (3, 0)):
        for order in "CF":
            data = io.BytesIO()
            np.lib.format.write_array(data, np.asarray(kernel, order=order), version)
            archive(tmp_path / "w.npz", data.getvalue(), zipfile.ZIP_DEFLATED)
            found = model()
            found.load_weights(str(tmp_path / "w.npz"))
            np.testing.assert_array_equal(found.weights[0].numpy(), kernel)
            found.weights[0].assign_add(tf.ones([3, 2]))


def test_a_configuration_is_held_to_the_limit_before_it_is_parsed(tmp_path):
    path = tmp_path / "m.keras"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("config.json", b" " * (60 << 20) + json.dumps({"module": "keras"}).encode())
        file.writestr("model.weights.npz", b"")

    def load():
        with (
            tf.config.limits(bytes=1 << 30),
            pytest.raises(tf.errors.ResourceExhaustedError, match="'config.json' would take"),
        ):
            tf.keras.models.load_model(path)

    assert taken(load) < 20_000
