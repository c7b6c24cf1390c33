"""The pool that programs give work to."""

import threading
import time

import numpy as np
import pytest

from graphrt.executor import threads


def test_work_runs_side_by_side_in_order_and_in_the_callers_context():
    meeting = threading.Barrier(2, timeout=20)

    def work(n):
        meeting.wait()
        return n, threads.is_worker(), np.geterr()["over"]

    with np.errstate(over="ignore"):
        assert threads.side_by_side(work, [(1,), (2,)]) == [(1, True, "ignore"), (2, False, "ignore")]


@pytest.mark.parametrize("bad", [0, 1, 2])
def test_an_error_comes_after_all_have_ended(bad):
    ended = []

    def work(n):
        if n == bad:
            raise ValueError(n)
        time.sleep(0.02)
        ended.append(n)

    with pytest.raises(ValueError, match=str(bad)):
        threads.side_by_side(work, [(0,), (1,), (2,)])
    assert sorted(ended) == sorted({0, 1, 2} - {bad})


def test_a_setting_of_0_is_left_to_the_machine():
    setting = threads.Setting()
    assert setting.number() == threads.processors() >= 1
    setting.chosen = 5
    assert setting.number() == 5
