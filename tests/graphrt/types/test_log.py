"""The logger is there when somebody has something to tell, or listens."""

import logging
import subprocess
import sys

from graphrt.types import log
from tests import ROOT


def test_the_logger_is_that_of_logging():
    assert log.logger() is logging.getLogger("graphrt")


def test_a_first_call_imports_no_logging():
    text = (
        "import sys, graphrt as tf; tf.function(lambda x: x + 1, autograph=False)(1); print('logging' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.split() == ["False"]


def test_somebody_may_listen():
    logger = logging.getLogger("graphrt")
    before = logger.level
    try:
        logger.setLevel("INFO")
        assert log.is_heard()
        logger.setLevel("ERROR")
        assert not log.is_heard()
    finally:
        logger.setLevel(before)
