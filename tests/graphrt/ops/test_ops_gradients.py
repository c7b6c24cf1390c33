"""The gradient of every op that has one, first and second order, against differences: eagerly and in graphs."""

import re

import numpy as np
import pytest

import graphrt as tf
from graphrt.ir.op import REGISTRY, declare_all
from graphrt.types import structure
from tests import ROOT
from tests.graphrt.ops import gradient_samples as samples
from tests.graphrt.programs.test_numpy_programs import types_in

NAMES = [n for n in [*samples.SAMPLES, *samples.SINGLE] if n not in samples.NOT_COMPARED]


def scalar(y, order):
    """A number that depends on every element of `y`, each in its own way; not linear where second gradients are asked."""
    parts = []
    for k, leaf in enumerate(y if isinstance(y, (list, tuple)) else [y]):
        flat = tf.reshape(leaf, [-1])
        weights = tf.sin(tf.cast(tf.range(1, tf.size(flat) + 1), flat.dtype) * 1.3 + k) + 1.5
        parts.append(tf.reduce_sum(flat * weights))
        if order == 2:
            parts.append(0.5 * tf.reduce_sum(flat * flat * weights))
    return tf.add_n(parts)


def slope(f, xs, order):
    with tf.GradientTape() as tape:
        tape.watch(xs)
        y = scalar(f(*xs), order)
    return tape.gradient(y, xs, unconnected_gradients="zero")


def along(grads, directions):
    return tf.add_n([tf.reduce_sum(g * d) for g, d in zip(grads, directions)])


def curvature(f, xs, v):
    """The gradient of the slope along `v`."""
    with tf.GradientTape() as tape:
        tape.watch(xs)
        y = along(slope(f, xs, 2), v)
    return tape.gradient(y, xs, unconnected_gradients="zero")


def sample(name):
    single = name in samples.SINGLE
    f, *values = samples.SINGLE[name] if single else samples.SAMPLES[name]
    dtype = tf.float32 if single else tf.float64
    return f, values, dtype, (3e-3, 3e-2) if single else (1e-5, 2e-6)


def compare(found, wanted, tolerance):
    assert abs(found - wanted) <= tolerance * max(1.0, abs(wanted)), (found, wanted)


def directions(values, seed):
    rng = np.random.default_rng(seed)
    return [rng.standard_normal(np.shape(v)) for v in values]


@pytest.mark.parametrize("name", NAMES)
def test_first_and_second(name):
    f, values, dtype, (step, tolerance) = sample(name)

    def tensors(vs):
        return [tf.constant(v, dtype) for v in vs]

    xs = tensors(values)
    graph = tf.function(f, autograph=False).get_concrete_function(*xs).graph
    assert name in types_in(graph)  # the row is about the op it names
    v, d = directions(values, 1), directions(values, 2)

    def moved(sign):
        return tensors([a + sign * step * b for a, b in zip(values, d)])

    order = 1 if name in samples.NO_SECOND else 2

    def both_orders(*ts):
        ts = list(ts)
        second = [] if name in samples.NO_SECOND else curvature(f, ts, tensors(v))
        return slope(f, ts, order), second

    first, second = both_orders(*xs)
    wanted = (float(scalar(f(*moved(1)), order)) - float(scalar(f(*moved(-1)), order))) / (2 * step)
    compare(float(along(first, tensors(d))), wanted, tolerance)
    if name not in samples.NO_SECOND:
        sides = [float(along(slope(f, moved(s), 2), tensors(v))) for s in (1, -1)]
        compare(float(along(second, tensors(d))), (sides[0] - sides[1]) / (2 * step), 10 * tolerance)
    traced = tf.function(both_orders, autograph=False)(*xs)
    for later, now in zip(structure.flatten(traced), structure.flatten((first, second)), strict=True):
        np.testing.assert_allclose(
            later.numpy(),
            now.numpy(),
            rtol=1e-8 if dtype is tf.float64 else 1e-4,
            atol=1e-9 if dtype is tf.float64 else 1e-5,
        )


def test_no_op_with_a_gradient_is_left_out():
    import graphrt.ops.random.samplers  # noqa: F401
    from tests.ops_page import has_gradient

    declare_all()
    known = {*samples.SAMPLES, *samples.SINGLE, *samples.NOT_COMPARED}
    tests = ROOT / "tests/graphrt"
    text = "".join(p.read_text(encoding="utf-8") for p in sorted(tests.rglob("*.py")))  # or by name in another test
    named = set(re.findall(r"\b[A-Z]\w+", text))
    candidates = [n for n in REGISTRY if not n.startswith("_") and has_gradient(REGISTRY[n]) == "yes"]
    assert [n for n in candidates if n not in known | named] == []


@pytest.mark.parametrize("name", list(samples.NO_SECOND))
def test_where_there_is_no_second_gradient_it_is_said(name):
    f, values, dtype, _ = sample(name)
    xs = [tf.constant(v, dtype) for v in values]
    with pytest.raises(LookupError, match="[Gg]rad"):
        curvature(f, xs, [tf.ones_like(x) for x in xs])


def test_parts_of_variables():
    table = tf.Variable([[1.0, 2.0], [3.0, 4.0]], dtype=tf.float64)
    rows, cells = [1, 1, 0], [[0, 1], [1, 1]]
    for run in (lambda f: f(), lambda f: tf.function(f, autograph=False)()):

        def slopes():
            with tf.GradientTape(persistent=True) as tape:
                by_rows = scalar(tf.square(tf.gather(table, rows)), 1)
                by_cells = scalar(tf.square(tf.gather_nd(table, cells)), 1)
            return [tf.convert_to_tensor(tape.gradient(y, table)) for y in (by_rows, by_cells)]

        x = tf.constant(table)
        wanted = [
            slope(lambda t: tf.square(tf.gather(t, rows)), [x], 1)[0],
            slope(lambda t: tf.square(tf.gather_nd(t, cells)), [x], 1)[0],
        ]
        for found, w in zip(run(slopes), wanted):
            np.testing.assert_allclose(found.numpy(), w.numpy())


def test_prevent_gradient_prevents_it():
    with pytest.raises(LookupError, match="disabled"):
        slope(lambda x: tf.raw_ops.PreventGradient(input=x, message="no"), [tf.constant(1.0)], 1)


@pytest.mark.parametrize("name", [n for n in samples.NOT_COMPARED if n in samples.SAMPLES or n in samples.SINGLE])
def test_gradients_that_differences_cannot_see(name):
    f, values, dtype, _ = sample(name)
    found = slope(f, [tf.constant(v, dtype) for v in values], 1)
    assert np.abs(found[0].numpy()).max() > 0.5
