"""Published NumPy programs, decorated and nothing else: NumPy's results, with loops and branches in the graph."""

import numpy as np
import pytest

import graphrt as tf
from tests.graphrt.programs import numpy_programs


def types_in(graph):
    """The node types of a graph and of the graphs in it."""
    found = set()
    for node in graph.nodes:
        found.add(node.type)
        for value in node.attrs.values():
            for inner in value if isinstance(value, list) else [value]:
                if hasattr(inner, "nodes"):
                    found |= types_in(inner)
    return found


@pytest.mark.parametrize("program", list(numpy_programs.PROGRAMS), ids=lambda p: p.__name__)
def test_equals_numpy(program):
    arguments, node = numpy_programs.PROGRAMS[program]
    wanted = program(*[np.copy(a) if np.ndim(a) else a for a in arguments])
    given = [a if type(a) in (int, float) else tf.constant(a) for a in arguments]
    concrete = tf.function(program).get_concrete_function(*given)
    found = concrete(*[a for a in given if isinstance(a, tf.Tensor)])
    for ours, theirs in zip(tf.nest.flatten(found), tf.nest.flatten(wanted), strict=True):
        np.testing.assert_allclose(np.asarray(ours), theirs, rtol=1e-9, atol=1e-9)
    assert any(node in t for t in types_in(concrete.graph))


def test_a_number_before_a_loop_takes_the_width_that_the_loop_needs():
    @tf.function
    def total(xs):
        found, count = 0.0, 0
        for x in xs:
            found += x
            count += 1
        return found, count

    wide, count = total(tf.constant([0.1, 0.2], tf.float64))
    assert (wide.dtype, count.dtype) == (tf.float64, tf.int32)
    assert wide.numpy() == 0.1 + 0.2
    assert total(tf.constant([0.5]))[0].dtype is tf.float32


def test_a_loop_that_fits_no_width_tells_of_the_first_mistake():
    @tf.function
    def f(xs):
        found = 0.0
        for x in xs:
            found += x
        return found

    with pytest.raises(TypeError, match="int32.*float32|float32.*int32"):
        f(tf.constant([1, 2]))


def test_arrays_of_symbolic_numbers():
    @tf.function
    def rotation(angle):
        c, s = np.cos(angle), np.sin(angle)
        return np.array([[c, -s], [s, c]]), np.array([angle, 1.0]), np.asarray(angle)

    found = rotation(tf.constant(0.5, tf.float64))
    np.testing.assert_allclose(found[0], [[np.cos(0.5), -np.sin(0.5)], [np.sin(0.5), np.cos(0.5)]])
    assert (found[1].numpy().tolist(), found[2].numpy()) == ([0.5, 1.0], 0.5)


def test_an_array_is_only_updated_by_a_tensor_where_its_name_takes_the_result():
    @tf.function
    def ok(x):
        out = np.zeros(2, np.float32)
        out += x
        out[0] = x[1]
        out[1:] *= x[1:]
        return out

    assert ok(tf.constant([1.0, 3.0])).numpy().tolist() == [3.0, 9.0]

    @tf.function
    def lost(x):
        out = np.zeros(2, np.float32)
        np.add(out, x, out=out)
        return out

    with pytest.raises(TypeError, match="cannot write"):
        lost(tf.constant([1.0, 3.0]))
