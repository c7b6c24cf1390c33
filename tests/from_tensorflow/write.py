"""Writes the files, with TensorFlow: `python -m tests.from_tensorflow.write FOLDER [NAME...]`."""

import os
import pathlib
import shutil
import sys
import traceback

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_USE_LEGACY_KERAS", "0")

import tensorflow as tf

from tests.from_tensorflow import checkpoints, graphs, saved_models, tensorflow1, values


def graph_case(name, folder):
    function, arguments = graphs.CASES[name]
    specs = [tf.TensorSpec(a.shape, tf.as_dtype(a.dtype) if a.dtype != object else tf.string) for a in arguments]
    traced = tf.function(lambda *given: function(tf, *given))
    concrete = traced.get_concrete_function(*specs)
    assert not concrete.captured_inputs, "captures"
    (folder / "graph.pb").write_bytes(concrete.graph.as_graph_def().SerializeToString())
    inputs = [t.name for t in concrete.inputs]
    outputs = [t.name for t in concrete.outputs]
    results = concrete(*[tf.constant(a) for a in arguments])
    names = [t.name for t in tf.nest.flatten(concrete.structured_outputs, expand_composites=True) if tf.is_tensor(t)]
    assert len(names) == len(outputs)
    values.write(folder / "case.json", {
        "kind": "graph", "inputs": inputs, "outputs": outputs, "given": [values.as_json(a) for a in arguments],
        "wanted": [values.as_json(a) for a in values.flat(tf, results)],
    })  # fmt: skip


def frozen_case(name, folder):
    from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2

    model, arguments = saved_models.MODELS[name](tf)

    @tf.function
    def call(*given):
        if not isinstance(model, tf.keras.Model):
            return model(*given)
        return model(given[0] if len(given) == 1 else list(given), training=False)

    concrete = convert_variables_to_constants_v2(
        call.get_concrete_function(*[tf.TensorSpec(a.shape, a.dtype) for a in arguments])
    )
    (folder / "graph.pb").write_bytes(concrete.graph.as_graph_def().SerializeToString())
    results = concrete(*[tf.constant(a) for a in arguments])
    values.write(folder / "case.json", {
        "kind": "graph", "inputs": [t.name for t in concrete.inputs], "outputs": [t.name for t in concrete.outputs],
        "given": [values.as_json(a) for a in arguments], "wanted": [values.as_json(a) for a in values.flat(tf, results)],
    })  # fmt: skip


def every_case():
    found = {f"graph-{name}": (graph_case, name) for name in graphs.CASES}
    found |= {f"frozen-{name}": (frozen_case, name) for name in saved_models.MODELS}
    found |= {f"saved-{name}": (saved_models.write_case, name) for name in saved_models.CASES}
    found |= {f"v1-{name}": (tensorflow1.write_case, name) for name in tensorflow1.CASES}
    found |= {f"checkpoint-{name}": (checkpoints.write_case, name) for name in checkpoints.CASES}
    return found


def main():
    root, names = pathlib.Path(sys.argv[1]), sys.argv[2:]
    for key, (write, name) in every_case().items():
        if names and not any(n in key for n in names):
            continue
        folder = root / key
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        try:
            tf.keras.backend.clear_session()
            write(name, folder)
        except Exception as error:
            (folder / "case.json").unlink(missing_ok=True)
            print(f"NOT WRITTEN {key}: {type(error).__name__}: {str(error)[:300]}", flush=True)
            if os.environ.get("TRACE"):
                traceback.print_exc()


if __name__ == "__main__":
    main()
