"""The backend is loaded by the first trace, from whichever thread it comes, and once."""

import pytest

from tests import fresh_process

LOADED = "print('graphrt.staging.backend' in sys.modules, [type(b).__name__ for b in registered_backends()])"
HEAD = f"""
import sys
import autograph, graphrt as tf
from autograph.backends import registered_backends
def told():
    {LOADED}
def f(x, n):
    total, xs = x * 0.0, []
    for i in tf.range(n):
        if i % 2 == 0:
            total += x
            xs.append(int(i))
    return total, math.sqrt(total), list(map(float, xs))
import math
"""
AT_FIRST = "False ['_BeforeTheFirstTrace']"
AFTERWARDS = "True ['GraphBackend']"

PROGRAMS = {
    "eager code": ("tf.constant(1.0) + 1.0; autograph.convert(lambda x: x)(3); told()", AT_FIRST),
    "a function": ("tf.function(f)(tf.constant(2.0), tf.constant(4)); told()", AFTERWARDS),
    "a graph": ("with tf.Graph().as_default():\n    autograph.convert(f)(tf.constant(2.0), tf.constant(4))\ntold()", AFTERWARDS),
    "a dataset": ("[*tf.data.Dataset.range(3).map(lambda v: v + 1 if v > 1 else v)]; told()", AFTERWARDS),
    "converted before": (
        "g = autograph.convert(f)\nassert g(2.0, 4)[0] == 4.0\nassert float(tf.function(g)(2.0, tf.constant(4))[1]) == 2.0\ntold()",
        AFTERWARDS,
    ),
    "a trace that fails": (
        "import contextlib\nwith contextlib.suppress(ZeroDivisionError):\n    tf.function(lambda: 1 / 0)()\ntold()", AFTERWARDS
    ),
    "threads": (
        "import threading\nsys.setswitchinterval(1e-6)\nmeet, given = threading.Barrier(12), []\n"
        "def work():\n    meet.wait()\n    given.append(float(tf.function(f)(tf.constant(2.0), tf.constant(4))[0]))\n"
        "threads = [threading.Thread(target=work) for _ in range(12)]\n"
        "[t.start() for t in threads]\n[t.join() for t in threads]\nassert given == [4.0] * 12\ntold()",
        AFTERWARDS,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_first_trace_loads_it(name, tmp_path):
    program, found = PROGRAMS[name]
    path = tmp_path / "program.py"
    path.write_text(HEAD + program + "\n")
    done = fresh_process.run("graphrt", path)
    assert (done.stdout.strip(), done.stderr) == (found, "")
