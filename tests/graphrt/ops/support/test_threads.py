"""The pool that programs give work to."""

import threading
import time

import numpy as np
import pytest

from graphrt.ops.support import threads


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


@pytest.mark.parametrize(("most", "parts"), [(0, 1), (1, 1), (2, 2), (9, 3)])
def test_parts_make_the_whole(most, parts, monkeypatch):
    monkeypatch.setattr(threads.INTRA, "chosen", 3)
    found = threads.in_parts(lambda start, end: list(range(start, end)), 8, most)
    assert len(found) == parts
    assert [n for part in found for n in part] == list(range(8))
    inner = threads.side_by_side(lambda: len(threads.in_parts(lambda *part: part, 8, 9)), [(), ()])
    assert inner == [1, 3]  # work that the pool does gives nothing to it
    assert threads.in_parts(lambda *part: part, 0, 9) == [(0, 0)]
