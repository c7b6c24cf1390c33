"""Records in training.json what TensorFlow gives for the programs docs/examples/train_*.py.

python tests/golden/record_training.py      (with an interpreter that has TensorFlow)
"""

import importlib
import json
import os
import pathlib
import sys

import tensorflow as tf

HERE = pathlib.Path(__file__).parent
os.environ["DIGITS"] = str(HERE.parent / "data" / "digits.npz")
sys.path.insert(0, str(HERE.parents[1] / "docs" / "examples"))
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
        found[name] = {"arguments": arguments, "gives": importlib.import_module(name).main(**arguments)}
    (HERE / "training.json").write_text(json.dumps(found, indent=1) + "\n")
