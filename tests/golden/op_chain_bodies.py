"""What chains of raw ops give to ops besides tensors: functions, by name, and paths of files."""

from __future__ import annotations

from typing import NamedTuple


class Fn(NamedTuple):
    """The function `BODIES[name]` for arguments of these dtypes and shapes."""

    name: str
    specs: tuple


class PathOf(NamedTuple):
    """The path of a file in the folder of the chain."""

    name: str


def _range(tf, stop, start=0):
    return tf.raw_ops.RangeDataset(
        start=tf.constant(start, tf.int64), stop=stop, step=tf.constant(1, tf.int64), output_types=[tf.int64], output_shapes=[[]]
    )


def _batched(tf, key, window):
    shapes = {"output_types": [tf.int64], "output_shapes": [[None]]}
    return tf.raw_ops.BatchDatasetV2(input_dataset=window, batch_size=tf.constant(9, tf.int64), drop_remainder=False, **shapes)


def _raises(tf, x):
    with tf.control_dependencies([tf.debugging.assert_less(x, tf.constant(2, x.dtype))]):
        return tf.identity(x)


# name -> from a module with TensorFlow's names to the function
BODIES = {
    "same": lambda tf: lambda *x: x,
    "first": lambda tf: lambda *x: x[0],
    "plus one": lambda tf: lambda x: x + tf.ones([], x.dtype),
    "double": lambda tf: lambda x: x + x,
    "sum": lambda tf: lambda x, y: x + y,
    "swap": lambda tf: lambda x, y: (y, x),
    "is even": lambda tf: lambda x: tf.equal(x % 2, 0),
    "all even": lambda tf: lambda x: tf.reduce_all(tf.equal(x % 2, 0)),
    "below three": lambda tf: lambda *x: x[0] < tf.constant(3, x[0].dtype),
    "below": lambda tf: lambda x, y: x < y,
    "yes": lambda tf: lambda *x: tf.constant(True),
    "no": lambda tf: lambda *x: tf.constant(False),
    "a matrix of yes": lambda tf: lambda *x: tf.constant([[True]]),
    "a number": lambda tf: lambda *x: tf.constant(1),
    "is empty": lambda tf: lambda x: tf.equal(tf.size(x), 0),
    "is not empty": lambda tf: lambda x: tf.greater(tf.size(x), 0),
    "raises above one": lambda tf: lambda *x: _raises(tf, x[0]),
    "range": lambda tf: lambda x: _range(tf, x),
    "range or error": lambda tf: lambda x: _range(tf, _raises(tf, x)),
    "range from ten": lambda tf: lambda x: _range(tf, x + 10, 10),
    "no dataset": lambda tf: lambda x: x,
    "third": lambda tf: lambda x: x % 3,
    "one key": lambda tf: lambda x: x * 0,
    "batch": lambda tf: lambda key, window: _batched(tf, key, window),
    "window itself": lambda tf: lambda key, window: window,
    "two": lambda tf: lambda key: tf.constant(2, tf.int64),
    "key plus one": lambda tf: lambda key: key + 1,
    "none": lambda tf: lambda key: tf.constant(0, tf.int64),
    "zero": lambda tf: lambda *key: tf.constant(0, tf.int64),
    "zero and one": lambda tf: lambda key: (tf.constant(0, tf.int64), tf.constant(1, tf.int64)),
    "added and counted": lambda tf: lambda total, count, x: (total + x, count + 1),
    "total and count": lambda tf: lambda total, count: (total, count),
    "quotient": lambda tf: lambda total, count: total // count,
    "state and output": lambda tf: lambda state, x: (state + x, state * x),
    "grows": lambda tf: lambda state, x: (tf.concat([state, [x]], 0), tf.reduce_sum(state)),
    "joined": lambda tf: lambda state, x: tf.strings.join([state, x]),
    "of two": lambda tf: lambda x, y: (x + 1, y + tf.cast(x, y.dtype)),
    "first below": lambda tf: lambda x, y: x < tf.constant(4, x.dtype),
    "wide": lambda tf: lambda x: tf.concat([x, x], 0),
    "narrow": lambda tf: lambda x: tf.size(x) < 9,
    "quiet": lambda tf: lambda: None,
    "constants": lambda tf: lambda: (tf.constant(7), tf.constant([b"a\x00", b""])),
    "negated": lambda tf: lambda x: tf.logical_not(x),
    "upper": lambda tf: lambda x: tf.strings.upper(x),
    "length": lambda tf: lambda x: tf.strings.length(x),
    "square root": lambda tf: lambda x: tf.sqrt(x),
}  # fmt: skip
