"""Records gradients under TensorFlow: `python record_gradients.py` with a Python that has it writes gradients.json."""

import json
import pathlib

import numpy as np
import tensorflow as tf

from tests.golden import gradient_cases, gradient_programs

HERE = pathlib.Path(__file__).parent


def weights(shape):
    return np.cos(np.arange(int(np.prod(shape)), dtype=np.float64) * 1.7 + 0.3).reshape(shape)


def plain(value):
    if value is None:
        return None
    return np.asarray(tf.convert_to_tensor(value)).tolist()


def programs():
    out = {}
    for program in gradient_programs.make(tf):
        try:
            staged = tf.function(program.function)
            xs = [tf.constant(p, tf.float64) for p in program.inputs]
            with tf.GradientTape() as tape:
                tape.watch(xs)
                results = [r for r in tf.nest.flatten(staged(*xs)) if r.dtype.is_floating]
            found = tape.gradient(
                results, [*xs, *program.variables], [tf.constant(weights(r.shape)) for r in results]
            )
            out[program.name] = {"values": [plain(r) for r in results], "gradients": [plain(g) for g in found]}
        except Exception as error:  # what TensorFlow refuses, or gets wrong, is recorded as such
            out[program.name] = {"error": type(error).__name__, "message": str(error).strip()[-200:]}
    return out


def main():
    golden = {"tensorflow": tf.__version__, "programs": programs(), "cases": gradient_cases.run(tf)}
    (HERE / "gradients.json").write_text(json.dumps(golden, indent=1) + "\n")


if __name__ == "__main__":
    main()
