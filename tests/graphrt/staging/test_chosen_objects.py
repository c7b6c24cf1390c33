"""Tests of objects in a list at an index that only the running graph knows."""

import copy
from dataclasses import dataclass

import numpy as np
import pytest

import graphrt as tf
from autograph.errors import PythonOnlyConstructError
from graphrt import errors
from tests.graphrt.programs.comparing import plain


@dataclass
class Particle:
    x: float
    hits: int = 0

    def step(self, dt):
        self.x += dt
        if self.x > 2.0:
            self.x = 0.0
            self.hits += 1
        return self.x

    @property
    def twice(self):
        return self.x * 2 if self.x > 1.0 else self.x

    @twice.setter
    def twice(self, value):
        self.x = value / 2


class Holder:
    def __init__(self, x):
        self.of = Particle(x)
        self.rows = [x, x + 1]


def read_and_set(i):
    particles = [Particle(0.5), Particle(1.5)]
    one, other = particles[i], particles[1 - i]
    one.x += 1.0
    found = one.x, one.twice, other.step(0.75), other.hits
    particles[0].x -= 0.25
    other.x *= 10.0
    one.twice = one.x * 4
    if one.x > 3.0:
        other.x = 0.5
    else:
        one.hits = 7
    while one.x < 20.0:
        one.x += other.x + 1
    return found, [(p.x, p.hits) for p in particles], isinstance(one, Particle), type(one) is Particle, one.x, other.x


def in_loops(i):
    particles = [Particle(0.0), Particle(1.0), Particle(2.0)]
    for k in range(i + 4):
        particle = particles[k % 3]
        particle.step(1.5)
        if particle.hits > 0:
            particles[(k + 1) % 3].x += 0.25
    return [p.x for p in particles], [p.hits for p in particles]


def what_is_within(i):
    holders = [Holder(1.0), Holder(5.0)]
    holders[i].of.x += 10
    holders[i].rows.append(3.0)
    holders[1 - i].rows[0] = 7.0
    particle, weight = [(Particle(1.0), 0.5), (Particle(2.0), 0.25)][i]
    particle.x *= weight
    return [h.of.x for h in holders], [h.rows for h in holders], particle.x, holders[i].of.x, holders[-i].rows[i]


@pytest.mark.parametrize("program", [read_and_set, in_loops, what_is_within])
def test_as_python(program):
    for i in (0, 1):
        assert plain(tf.function(program)(tf.constant(i))) == plain(program(i))


def test_layers_and_modules_are_called():
    layers = [tf.keras.layers.Dense(1, kernel_initializer=kind) for kind in ("ones", "zeros")]
    x = tf.ones([1, 2])
    right = [layer(x).numpy().tolist() for layer in layers]

    class Scaled(tf.Module):
        def __init__(self, by):
            self.by = tf.Variable(by)

        @tf.function
        def __call__(self, x):
            self.by.assign_add(1.0)
            return x * self.by

    modules = [Scaled(1.0), Scaled(5.0)]
    found = tf.function(lambda i: (layers[i](x), modules[i](2.0)))
    assert [found(tf.constant(i))[0].numpy().tolist() for i in (0, 1)] == right
    assert found(tf.constant(1))[1].numpy() == 14.0
    assert [float(m.by) for m in modules] == [2.0, 7.0]


def test_gradients():
    def f(w, i):
        particles = [Particle(w), Particle(w * w)]
        particles[i].x *= 3
        return particles[0].x * particles[1].x

    for i in (0, 1):
        w = tf.constant(2.0)
        with tf.GradientTape() as tape:
            tape.watch(w)
            y = tf.function(f)(w, tf.constant(i))
        assert float(tape.gradient(y, w)) == 36.0


REFUSED = {
    "one == particles[0]": "which object this is",
    "str(one)": "which object this is",
    "f'{one}'": "which object this is",
    "copy.copy(one)": "which object this is",
    "delattr(one, 'x')": "which object this is",
    "setattr(one, 'new', 1)": "'new' is set of one of several objects, not all of which have it",
    "one is particles[1]": "whether two objects",
    "type([particles[0], Holder(1.0)][i])": "which class this is of",
}


@pytest.mark.parametrize(("expression", "text"), REFUSED.items())
def test_what_only_the_running_graph_knows_is_refused(expression, text, tmp_path):
    place = tmp_path / "program.py"
    place.write_text(
        f"def f(i):\n    particles = [Particle(0.0), Particle(1.0)]\n    one = particles[i]\n    return {expression}\n"
    )
    space = {"Particle": Particle, "Holder": Holder, "copy": copy}
    exec(compile(place.read_text(), str(place), "exec"), space)
    refusals = (errors.OperatorNotAllowedInGraphError, errors.SideEffectError, PythonOnlyConstructError)
    with pytest.raises(refusals, match=rf"{text}(.|\n)*program.py"):
        tf.function(space["f"])(tf.constant(1))


def test_an_index_outside():
    f = tf.function(lambda i: [Particle(0.0), Particle(1.0)][i].x)
    assert float(f(tf.constant(-1))) == 1.0
    with pytest.raises(errors.InvalidArgumentError, match="IndexError: list index out of range"):
        f(tf.constant(2))


def test_tensors_of_several_shapes_and_composites():
    @tf.function
    def f(i):
        ragged = [tf.ragged.constant([[1], [2, 3]]), tf.ragged.constant([[4, 5], [6]])]
        return [tf.constant([1, 2]), tf.constant([3])][i], ragged[i], (tf.ones([2, 1]), tf.zeros([1, 2]))[i]

    vector, ragged, matrix = f(tf.constant(1))
    assert (vector.numpy().tolist(), ragged.to_list(), matrix.numpy().tolist()) == ([3], [[4, 5], [6]], [[0.0, 0.0]])
    assert f(tf.constant(0))[0].numpy().tolist() == [1, 2]
    np.testing.assert_array_equal(f(tf.constant(-2))[2], np.ones([2, 1]))
