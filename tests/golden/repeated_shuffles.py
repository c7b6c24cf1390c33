"""Which seeds the shuffles of a pipeline get from one iteration to the next: TensorFlow's answer in the JSON beside."""

import json
import pathlib


def pipelines(tf):
    """Name -> a function that makes a dataset of int64 scalars."""
    D = tf.data.Dataset
    i64 = lambda v: tf.constant(v, tf.int64)
    mk = lambda: D.range(6).shuffle(6, seed=43, reshuffle_each_iteration=True)
    rnd = lambda: D.random(seed=9, rerandomize_each_iteration=True).take(3)
    other = D.range(100, 103)
    one = lambda x: D.range(x, x + 1)
    return {
        "repeat": lambda: mk().repeat(1),
        "three times": lambda: mk().repeat(3),
        "twice": lambda: mk().repeat(2).repeat(2),
        "left early": lambda: mk().repeat(2).take(7),
        "second": lambda: other.concatenate(mk()).repeat(2),
        "first": lambda: mk().concatenate(other).repeat(2),
        "cache": lambda: mk().cache().repeat(2),
        "cached repeat": lambda: mk().repeat(2).cache(),
        "two shuffles": lambda: mk().shuffle(3, seed=1).repeat(2),
        "random": lambda: rnd().repeat(2),
        "zip": lambda: D.zip(mk(), mk()).map(lambda a, b: a * 10 + b).repeat(2),
        "short zip": lambda: D.zip(D.range(2), mk()).map(lambda a, b: a * 10 + b).repeat(2),
        "flat_map to": lambda: D.range(2).flat_map(lambda x: mk()).repeat(2),
        "flat_map of": lambda: mk().flat_map(one).repeat(2),
        "prefetch": lambda: mk().prefetch(2).repeat(2),
        "batch": lambda: mk().batch(2).unbatch().repeat(2),
        "empty": lambda: mk().take(0).repeat(2).concatenate(D.range(1)),
        "interleave": lambda: mk().interleave(one, cycle_length=2).repeat(2),
        "parallel interleave": lambda: mk().interleave(one, cycle_length=2, num_parallel_calls=2).repeat(2),
        "parallel map": lambda: mk().map(lambda x: x, num_parallel_calls=2).repeat(2),
        "parallel map, batch": lambda: mk().map(lambda x: x, num_parallel_calls=2).batch(2).unbatch().repeat(2),
        "skip": lambda: mk().skip(3).repeat(2),
        "forever": lambda: mk().repeat().take(14),
        "shard": lambda: mk().shard(2, 0).repeat(2),
        "window": lambda: mk().window(2).flat_map(lambda w: w).repeat(2),
        "groups": lambda: mk().group_by_window(lambda x: x % 2, lambda k, w: w.batch(3), 3).unbatch().repeat(2),
        "sample": lambda: D.sample_from_datasets([mk(), other], [0.5, 0.5], seed=4).repeat(2),
        "choose": lambda: D.choose_from_datasets([mk(), other], D.from_tensor_slices(i64([0, 1, 0, 0]))).repeat(2),
        "shuffled again": lambda: mk().repeat(2).shuffle(5, seed=2).repeat(2),
        "batched repeat": lambda: mk().repeat(2).batch(5).unbatch().repeat(2),
    }


def run(tf):
    """Name -> the elements of three iterations."""
    return {name: [[int(x) for x in d] for d in [make()] * 3] for name, make in pipelines(tf).items()}


if __name__ == "__main__":
    import tensorflow

    lines = [f"{json.dumps(k)}: {json.dumps(v)}" for k, v in run(tensorflow).items()]
    pathlib.Path(__file__).with_suffix(".json").write_text("{\n" + ",\n".join(lines) + "\n}\n")
