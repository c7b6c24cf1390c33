"""Records what TensorFlow gives for the lines of `calls/**/*.txt`: see `runner.py`.

Run it with a Python that has tensorflow-cpu 2.20:  python -m tests.golden.record_calls [FILE or FOLDER ...]
"""

import os
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = ""
import tensorflow as tf

from tests.golden import runner


def main():
    tf.get_logger().setLevel("ERROR")
    for under in sys.argv[1:] or [None]:
        for name in runner.files(under):
            found = runner.run(tf, name)
            runner.write(name, found)
            print(name, len(found), flush=True)


if __name__ == "__main__":
    main()
