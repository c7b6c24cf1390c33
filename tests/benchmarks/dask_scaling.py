"""A model over more data than a worker may hold: `python -m tests.benchmarks.dask_scaling`, with Dask installed.

Prints what docs/scaling.md shows.
"""

import resource
import time

import dask.array as da
import numpy as np
from dask.distributed import Client, LocalCluster

import graphrt as tf
from graphrt.integrations.dask import map_blocks

ROWS, WIDTH, BLOCK = 1_000_000, 512, 20_000
LIMIT = "400MB"


def block(block_id=None):
    """Numbers that depend on the place of the block alone."""
    start = block_id[0] * BLOCK
    return np.random.default_rng(start).random((BLOCK, WIDTH), np.float32)


def main():
    numbers = np.random.default_rng(0)
    first = tf.Variable(numbers.standard_normal((WIDTH, 128)).astype(np.float32))
    last = tf.Variable(numbers.standard_normal((128, 10)).astype(np.float32))

    @tf.function(input_signature=[tf.TensorSpec([None, WIDTH])])
    def predict(x):
        return tf.argmax(tf.nn.relu(x @ first) @ last, 1)

    data = da.map_blocks(
        block, chunks=((BLOCK,) * (ROWS // BLOCK), (WIDTH,)), dtype=np.float32, meta=np.empty((0, 0), "f4")
    )
    print(f"data: {data.nbytes / 1e9:.1f} GB in {data.numblocks[0]} blocks; a worker may hold {LIMIT}")
    found = {}
    for workers in (1, 2):
        cluster = LocalCluster(
            n_workers=workers, threads_per_worker=1, processes=True, memory_limit=LIMIT, dashboard_address=None
        )  # fmt: skip
        with cluster, Client(cluster) as client:
            client.run(lambda: None)
            began = time.perf_counter()
            found[workers] = map_blocks(predict, data).compute()
            spent = time.perf_counter() - began
            peak = max(client.run(lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss).values()) / 1024
        print(
            f"{workers} worker(s): {spent:.1f} s, {data.nbytes / spent / 1e6:.0f} MB/s, at most {peak:.0f} MB in a worker"
        )
    begin = time.perf_counter()
    local = np.concatenate([
        predict(tf.constant(np.random.default_rng(at).random((BLOCK, WIDTH), np.float32))).numpy()
        for at in range(0, ROWS, BLOCK)
    ])  # fmt: skip
    print(f"this process, block by block: {time.perf_counter() - begin:.1f} s")
    print("equal:", all(np.array_equal(local, f) for f in found.values()))


if __name__ == "__main__":
    main()
