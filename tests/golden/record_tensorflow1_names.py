"""Writes `graphrt/types/tensorflow1.txt`: the names that TensorFlow 1 had where TensorFlow 2 has none, and what took their place.

Run it with a Python that has tensorflow-cpu 2.20:  python -m tests.golden.record_tensorflow1_names
What took the place of a name is the same object by another name, else that of the same name in another namespace, else what
`PLACES` says.
"""

import os
import pathlib
import types

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import tensorflow as tf

from tests.golden.record_public_names import walk

TARGET = pathlib.Path(__file__).resolve().parents[2] / "graphrt" / "types" / "tensorflow1.txt"
INNER = {"compat", "core", "errors", "estimator", "keras", "lite", "python", "raw_ops", "tools", "tpu"}
NEAR = ["math", "nn", "linalg", "io", "strings", "debugging", "sparse", "image", "random", "quantization", "graph_util"]
OPTIMIZERS = {"GradientDescent": "SGD", "Momentum": "SGD"} | {
    n: n for n in ("Adadelta", "Adagrad", "Adam", "Ftrl", "RMSProp")
}
SCHEDULES = {
    "cosine_decay": "CosineDecay", "cosine_decay_restarts": "CosineDecayRestarts", "exponential_decay": "ExponentialDecay",
    "inverse_time_decay": "InverseTimeDecay", "piecewise_constant": "PiecewiseConstantDecay",
    "piecewise_constant_decay": "PiecewiseConstantDecay", "polynomial_decay": "PolynomialDecay",
}  # fmt: skip
LOSSES = {
    "absolute_difference": "MeanAbsoluteError", "hinge_loss": "Hinge", "huber_loss": "Huber", "log_loss": "BinaryCrossentropy",
    "mean_squared_error": "MeanSquaredError", "sigmoid_cross_entropy": "BinaryCrossentropy",
    "softmax_cross_entropy": "CategoricalCrossentropy", "sparse_softmax_cross_entropy": "SparseCategoricalCrossentropy",
}  # fmt: skip
METRICS = {
    "accuracy": "Accuracy", "auc": "AUC", "mean": "Mean", "mean_iou": "MeanIoU", "precision": "Precision", "recall": "Recall",
    "mean_absolute_error": "MeanAbsoluteError", "mean_squared_error": "MeanSquaredError",
    "root_mean_squared_error": "RootMeanSquaredError", "true_positives": "TruePositives",
}  # fmt: skip
PLACES = {
    "Session": "function", "InteractiveSession": "function", "placeholder": "function", "placeholder_with_default": "function",
    "train.MonitoredSession": "function", "train.MonitoredTrainingSession": "function",
    "get_variable": "Variable", "get_local_variable": "Variable", "variable_scope": "Module", "layers": "keras.layers",
    "make_template": "Module", "nn.rnn_cell": "keras.layers", "nn.dynamic_rnn": "keras.layers.RNN",
    "nn.static_rnn": "keras.layers.RNN", "nn.bidirectional_dynamic_rnn": "keras.layers.Bidirectional",
    "py_func": "numpy_function", "Print": "print", "set_random_seed": "random.set_seed", "random.set_random_seed":
    "random.set_seed", "sparse_to_dense": "sparse.to_dense", "string_to_number": "strings.to_number", "substr":
    "strings.substr", "string_split": "strings.split", "reduce_join": "strings.reduce_join", "multinomial":
    "random.categorical", "random.multinomial": "random.categorical", "div": "math.divide", "floor_div": "math.floordiv",
    "arg_max": "argmax", "arg_min": "argmin", "verify_tensor_all_finite": "debugging.assert_all_finite", "gfile": "io.gfile",
    "logging": "get_logger", "train.Saver": "train.Checkpoint", "train.summary_iterator": "data.TFRecordDataset",
    "io.tf_record_iterator": "data.TFRecordDataset", "TFRecordReader": "data.TFRecordDataset", "TextLineReader":
    "data.TextLineDataset", "train.batch": "data.Dataset", "train.shuffle_batch": "data.Dataset",
    "train.string_input_producer": "data.Dataset", "summary.FileWriter": "summary.create_file_writer",
    "nn.softmax_cross_entropy_with_logits_v2": "nn.softmax_cross_entropy_with_logits",
    "summary.merge_all": "summary.scalar", "saved_model.simple_save": "saved_model.save", "glorot_uniform_initializer":
    "keras.initializers.GlorotUniform", "glorot_normal_initializer": "keras.initializers.GlorotNormal",
    "truncated_normal_initializer": "keras.initializers.TruncatedNormal", "variance_scaling_initializer":
    "keras.initializers.VarianceScaling", "image.resize_images": "image.resize", "image.resize_bilinear": "image.resize",
    "image.resize_bicubic": "image.resize", "image.resize_nearest_neighbor": "image.resize", "image.resize_area":
    "image.resize", "sparse_matmul": "matmul", "data.make_one_shot_iterator": "data.Dataset", "random_poisson":
    "random.poisson", "to_float": "cast", "to_double": "cast", "to_int32": "cast", "to_int64": "cast", "to_bfloat16": "cast",
    "to_complex64": "cast", "to_complex128": "cast",
    **{f"train.{k}Optimizer": f"keras.optimizers.{v}" for k, v in OPTIMIZERS.items()},
    **{f"train.{k}": f"keras.optimizers.schedules.{v}" for k, v in SCHEDULES.items()},
    **{f"losses.{k}": f"keras.losses.{v}" for k, v in LOSSES.items()},
    **{f"metrics.{k}": f"keras.metrics.{v}" for k, v in METRICS.items()},
}  # fmt: skip
NOTHING = (str, int, float, bool, type(None), types.ModuleType)


def names(old, new, space, homes, found):
    """Adds the names of a namespace that only TensorFlow 1 had, as `(space, name, place)`."""
    for name in dir(old):
        if name.startswith("_") or name in INNER:
            continue
        value, path = getattr(old, name), f"{space}.{name}".lstrip(".")
        if isinstance(value, types.ModuleType) and hasattr(new, name):
            names(value, getattr(new, name), path, homes, found)
        elif not hasattr(new, name):
            same = None if isinstance(value, NOTHING) else homes.get(id(value))
            near = next((f"{s}.{name}" for s in NEAR if hasattr(getattr(tf, s), name)), "")
            found.append((space or "tf", name, PLACES.get(path) or same or near))


def main():
    homes = {}
    for space, values in walk().items():
        for name, value in values.items():
            path = f"{space}.{name}".lstrip(".")
            if not space.startswith("keras") and len(path) < len(homes.get(id(value), path + " ")):
                homes[id(value)] = path
    found = [("tf", "contrib", ""), ("tf", "estimator", "keras.Model")]
    names(tf.compat.v1, tf, "", homes, found)
    lines = {}
    for space, name, place in sorted(found):
        lines.setdefault(space, []).append(f"{name}={place}" if place else name)
    TARGET.write_text("".join(f"{space} {' '.join(line)}\n" for space, line in lines.items()))
    print(len(found), sum("=" in n for line in lines.values() for n in line))


if __name__ == "__main__":
    main()
