"""Keeps SavedModels and checkpoints as TensorFlow writes them: `python -m tests.golden.record_saved`, with TensorFlow."""

import base64
import io
import json
import os
import pathlib
import tempfile
import zipfile

import numpy as np

from tests.golden.saved_cases import CASES

OUT = pathlib.Path(__file__).parent / "saved_by_tensorflow.json"


def packed(folder):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(pathlib.Path(folder).rglob("*")):
            if path.is_file():
                archive.write(path, path.relative_to(folder))
    return base64.b64encode(data.getvalue()).decode()


def shown(value):
    if isinstance(value, dict):
        return {k: shown(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [shown(v) for v in value]
    if not hasattr(value, "numpy"):
        return value
    array = np.asarray(value.numpy())
    return [array.dtype.name, list(array.shape), [v.decode() if isinstance(v, bytes) else v for v in array.reshape(-1).tolist()]]


def main():
    import tensorflow as tf

    found = {}
    for name, make in CASES.items():
        made, calls = make(tf)
        with tempfile.TemporaryDirectory() as folder:
            tf.saved_model.save(made, os.path.join(folder, "saved"))
            tf.train.Checkpoint(model=made).write(os.path.join(folder, "checkpoint", "one"))
            data = packed(folder)
        results = [shown(getattr(made, f)(*tf.nest.map_structure(tf.constant, a[:1]), *a[1:], **k)) for f, a, k in calls]
        found[name] = {"files": data, "results": results}
    OUT.write_text(json.dumps(found, indent=0) + "\n")


if __name__ == "__main__":
    main()
