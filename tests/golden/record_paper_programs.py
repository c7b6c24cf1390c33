"""Records what TensorFlow computes with `paper_programs.py`: `python -m tests.golden.record_paper_programs`."""

import json
import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

from tests import ROOT
from tests.golden import published_programs  # noqa: F401  # which enters its programs
from tests.golden.paper_programs import PROGRAMS, numbers

if __name__ == "__main__":
    import numpy
    import tensorflow

    found = {name: numbers(tensorflow, numpy, name) for name in PROGRAMS}
    (ROOT / "tests/golden/paper_programs.json").write_text(json.dumps(found, indent=0) + "\n")
