"""Records what TensorFlow makes of `lookup_layer_cases.py`: `python -m tests.golden.record_lookup_layers`."""

import json
import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

from tests import ROOT
from tests.golden.lookup_layer_cases import CASES, result

if __name__ == "__main__":
    import tensorflow

    found = {case: result(tensorflow, case) for case in CASES}
    (ROOT / "tests/golden/lookup_layers.json").write_text(json.dumps(found, indent=0) + "\n")
