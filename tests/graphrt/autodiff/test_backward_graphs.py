"""Gradients of programs with control flow: analytic = finite differences, at once and in graphs, first and second order.

Covers: graphrt/control_flow/gradients.py, graphrt/autodiff/backward_graphs.py.
"""

import numpy as np
import pytest

import graphrt as tf
from tests import whole
from tests.golden import gradient_programs

PROGRAMS = gradient_programs.make(tf)
STEP = 1e-6


def flat(result):
    return [r for r in tf.nest.flatten(result) if r.dtype.is_floating]


def weights(shape):
    return np.cos(np.arange(int(np.prod(shape)), dtype=np.float64) * 1.7 + 0.3).reshape(shape)


def objective(function, point, program):
    results = run_at(function, point, program)
    return sum(float(np.sum(weights(np.shape(r)) * r)) for r in results)


def run_at(function, point, program):
    k = len(program.inputs)
    for variable, value in zip(program.variables, point[k:]):
        variable.assign(value)
    return [r.numpy() for r in flat(function(*(tf.constant(p) for p in point[:k])))]


def start(program):
    return [np.asarray(p, np.float64) for p in program.inputs] + [VALUES[id(v)] for v in program.variables]


VALUES = {id(v): v.numpy() for p in PROGRAMS for v in p.variables}


def numeric(function, program):
    point = start(program)
    out = []
    for i, value in enumerate(point):
        grad = np.zeros(np.shape(value))
        for at in np.ndindex(np.shape(value)):
            sides = []
            for sign in (1, -1):
                moved = [np.array(p) for p in point]
                moved[i][at] += sign * STEP
                sides.append(objective(function, moved, program))
            grad[at] = (sides[0] - sides[1]) / (2 * STEP)
        out.append(grad)
    run_at(function, point, program)
    return out


def seeds(results):
    return [tf.constant(weights(r.shape)) for r in results]


def analytic(function, program):
    xs = [tf.constant(p) for p in start(program)[: len(program.inputs)]]
    for variable in program.variables:
        variable.assign(VALUES[id(variable)])
    with tf.GradientTape() as tape:
        tape.watch(xs)
        results = flat(function(*xs))
    return tape.gradient(
        results, [*xs, *program.variables], output_gradients=seeds(results), unconnected_gradients="zero"
    )


def in_graph(function, program, by_tape=True):
    def whole(*xs):
        with tf.GradientTape() as tape:
            tape.watch(xs)
            results = flat(function(*xs))
        ws = [tf.cos(tf.reshape(tf.cast(tf.range(tf.size(r)), tf.float64), tf.shape(r)) * 1.7 + 0.3) for r in results]
        sources = [*xs, *program.variables]
        if by_tape:
            return tape.gradient(results, sources, output_gradients=ws, unconnected_gradients="zero")
        return tf.gradients(results, sources, ws, unconnected_gradients="zero")

    return tf.function(whole)


def check(found, wanted, what):
    assert len(found) == len(wanted)
    for i, (f, w) in enumerate(zip(found, wanted)):
        np.testing.assert_allclose(np.asarray(f), w, rtol=2e-5, atol=2e-6, err_msg=f"{what}, source {i}")


@pytest.mark.parametrize("program", whole.some(PROGRAMS, 80), ids=lambda p: p.name)
def test_first_order(program):
    staged = tf.function(program.function)
    if program.name == "stopped":
        check(analytic(program.function, program), [np.float64(2.0 * np.cos(0.3))], "eager")
        return
    wanted = numeric(staged, program)
    if not program.staged_only:
        check(analytic(program.function, program), wanted, "run at once")
    check(analytic(staged, program), wanted, "called under a tape")
    xs = [tf.constant(p) for p in start(program)[: len(program.inputs)]]
    check(in_graph(program.function, program)(*xs), wanted, "tape in the graph")
    check(in_graph(program.function, program, False)(*xs), wanted, "tf.gradients")


