"""Ten architectures of `tf.keras.applications`, with random weights, saved by TensorFlow and run here.

    python -m tests.golden.run_applications save DIR [NAME...]     with a Python that has TensorFlow
    python -m tests.golden.run_applications run DIR                with this library: compares, and prints the times of both

Times are processor time of one thread, the least of several calls: other work on the machine changes them little. The files take a
gigabyte, so they are not kept; the figures stand in docs/leaving_home.md.
"""

import json
import os
import pathlib
import sys
import time

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # threads of NumPy's that wait for each other count as work

import numpy as np

NAMES = {
    "MobileNetV2": 224, "ResNet50": 224, "EfficientNetB0": 224, "DenseNet121": 224, "InceptionV3": 299, "Xception": 299,
    "NASNetMobile": 224, "VGG16": 224, "ConvNeXtTiny": 224, "MobileNetV3Small": 224,
}  # fmt: skip


def image(size):
    return np.random.default_rng(0).random((1, size, size, 3), np.float32)


def timed(run, repeats=5):
    spent = []
    for _ in range(repeats):
        began = time.process_time()
        run()
        spent.append(time.process_time() - began)
    return min(spent)


def save(folder):
    import keras
    import tensorflow as tf

    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.config.threading.set_inter_op_parallelism_threads(1)
    for name in sys.argv[3:] or NAMES:
        size = NAMES[name]
        keras.utils.set_random_seed(1)
        model = getattr(keras.applications, name)(weights=None)
        for variable in model.weights:  # statistics, biases and scales that are not all 0 and 1
            if variable.name in ("moving_mean", "beta", "bias"):
                variable.assign(np.random.default_rng(2).normal(0, 0.05, variable.shape))
        tf.saved_model.save(model, str(folder / name))
        x = image(size)
        serve = tf.saved_model.load(str(folder / name)).signatures["serving_default"]
        (key,) = serve.structured_input_signature[1]
        result = next(iter(serve(**{key: tf.constant(x)}).values())).numpy()
        np.save(folder / f"{name}.npy", result)
        best = timed(lambda serve=serve, key=key, x=x: serve(**{key: tf.constant(x)}))
        (folder / f"{name}.json").write_text(json.dumps({"input": key, "best": best}))
        print(name, f"{best * 1000:.0f} ms", flush=True)


def run(folder):
    import graphrt as tf

    for name, size in NAMES.items():
        if not (folder / f"{name}.json").exists():
            continue
        theirs = json.loads((folder / f"{name}.json").read_text())
        began = time.perf_counter()
        serve = tf.saved_model.load(folder / name).signatures["serving_default"]
        loading = time.perf_counter() - began
        x = tf.constant(image(size))
        result = next(iter(serve(**{theirs["input"]: x}).values())).numpy()
        gap = float(np.abs(result - np.load(folder / f"{name}.npy")).max())
        best = timed(lambda serve=serve, theirs=theirs, x=x: serve(**{theirs["input"]: x}))
        print(
            f"| {name} | {loading:.1f} s | {gap:.1e} | {theirs['best'] * 1000:.0f} ms | {best * 1000:.0f} ms | "
            f"{best / theirs['best']:.1f} |", flush=True,
        )  # fmt: skip


if __name__ == "__main__":
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    {"save": save, "run": run}[sys.argv[1]](pathlib.Path(sys.argv[2]))
