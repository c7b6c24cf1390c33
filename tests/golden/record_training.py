"""Records in training.json what TensorFlow gives for the programs docs/examples/train_*.py.

python -m tests.golden.record_training      (with an interpreter that has TensorFlow)
"""

import json
import os
import pathlib
import runpy
import sys

import tensorflow as tf

HERE = pathlib.Path(__file__).parent
os.environ["DIGITS"] = str(HERE.parent / "data" / "digits.npz")
sys.modules["graphrt"] = tf

# program -> the arguments of the recorded run
RUNS = {
    "train_digits_loop": {"epochs": 5}, "train_digits_fit": {"epochs": 5, "verbose": 0},
    "train_lstm_sequence": {"epochs": 3, "count": 500, "verbose": 0}, "train_lbfgs": {}, "train_maml": {"steps": 40},
}  # fmt: skip

if __name__ == "__main__":
    found = {}
    for name, arguments in RUNS.items():
        tf.keras.backend.clear_session()
        found[name] = {"arguments": arguments, "gives": runpy.run_path(f"docs/examples/{name}.py")["main"](**arguments)}
    (HERE / "training.json").write_text(json.dumps(found, indent=1) + "\n")
