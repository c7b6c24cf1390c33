"""Records what TensorFlow makes of `promotion_cases.py`: `python -m tests.golden.record_promotion`, a process for each mode."""

import json
import os
import subprocess
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

from tests import ROOT
from tests.golden.promotion_cases import EXPRESSIONS, MODES, result, table


def one(mode):
    import numpy as np
    import tensorflow as tf

    tnp = tf.experimental.numpy
    name, prefer = MODES[mode]
    tnp.experimental_enable_numpy_behavior(dtype_conversion_mode=name, prefer_float32=prefer)
    found = {"results": {e: result(tf, tnp, np, e) for e in EXPRESSIONS}}
    if name != "legacy":
        found["table"] = table(tf, tnp, np)
    print(json.dumps(found))


def main():
    run = [sys.executable, "-m", "tests.golden.record_promotion"]
    found = {m: json.loads(subprocess.run([*run, m], capture_output=True, check=True, text=True).stdout) for m in MODES}
    (ROOT / "tests/golden/promotion.json").write_text(json.dumps(found, indent=0, sort_keys=True) + "\n")


if __name__ == "__main__":
    one(sys.argv[1]) if sys.argv[1:] else main()
