"""What a graph, a file or an op asks for is compared with the limits before it gets it."""

import contextlib
import gzip
import subprocess
import sys
import threading
import zlib

import numpy as np
import pytest

import graphrt as tf
from autograph.backends.threads import INHERITED
from graphrt.errors import InvalidArgumentError, ResourceExhaustedError
from graphrt.graphdef import import_graph_def
from graphrt.numpy_api import array_api


def test_limits_are_those_of_the_context():
    before = tf.config.limits.bytes
    seen = []
    with tf.config.limits(bytes=7, seconds=None) as inner:
        assert tf.config.limits.bytes == inner.bytes == 7
        assert tf.config.limits.seconds == float("inf")
        thread = threading.Thread(target=lambda: seen.append(tf.config.limits.bytes))
        thread.start()
        thread.join()
        with contextlib.suppress(KeyError), tf.config.limits(bytes=9):
            raise KeyError
        assert tf.config.limits.bytes == 7
        tf.config.limits.bytes = 8
        assert tf.config.limits.bytes == 8
    assert seen == [7 if INHERITED else before]  # a setting, which Python may hand on to threads
    assert tf.config.limits.bytes == before


def test_limits_that_are_none():
    with pytest.raises(TypeError, match="there is no limit 'byte'; there are bytes, elements"):
        tf.config.limits(byte=1)
    with pytest.raises(TypeError, match="must be a number or None"):
        tf.config.limits(bytes="1")
    with pytest.raises(ValueError, match="must not be negative"):
        tf.config.limits(bytes=-1)
    with pytest.raises(AttributeError, match="there is no limit 'time'"):
        tf.config.limits.time = 1


def test_what_a_file_holds_is_counted():
    data = (
        tf.function(lambda x: x + tf.fill([1000], 1.0))
        .get_concrete_function(tf.TensorSpec([1000]))
        .graph.as_graph_def()
    )
    with (
        tf.config.limits(nodes=3),
        pytest.raises(InvalidArgumentError, match=r"to \d+ nodes, the limit is 3\. If that"),
    ):
        import_graph_def(data)
    for node in data.node:
        if node.op == "Const" and node.attr["dtype"].type == 1:
            node.attr["value"].tensor.tensor_shape.dim.add().size = 1 << 33
    with pytest.raises(
        InvalidArgumentError, match=r"has 8589934592 elements, the limit is 268435456\. If that is meant"
    ):
        import_graph_def(data)


@pytest.mark.parametrize("compression", ["GZIP", "ZLIB"])
def test_a_small_file_cannot_unfold_into_a_large_text(tmp_path, compression):
    pack = gzip.compress if compression == "GZIP" else zlib.compress
    path = str(tmp_path / "bomb")
    (tmp_path / "bomb").write_bytes(pack(b"a" * 5_000_000))
    fixed = tf.data.FixedLengthRecordDataset(path, 4, compression_type=compression)
    csv = tf.data.experimental.CsvDataset(path, [tf.string], compression_type=compression)
    with tf.config.limits(bytes=1_000_000):
        assert sum(1 for _ in fixed) == 1_250_000  # which come as they are unpacked
        for dataset in (tf.data.TextLineDataset(path, compression), csv):
            with pytest.raises(ResourceExhaustedError, match=r"bomb.* would take \d+ bytes, the limit is 1000000"):
                list(dataset)
        with pytest.raises(ResourceExhaustedError, match="the text would take 1000001 bytes"):
            tf.io.decode_compressed(pack(b"a" * 5_000_000), compression)
    assert len(tf.io.decode_compressed(pack(b"a" * 5_000_000), compression).numpy()) == 5_000_000
    assert [len(line.numpy()) for line in tf.data.TextLineDataset(path, compression)] == [5_000_000]


def test_an_image_cannot_unfold_either():
    data = tf.io.encode_png(np.zeros((1000, 1000, 3), np.uint8))
    with (
        tf.config.limits(bytes=1 << 20),
        pytest.raises(ResourceExhaustedError, match="a PNG of 1000 by 1000 would take"),
    ):
        tf.io.decode_png(data)


MAKERS = {
    "eye": lambda n: tf.eye(n),
    "zeros": lambda n: tf.zeros([n]),
    "range": lambda n: tf.range(n),
    "constant": lambda n: tf.constant(1.0, shape=[n]),
    "hann_window": lambda n: tf.signal.hann_window(n),
    "numpy.eye": lambda n: tf.experimental.numpy.eye(n, 2),
    "numpy.ones": lambda n: tf.experimental.numpy.ones(n),
    "numpy.arange": lambda n: tf.experimental.numpy.arange(n),
    "keras.ops.eye": lambda n: tf.keras.ops.eye(n, 2),
    "array_api.arange": lambda n: array_api.arange(n),
    "make_tensor_proto": lambda n: tf.make_tensor_proto([1.0, 2.0], shape=[n]),
    "add": lambda n: np.broadcast_to(np.float32(1), n) + tf.constant(1.0),
    "TensorArray": lambda n: tf.TensorArray(tf.float32, size=n),
    "to_categorical": lambda n: tf.keras.utils.to_categorical([0], n),
    "pad_sequences": lambda n: tf.keras.utils.pad_sequences([[0]], n),
    "convert_to_tensor": lambda n: tf.convert_to_tensor(np.broadcast_to(np.float32(1), n)),
}


@pytest.mark.parametrize("name", MAKERS)
def test_what_finds_no_memory_is_exhausted(name):
    program = f"""
import resource
from tests.graphrt.types.test_limits import MAKERS
import graphrt as tf
from graphrt.errors import ResourceExhaustedError
MAKERS[{name!r}](4)
resource.setrlimit(resource.RLIMIT_AS, (1 << 32, 1 << 32))
with tf.config.limits(bytes=None):
    try:
        MAKERS[{name!r}](2**31 - 1)
    except ResourceExhaustedError as error:
        print(error)
"""
    if sys.platform == "win32":
        pytest.skip("no limit can be set")
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=100)
    assert "memory" in found.stdout, found.stderr[-2000:]


@pytest.mark.parametrize("name", ["eye", "zeros", "range", "constant", "TensorArray"])
def test_what_is_made_at_once_is_under_the_limit_too(name):
    with tf.config.limits(bytes=1000), pytest.raises(ResourceExhaustedError, match="the limit is 1000"):
        MAKERS[name](1000)
