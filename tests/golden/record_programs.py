"""Records what TensorFlow gives for `programs.py`: results, and everything printed.

Run it with a Python that has tensorflow-cpu 2.20:  python -m tests.golden.record_programs
"""

import contextlib
import io
import json
import os
import pathlib
import re
import sys
import tempfile

from tests.golden import programs

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import tensorflow as tf


@contextlib.contextmanager
def captured_stderr():
    """tf.print writes to the file descriptor, past sys.stderr."""
    sys.stderr.flush()
    with tempfile.TemporaryFile("w+") as file:
        saved = os.dup(2)
        os.dup2(file.fileno(), 2)
        box = {}
        try:
            yield box
        finally:
            sys.stderr.flush()
            os.dup2(saved, 2)
            os.close(saved)
            file.seek(0)
            box["text"] = file.read()


def run(function):
    out = io.StringIO()
    with captured_stderr() as err, contextlib.redirect_stdout(out):
        result = programs.plain(function(tf))
    return {"result": result, "stdout": out.getvalue(), "stderr": re.sub(r"(?m)^WARNING:.*\n", "", err["text"])}


def main():
    data = {}
    for name, function in programs.PROGRAMS.items():
        try:
            data[name] = run(function)
        except (NotImplementedError, ValueError, TypeError) as error:
            # what TensorFlow refuses to trace must give what it gives eagerly
            tf.config.run_functions_eagerly(True)
            data[name] = run(function) | {"refused_by_tensorflow": str(error).strip().splitlines()[-1].strip()}
            tf.config.run_functions_eagerly(False)
    path = pathlib.Path(__file__).with_name("programs.json")
    path.write_text(json.dumps(data, indent=1, sort_keys=True) + "\n")
    print(f"{len(data)} programs recorded in {path}")


if __name__ == "__main__":
    main()
