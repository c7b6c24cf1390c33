"""Records in saved_datasets what TensorFlow's `Dataset.save` writes, and in saved_datasets.json what it reads from there.

python -m tests.golden.record_saved_datasets      (with an interpreter that has TensorFlow)
"""

import json
import pathlib
import shutil

import numpy as np
import tensorflow as tf

HERE = pathlib.Path(__file__).parent
Data = tf.data.Dataset
DATASETS = {
    "texts": (lambda: Data.from_tensor_slices((np.float32([[1, 2], [3, 4]]), np.array(["a", "bc"]), [[1, 2], [3, 4]])), None),
    "nested": (lambda: Data.from_tensor_slices({"x": np.arange(3), "y": (np.arange(3.0), [True, False, True])}), "GZIP"),
    "ragged": (lambda: Data.from_tensors((tf.ragged.constant([[1, 2], [], [3]]), tf.ragged.constant(["a", "b"]))), None),
    "sparse": (lambda: Data.from_tensor_slices(tf.sparse.from_dense([[0, 1], [2, 0]])), "SNAPPY"),
    "repeated": (lambda: Data.from_tensors(np.tile(np.arange(50, dtype=np.int16), 8)).repeat(3), "SNAPPY"),
    "none": (lambda: Data.range(0), None),
    "lengths": (lambda: Data.range(4).map(tf.range), None),
}  # fmt: skip


def plain(value):
    if isinstance(value, (dict, tuple)):
        return [plain(v) for v in (value.values() if isinstance(value, dict) else value)]
    if isinstance(value, tf.RaggedTensor):
        found = value.to_list()
    else:
        found = (tf.sparse.to_dense(value) if isinstance(value, tf.SparseTensor) else value).numpy()
        found = found.tolist() if isinstance(found, np.ndarray) else found
    return json.loads(json.dumps(found, default=lambda v: v.decode() if isinstance(v, bytes) else v.item()))


def main():
    found = {}
    shutil.rmtree(HERE / "saved_datasets", ignore_errors=True)
    for name, (build, compression) in DATASETS.items():
        build().save(str(HERE / "saved_datasets" / name), compression=compression)
        found[name] = [plain(element) for element in build()]
    path = str(HERE / "saved_datasets" / "shards")
    Data.range(5).save(path, shard_func=lambda x: x % 2)
    found["shards"] = [plain(element) for element in Data.load(path)]
    lines = ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in found.items())
    (HERE / "saved_datasets.json").write_text(f"{{\n{lines}\n}}\n")


if __name__ == "__main__":
    main()
