"""The pool that programs give work to; and what is divided between its threads is what one gives, to the last bit."""

import threading
import time

import numpy as np
import pytest

import graphrt as tf
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


def floats(*shape, dtype=np.float32):
    return tf.constant(np.random.default_rng(3).standard_normal(shape).astype(dtype))


CASES = {
    "softmax": lambda: tf.nn.softmax(floats(301, 700)),
    "softmax of a cube, float16": lambda: tf.nn.softmax(floats(7, 50, 500, dtype=np.float16)),
    "softmax along the first axis": lambda: tf.nn.softmax(floats(500, 400), axis=0),
    "softmax of one row": lambda: tf.nn.softmax(floats(200_000)),
    "log_softmax": lambda: tf.nn.log_softmax(floats(2, 301, 400)),
    "depthwise, one image": lambda: tf.nn.depthwise_conv2d(
        floats(1, 57, 56, 144), floats(3, 3, 144, 1), (1, 1, 1, 1), "SAME"
    ),
    "depthwise, five images, two filters each": lambda: tf.nn.depthwise_conv2d(
        floats(5, 30, 30, 64), floats(3, 3, 64, 2), (1, 2, 2, 1), "VALID"
    ),
    "resized": lambda: tf.image.resize(floats(5, 64, 64, 3), [97, 90]),
    "resized float64": lambda: tf.image.resize(floats(5, 64, 64, 3, dtype=np.float64), [30, 190], "bicubic"),
}


@pytest.mark.parametrize("case", CASES)
def test_threads_give_what_one_gives(case):
    before = tf.config.threading.get_intra_op_parallelism_threads()
    found = []
    try:
        for number in (1, 2, 3):
            tf.config.threading.set_intra_op_parallelism_threads(number)
            found.append([CASES[case]().numpy(), tf.function(CASES[case])().numpy()])
    finally:
        tf.config.threading.set_intra_op_parallelism_threads(before)
    for results in found:
        for result in results:
            assert result.dtype == found[0][0].dtype
            np.testing.assert_array_equal(result, found[0][0])
