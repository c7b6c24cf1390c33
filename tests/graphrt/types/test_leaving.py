"""Blocks end, whatever keeps their end from being called."""

import contextlib
import contextvars
import gc
import itertools
import sys

import pytest

import graphrt as tf
from graphrt.types import leaving
from graphrt.types.leaving import Leaving


class Manager:
    __exit__ = Leaving()

    def __init__(self):
        self.depth = 0

    def entered(self):
        return self.depth

    def __enter__(self):
        if self.depth > 1:
            raise ValueError("full")
        self.depth += 1
        return self

    def leave(self):
        self.depth -= 1


def test_blocks_within_blocks():
    manager = Manager()
    with manager:
        with manager:
            assert manager.depth == 2
            with pytest.raises(ValueError, match="full"), manager:
                pass
            assert manager.depth == 2
        assert manager.depth == 1
    assert manager.depth == 0


def test_what_is_only_looked_up_leaves_nothing():
    manager = Manager()
    with manager:
        assert callable(manager.__exit__)
        assert manager.depth == 1
        manager.__exit__(None, None, None)
        assert manager.depth == 0
    assert manager.depth == 0


def test_stacks_of_blocks():
    manager = Manager()
    with contextlib.ExitStack() as stack:
        stack.enter_context(manager)
        stack.enter_context(manager)
        assert manager.depth == 2
    assert manager.depth == 0


def interrupted_at(moment, run):
    """Runs `run`, with KeyboardInterrupt at the `moment`th place where a function of Python's begins.

    Gives the error, with its traceback and all that this holds; None where there are fewer places.
    """
    left = [moment]
    seen = set()

    def trace(frame, event, arg):
        if frame.f_code.co_filename == __file__ and frame.f_code is not run.__code__:
            return trace  # only what stands behind the `with` statement
        if event == "call" and frame not in seen:  # a generator that is resumed is the same frame again
            seen.add(frame)
            left[0] -= 1
            if left[0] == 0:
                sys.settrace(None)
                seen.clear()
                raise KeyboardInterrupt
        return trace

    before = sys.gettrace()
    collecting = gc.isenabled()
    gc.disable()  # what the collector calls (a plugin's timer) swallows errors: the moment would be lost
    sys.settrace(trace)
    try:
        run()
    except KeyboardInterrupt as error:
        return error
    finally:
        sys.settrace(before)
        if collecting:
            gc.enable()
    return None


# the interpreter throws into generators that it drops, and a trace function cannot tell
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_interrupt_at_any_moment():
    manager, tape = Manager(), tf.GradientTape()
    scope, limits = tf.name_scope("a"), tf.config.limits(nesting=7)
    custom = tf.keras.utils.custom_object_scope({"relu": abs})
    forward = tf.autodiff.ForwardAccumulator(tf.constant(1.0), tf.constant(1.0))
    number = contextvars.ContextVar("number", default=0)
    for make in (lambda: manager, lambda: tape, lambda: scope, lambda: limits, lambda: custom, lambda: forward,
                 lambda: leaving.setting(number, 1), tf.init_scope, tf.GradientTape().__class__):  # fmt: skip
        kept = []
        for moment in itertools.count(1):
            one = make()

            def run(one=one):
                with one:
                    pass

            kept.append(interrupted_at(moment, run))
            if kept[-1] is None:
                break
            if hasattr(one, "entered"):
                assert one.entered() == 0
        assert len(kept) > 1
    assert number.get() == 0
    with tf.name_scope("b") as name:
        assert name == "b/"
    assert tf.config.limits.nesting == 100
    assert tf.keras.activations.get("relu") is not abs
    with tape:
        pass


def test_an_interrupt_at_any_moment_in_a_graph():
    @tf.function(autograph=False)
    def traced(x):
        kept = []
        for moment in itertools.count(1):
            scope, first = tf.name_scope("a"), tf.control_dependencies([tf.no_op()])

            def run(scope=scope, first=first):
                with scope, first:
                    pass

            kept.append(interrupted_at(moment, run))
            if kept[-1] is None:
                break
        assert len(kept) > 4
        with tf.name_scope("b") as name:
            assert name == "b/"
        return tf.identity(x)

    graph = traced.get_concrete_function(tf.TensorSpec([])).graph
    assert not any(edge.startswith("^") for node in graph.as_graph_def().node for edge in node.input)


def test_blocks_dropped_after_those_around_them_were_left():
    number = contextvars.ContextVar("number", default=0)
    with leaving.setting(number, 1):
        inner = leaving.setting(number, 2)
        inner.__enter__()
        assert number.get() == 2
    assert number.get() == 0
    del inner
    assert number.get() == 0


@pytest.mark.parametrize("value", [1, None])
def test_the_innermost_block_is_left_when_it_is_dropped(value):
    number = contextvars.ContextVar("number", default=0)
    with leaving.setting(number, 3):
        inner = leaving.setting(number, value)
        inner.__enter__()
        assert number.get() == value
        del inner
        assert number.get() == 3
    assert number.get() == 0
