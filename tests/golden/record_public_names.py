"""Records TensorFlow's public names by namespace, and which of them stand for one object.

Run it with a Python that has tensorflow-cpu 2.20:  python -m tests.golden.record_public_names
"""

import json
import os
import pathlib
import types

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import tensorflow as tf

PUBLIC = ("tensorflow._api.v2.", "tensorflow.experimental", "keras.", "keras._tf_keras.keras")
PRIVATE = ("keras.src", "tensorflow._api.v2.compat", "tensorflow._api.v2.__internal__", "keras.applications")


def is_namespace(value):
    name = getattr(value, "__name__", "")
    return isinstance(value, types.ModuleType) and name.startswith(PUBLIC) and not name.startswith(PRIVATE)


def walk():
    """Namespace -> name -> value."""
    found, todo = {}, [("", tf)]
    while todo:
        path, module = todo.pop()
        values = {n: getattr(module, n, None) for n in sorted(dir(module)) if not n.startswith("_")}
        todo += [(f"{path}.{n}".strip("."), v) for n, v in values.items() if is_namespace(v)]
        found[path] = {n: v for n, v in values.items() if not isinstance(v, types.ModuleType)}
    return found


def main():
    found = walk()
    same = {}
    for space, values in sorted(found.items()):
        for name, value in values.items():
            if callable(value) or isinstance(value, tf.DType):
                same.setdefault(id(value), []).append(f"{space}.{name}".strip("."))
    data = {
        "names": {space: sorted(values) for space, values in sorted(found.items()) if values},
        "one object": sorted(sorted(paths) for paths in same.values() if len(paths) > 1),
    }
    text = json.dumps(data, indent=0)
    pathlib.Path(__file__).with_name("public_names.json").write_text(text + "\n")
    print(len(data["names"]), sum(map(len, data["names"].values())), len(data["one object"]))


if __name__ == "__main__":
    main()