@pytest.mark.parametrize("program", whole.some((p for p in PROGRAMS if p.name != "stopped"), 40), ids=lambda p: p.name)
def test_second_order(program):
    staged = tf.function(program.function)
    point = start(program)
    directions = [np.sin(np.arange(p.size) + 1.0).reshape(p.shape) for p in point]

    def gradient_at(p):
        k = len(program.inputs)
        for variable, value in zip(program.variables, p[k:]):
            variable.assign(value)
        xs = [tf.constant(v) for v in p[:k]]
        with tf.GradientTape() as tape:
            tape.watch(xs)
            results = flat(staged(*xs))
        found = tape.gradient(results, [*xs, *program.variables], seeds(results), unconnected_gradients="zero")
        return [f.numpy() for f in found]

    moved = [gradient_at([p + s * 1e-5 * d for p, d in zip(point, directions)]) for s in (1, -1)]
    wanted = [(a - b) / 2e-5 for a, b in zip(*moved)]
    for variable in program.variables:
        variable.assign(VALUES[id(variable)])

    def product(function, xs):
        with tf.GradientTape() as outer:
            outer.watch(xs)
            with tf.GradientTape() as inner:
                inner.watch(xs)
                results = flat(function(*xs))
            sources = [*xs, *program.variables]
            ws = (
                seeds(results)
                if tf.executing_eagerly()
                else [
                    tf.cos(tf.reshape(tf.cast(tf.range(tf.size(r)), tf.float64), tf.shape(r)) * 1.7 + 0.3)
                    for r in results
                ]
            )
            grads = inner.gradient(results, sources, ws, unconnected_gradients="zero")
        return outer.gradient(grads, sources, [tf.constant(d) for d in directions], unconnected_gradients="zero")

    xs = [tf.constant(p) for p in point[: len(program.inputs)]]
    for what, found in (
        ("called under tapes", product(staged, xs)),
        ("tapes in the graph", tf.function(lambda *a: product(program.function, list(a)))(*xs)),
    ):
        for i, (f, w) in enumerate(zip(found, wanted)):
            np.testing.assert_allclose(np.asarray(f), w, rtol=1e-3, atol=1e-4, err_msg=f"{what}, source {i}")


def test_there_are_enough_programs():
    assert len(PROGRAMS) >= 120


# --- calls that cannot be run again ----------------------------------------------------------------------------------
def _with_effects(x, y):
    a = x[0]
    u = x * y
    COUNT.assign_add(1.0)
    kept = tf.TensorArray(tf.float64, 0, dynamic_size=True, clear_after_read=False, element_shape=[])
    for i in tf.range(3):
        kept = kept.write(i, tf.tanh(a + u[1]))
        a = a * 0.6 + kept.read(i) * 0.4
    u = u * 0.6 + kept.stack() * 0.3
    return tf.reduce_sum(u), a, tf.reduce_sum(u * u)


COUNT = tf.Variable(0.0)


@pytest.mark.parametrize("which", [0, 1, 2])
def test_gradients_of_some_outputs_of_a_function_with_effects(which):
    x, y = tf.constant([1.0, 2.0, 3.0], tf.float64), tf.constant([0.1, 0.2, 0.3], tf.float64)

    def gradients(function, sources):
        COUNT.assign(0.0)
        with tf.GradientTape() as outer:
            outer.watch([x, y])
            with tf.GradientTape() as tape:
                tape.watch([x, y])
                found = function(x, y)[which]
            first = tape.gradient(found, sources)
            of_first = tf.add_n([tf.reduce_sum(g * g) for g in first])
        assert COUNT.numpy() == 1
        return [*first, *outer.gradient(of_first, sources, unconnected_gradients="zero")]

    for sources in ([x], [y], [x, y]):
        for found, expected in zip(gradients(tf.function(_with_effects), sources), gradients(_with_effects, sources)):
            np.testing.assert_allclose(found, expected, rtol=1e-12)
