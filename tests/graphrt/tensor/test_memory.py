"""Freed memory stays with the process: a program that makes large arrays does not ask for each page again."""

import platform
import subprocess
import sys

import numpy as np
import pytest

from graphrt.tensor.memory import keep_freed_memory
from tests import ROOT

FAULTS = """
import resource
import numpy as np
import graphrt as tf
from graphrt.tensor.memory import keep_freed_memory

keep_freed_memory()
f = tf.function(lambda x: tf.reduce_sum(tf.sort(x * 2.0) + tf.sort(x * 3.0)))
x = tf.constant(np.arange(1 << 20, dtype=np.float32))  # 4 MiB: 1,024 pages
f(x)
f(x)
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(5):
    f(x)
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="other C libraries have rules of their own")
def test_large_arrays_take_no_new_pages():
    # a process of its own: where another one has forked, pages are taken anew whatever the allocator does
    ran = subprocess.run([sys.executable, "-c", FAULTS], capture_output=True, text=True, check=True, cwd=ROOT)
    assert int(ran.stdout) < 1024


def test_where_memory_is_limited_nothing_happens(monkeypatch):
    def refused(*_):
        raise MemoryError

    monkeypatch.setattr(np, "empty", refused)
    keep_freed_memory()
