"""Random pipelines, and what TensorFlow made of them (`random_pipelines.json`).

    TF_CPP_MIN_LOG_LEVEL=3 python -m tests.golden.random_pipelines

The number of a pipeline is the seed of everything in it.
"""

from __future__ import annotations

import json
import pathlib
import random

COUNT = 80


def beginning(tf, r):
    D = tf.data.Dataset
    i64 = lambda v: tf.constant(v, tf.int64)
    k = r.randrange(5)
    if k == 0:
        return D.range(r.randrange(0, 13))
    if k == 1:
        return D.range(r.randrange(-3, 4), r.randrange(0, 15), r.randrange(1, 4))
    if k == 2:
        return D.from_tensor_slices(i64([r.randrange(-5, 9) for _ in range(r.randrange(1, 9))]))
    if k == 3:
        return D.range(r.randrange(1, 5)).repeat(r.choice([1, 2, 3, -1])).take(11)
    return D.range(r.randrange(1, 4)).concatenate(D.range(r.randrange(1, 6)))


def step(tf, r, ds, depth=0):
    D = tf.data.Dataset
    i64 = lambda v: tf.constant(v, tf.int64)
    k = r.randrange(24)
    n = lambda a, b: r.randrange(a, b)
    if k == 0:
        c = n(1, 5)
        return ds.map(lambda x: x * c + 1)
    if k == 1:
        c = n(2, 4)
        return ds.filter(lambda x: x % c == 0)
    if k == 2:
        return ds.take(n(0, 9))
    if k == 3:
        return ds.skip(n(0, 5))
    if k == 4:
        return ds.repeat(n(1, 3))
    if k == 5:
        return ds.shuffle(n(1, 8), seed=n(0, 99), reshuffle_each_iteration=r.random() < 0.5)
    if k == 6:
        s = n(1, 5)
        return ds.shard(s, n(0, s))
    if k == 7:
        b = n(1, 4)
        return ds.batch(b, drop_remainder=r.random() < 0.5).unbatch()
    if k == 8:
        w, s, t, dr = n(1, 5), n(1, 5), n(1, 3), r.random() < 0.5
        return ds.window(w, s, t, dr).flat_map(lambda w: w)
    if k == 9:
        c = n(1, 4)
        b = n(1, 4)
        m = n(1, 4)
        return ds.interleave(
            lambda x: D.range(tf.math.floormod(x, i64(5)) * m),
            cycle_length=c,
            block_length=b,
            num_parallel_calls=r.choice([None, 2]),
        )
    if k == 10:
        return ds.flat_map(lambda x: D.range(tf.math.floormod(x, i64(4))))
    if k == 11:
        return ds.unique()
    if k == 12:
        return ds.prefetch(n(1, 4))
    if k == 13:
        return ds.cache()
    if k == 14:
        return ds.scan(i64(n(0, 5)), lambda s, x: (s + x, s * 2 - x))
    if k == 15:
        c = n(3, 30)
        return ds.take_while(lambda x: x < c)
    if k == 16:
        return ds.enumerate(n(0, 3)).map(lambda i, x: i * 10 + x)
    if k == 17 and depth < 2:
        return D.zip(ds, step(tf, r, beginning(tf, r), depth + 1)).map(lambda a, b: a * 3 - b)
    if k == 18 and depth < 2:
        return ds.concatenate(step(tf, r, beginning(tf, r), depth + 1))
    if k == 19:
        m, w = n(1, 4), n(1, 4)
        return ds.group_by_window(
            lambda x: tf.math.floormod(x, i64(m)), lambda k, e: e.batch(w), window_size=n(1, 5)
        ).unbatch()
    if k == 20:
        b = n(1, 4)
        return ds.padded_batch(b).map(lambda v: tf.reduce_sum(v) * 2 + tf.cast(tf.size(v), tf.int64))
    if k == 21 and depth < 2:
        return D.choose_from_datasets(
            [ds, step(tf, r, beginning(tf, r), depth + 1)],
            D.from_tensor_slices(i64([n(0, 2) for _ in range(9)])),
            stop_on_empty_dataset=r.random() < 0.5,
        )
    if k == 22:
        return ds.map(lambda x: x + 1, num_parallel_calls=n(1, 4))
    if k == 23 and depth < 2:
        return D.sample_from_datasets(
            [ds, step(tf, r, beginning(tf, r), depth + 1)],
            [0.3, 0.7],
            seed=n(0, 50),
            stop_on_empty_dataset=r.random() < 0.5,
        )
    return ds


def outcome(tf, seed):
    """Spec, cardinality and elements (twice) of pipeline number `seed`; or the class of its error."""
    r = random.Random(seed)
    try:
        ds = beginning(tf, r)
        for _ in range(r.randrange(1, 7)):
            ds = step(tf, r, ds)
        first, second = ([int(x) for x in ds.take(60).as_numpy_iterator()] for _ in range(2))
        return [str(ds.element_spec), int(ds.cardinality()), first, second]
    except Exception as error:
        return [type(error).__name__]


if __name__ == "__main__":
    import tensorflow

    target = pathlib.Path(__file__).with_name("random_pipelines.json")
    lines = [json.dumps(outcome(tensorflow, seed)) for seed in range(COUNT)]
    target.write_text("[\n" + ",\n".join(lines) + "\n]\n")
