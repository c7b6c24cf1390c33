"""Records TensorFlow's public names and signatures, to compare ours with.

Run it with a Python that has tensorflow-cpu 2.20:  python -m tests.golden.record_api
"""

import inspect
import json
import os
import pathlib

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import tensorflow as tf

SPACES = ["", "math", "linalg", "nn", "random", "strings", "bitwise", "debugging", "errors", "config", "nest", "io",
          "signal", "image", "sets", "dtypes", "types.experimental", "autograph", "autograph.experimental", "data",
          "experimental", "raw_ops"]


def signature(value):
    try:
        return [p.name for p in inspect.signature(value).parameters.values()]
    except (TypeError, ValueError):
        return None


def main():
    data = {}
    for space in SPACES:
        module = tf
        for part in space.split(".") if space else []:
            module = getattr(module, part)
        names = {}
        for name in sorted(n for n in dir(module) if not n.startswith("_")):
            value = getattr(module, name)
            kind = "class" if inspect.isclass(value) else "function" if callable(value) else type(value).__name__
            if space == "raw_ops":
                names[name] = signature(value)
            elif kind != "module":
                names[name] = [kind, signature(value)]
        data[space] = names
    path = pathlib.Path(__file__).with_name("api.json")
    path.write_text(json.dumps(data, indent=0, sort_keys=True) + "\n")


if __name__ == "__main__":
    main()
