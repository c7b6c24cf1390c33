"""Records in keras.json what TensorFlow gives for the programs of keras_cases.py.

python -m tests.golden.record_keras      (with an interpreter that has TensorFlow)
"""

import json
import pathlib
import sys

import numpy as np
import tensorflow as tf

from tests.golden import keras_cases

HERE = pathlib.Path(__file__).parent


def plain(value):
    """As JSON: arrays with their shapes, floats with the digits of their dtype."""
    if isinstance(value, dict):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if isinstance(value, (np.ndarray, np.generic)):
        if value.dtype.kind == "f":
            flat = [float(f"{v:.7g}") for v in value.ravel().tolist()]
        else:
            flat = value.ravel().tolist()
        return {"shape": list(value.shape), "dtype": value.dtype.name, "values": flat}
    if isinstance(value, float):
        return float(f"{value:.8g}")
    return value


def main():
    wanted = sys.argv[1:]
    found = json.loads((HERE / "keras.json").read_text()) if wanted else {}
    for name, run in keras_cases.CASES.items():
        if wanted and name not in wanted:
            continue
        try:
            found[name] = plain(run(tf))
        except Exception as error:
            print(name, "fails:", repr(error)[:300])
            found.pop(name, None)
    text = ",\n".join(f"{json.dumps(k)}: {json.dumps(found[k])}" for k in sorted(found))
    (HERE / "keras.json").write_text("{" + text + "}\n")


if __name__ == "__main__":
    main()
