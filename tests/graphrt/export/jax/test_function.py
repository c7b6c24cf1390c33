"""Traced functions as functions of JAX, and `jit_compile="xla"`.

Covers: graphrt/export/jax/function.py, graphrt/export/jax/backend.py, graphrt/export/jax/package.py,
graphrt/export/jax/replay.py, graphrt/export/jax/rules/control_flow.py, graphrt/export/jax/rules/lists.py
"""

import os
import re
import subprocess
import sys

import numpy as np
import pytest

import graphrt as tf
from tests import ROOT

jax = pytest.importorskip("jax")
jnp = jax.numpy

X = np.array([[1.0, -2.0, 3.0], [0.5, 0.25, -1.0]], np.float32)


def concrete(function, *specs):
    return tf.function(function).get_concrete_function(*specs)


def same(found, wanted):
    wanted = [w.numpy() for w in tf.nest.flatten(wanted)]
    for a, b in zip(jax.tree_util.tree_leaves(found), wanted, strict=True):
        assert np.asarray(a).dtype == b.dtype
        np.testing.assert_allclose(np.asarray(a), b, rtol=1e-5, atol=1e-5)


def branches(x):
    if tf.reduce_sum(x) > 0.0:
        y = x * 2.0
    elif tf.reduce_max(x) > -1.0:
        y = x - 1.0
    else:
        y = -x
    return {"y": y, "s": tf.switch_case(tf.cast(x[0, 0], tf.int32), [lambda: x, lambda: x + 1.0, lambda: x * x])}


def open_loop(x):
    steps = 0
    while tf.reduce_sum(tf.abs(x)) > 0.1:
        x = x * 0.5
        steps += 1
    return x, steps


def rows(x):
    out = tf.TensorArray(tf.float32, 3)
    state = tf.zeros([2])
    for i in tf.range(3):
        state = tf.tanh(state + x[:, i])
        out = out.write(i, state if i % 2 == 0 else -state)
    return out.stack(), state


def functional(x):
    return tf.map_fn(lambda r: r * tf.reduce_max(r), x), tf.scan(lambda a, r: a + r, x), tf.cumsum(x, 1)


@tf.function
def helper(a, b):
    return a * b + 1.0


def calls(x):
    return helper(x, helper(x, x)), tf.argmax(x, 1), tf.cast(x, tf.float64) * 2


@pytest.mark.parametrize("function", [branches, open_loop, rows, functional, calls])
@pytest.mark.parametrize("sign", [1.0, -0.1])
def test_programs_give_what_graphrt_gives(function, sign):
    x = X * np.float32(sign)
    traced = concrete(function, tf.TensorSpec([2, 3]))
    same(tf.export.to_jax(traced)(x), traced(tf.constant(x)))


@pytest.mark.parametrize("function", [rows, lambda x: branches(x)["y"], lambda x: tf.nn.softmax(x @ tf.transpose(x))])
def test_gradients(function):
    def total_of(x):
        return tf.reduce_sum(tf.nest.flatten(function(x))[0] ** 2)

    traced = concrete(total_of, tf.TensorSpec([2, 3]))
    x = tf.constant(X)
    with tf.GradientTape() as tape:
        tape.watch(x)
        total = tf.function(total_of)(x)
    same(jax.jit(jax.grad(tf.export.to_jax(traced)))(X), tape.gradient(total, x))


def test_vmap_and_shapes_that_are_open():
    f = tf.export.to_jax(concrete(lambda x: tf.reshape(x, [-1, tf.shape(x)[0]]), tf.TensorSpec([None, None])))
    assert f(X).shape == (3, 2)
    assert jax.vmap(f)(np.stack([X, X])).shape == (2, 3, 2)


def test_variables_are_passed_and_given_back():
    v = tf.Variable([1.0, 2.0])

    def step(x):
        v.assign_add(x)
        return tf.reduce_sum(v * x)

    f = tf.export.to_jax(concrete(step, tf.TensorSpec([2])))
    with pytest.raises(ValueError, match="assigns variables"):
        f(X[0, :2])
    result, (after,) = jax.jit(f.with_variables)(f.variables, np.ones(2, np.float32))
    assert float(result) == 5.0
    assert after.tolist() == [2.0, 3.0]
    assert v.numpy().tolist() == [1.0, 2.0]
    with pytest.raises(TypeError, match="takes 1 arrays and has 1 variables, got 0 and 1"):
        f.with_variables(f.variables)


