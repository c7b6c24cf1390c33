"""Records tests/golden/composite_pipelines.json with TensorFlow.

    python -m tests.golden.record_composite_pipelines
"""

import json
import pathlib

import tensorflow as tf

from tests.golden.composite_pipelines import run

path = pathlib.Path(__file__).with_name("composite_pipelines.json")
path.write_text(json.dumps(run(tf), indent=1) + "\n")
