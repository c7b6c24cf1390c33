"""Records what TensorFlow gives for the calls in `calls/*.txt`.

Run it with a Python that has tensorflow-cpu 2.20:  python tests/golden/record_calls.py [NAME ...]
"""

import json
import os
import pathlib
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = ""
import tensorflow as tf  # noqa: E402

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE))
import calls_runner  # noqa: E402


def main():
    tf.get_logger().setLevel("ERROR")
    for path in sorted((HERE / "calls").glob("*.txt")):
        if len(sys.argv) > 1 and path.stem not in sys.argv[1:]:
            continue
        found = calls_runner.run(tf, path)
        rows = [f"{json.dumps(line)}: {json.dumps(value)}" for line, value in found.items()]
        path.with_suffix(".json").write_text("{\n" + ",\n".join(rows) + "\n}\n", encoding="utf-8")
        print(path.stem, len(found))


if __name__ == "__main__":
    main()