def test_what_has_no_counterpart_is_listed_before_anything_runs():
    def f(x):
        tf.print("hello")
        return tf.strings.as_string(x), tf.random.uniform([2])

    with pytest.raises(tf.errors.UnimplementedError) as caught:
        tf.export.to_jax(concrete(f, tf.TensorSpec([])))
    text = str(caught.value)
    assert re.search(rf"PrintV2 \({re.escape(__file__)}:\d+\)", text)
    assert "AsString" in text
    assert "RandomUniform" in text


def test_shapes_that_values_decide_are_refused_with_the_line():
    f = tf.export.to_jax(concrete(lambda x, n: tf.reshape(x, n), tf.TensorSpec([4]), tf.TensorSpec([2], tf.int32)))
    with pytest.raises(tf.errors.UnimplementedError, match="the shape must follow from constants and shapes"):
        f(np.ones(4, np.float32), np.array([2, 2], np.int32))


def test_wide_types_inside_a_transformation_say_what_to_do():
    f = tf.export.to_jax(concrete(lambda x: x * 2, tf.TensorSpec([], tf.float64)))
    assert np.asarray(f(1.5)).dtype == np.float64
    with pytest.raises(tf.errors.InvalidArgumentError, match="jax_enable_x64"):
        jax.jit(f)(1.5)


def test_jit_compile():
    v = tf.Variable(3.0)

    @tf.function(jit_compile="xla")
    def f(x):
        v.assign_add(1.0)
        return {"sum": tf.reduce_sum(x) * v, "where": tf.argmax(x, 1)}

    for _ in range(2):
        result = f(tf.constant(X))
    assert v.numpy().item() == 5.0
    same(
        {k: r.numpy() for k, r in result.items()},
        {"sum": tf.constant(X.sum() * np.float32(5)), "where": tf.argmax(X, 1)},
    )


def test_a_step_over_eight_devices_is_the_step_over_one():
    page = (ROOT / "docs" / "scaling.md").read_text()
    (program,) = re.findall(r"```python needs jax\n(import os\n\nos.environ.\"XLA_FLAGS.*?)```", page, re.DOTALL)
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "JAX_PLATFORMS": "cpu"},
    )  # fmt: skip
    assert run.returncode == 0, run.stderr[-2000:]
    assert run.stdout.splitlines() == ["8 devices", "the parameters agree"]


def in_steps(steps):
    def f(v):
        with tf.GradientTape() as tape:
            tape.watch(v)
            y = tf.reduce_sum(v)
            for _ in tf.range(steps):
                y = tf.sin(y) * 1.5
        return y, tape.gradient(y, v)

    return f


def test_gradients_of_loops_whose_turns_are_known():
    v = tf.constant([0.5, 1.0, 0.25])
    for steps in (0, 1, 7):
        same(tf.function(in_steps(steps), jit_compile="xla")(v), in_steps(steps)(v))


def test_second_gradients_of_loops():
    def f(x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = x
                for _ in tf.range(3):
                    y = y * y + x
            first = inner.gradient(y, x)
        return y, first, outer.gradient(first, x)

    x = tf.constant(0.75)
    found = tf.function(f, jit_compile="xla")(x)
    np.testing.assert_allclose([t.numpy() for t in found], [t.numpy() for t in tf.function(f)(x)], 1e-6)


def test_gradients_of_loops_of_too_many_turns_say_what_to_do():
    with pytest.raises(
        tf.errors.UnimplementedError, match="a list grows or shrinks in a loop of 1,000 turns.*at most 256"
    ):
        tf.function(in_steps(1000), jit_compile="xla")(tf.constant([0.5]))
    unknown = tf.function(lambda v, n: in_steps(n)(v), jit_compile="xla")
    with pytest.raises(tf.errors.UnimplementedError, match="an unknown number of turns"):
        unknown(tf.constant([0.5]), tf.constant(3))
