"""Records the events that TensorFlow writes for `summary_cases.py`: `python -m tests.golden.record_summaries`."""

import json
import tempfile

import tensorflow as tf

from tests import GOLDEN
from tests.golden import summary_cases


def main():
    returned, events = summary_cases.told(tf, tempfile.mkdtemp())
    text = json.dumps({"tensorflow": tf.__version__, "returned": returned, "events": events}, indent=0)
    (GOLDEN / "summaries.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
