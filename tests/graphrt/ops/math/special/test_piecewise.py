"""Functions by pieces are those of their parts, whatever the size of the blocks."""

import numpy as np

from graphrt.ops.math.special.piecewise import fitted, in_blocks, poly, put, split


def test_a_fit_is_as_precise_as_its_values():
    x = np.linspace(0.0, 8.0, 30_001)
    np.testing.assert_allclose(fitted(np.exp, 0.0, 8.0, 0.5)(x), np.exp(x), rtol=3e-15)
    np.testing.assert_allclose(fitted(np.cos, 0.0, 8.0, 0.5)(x), np.cos(x), atol=2e-15)
    small = np.linspace(0.0, 0.01, 101)
    np.testing.assert_allclose(fitted(np.sqrt, 1.0, 1.01)(1 + small), np.sqrt(1 + small), rtol=2e-15)


def test_values_are_asked_for_once():
    asked = []
    function = fitted(lambda v: asked.append(v.size) or v * v, -1.0, 1.0, 0.5)
    assert not asked
    for _ in range(2):
        np.testing.assert_allclose(function(np.array([-1.0, 0.3, 1.0])), [1.0, 0.09, 1.0], rtol=1e-15)
    assert len(asked) == 1


def test_blocks_are_the_whole():
    x = np.random.default_rng(0).standard_normal(20_000)
    sizes = []

    @in_blocks
    def cube(v):
        sizes.append(v.size)
        return v**3

    np.testing.assert_array_equal(cube(x), x**3)
    assert max(sizes) < x.size and sum(sizes) == x.size
    assert cube(np.float64(2.0)) == 8.0


def test_arrays_of_more_dimensions_are_their_elements():
    near_and_far = in_blocks(lambda v: split(v, 1.0, np.sqrt, np.square))
    x = np.array([[[0.25, 3.0], [4.0, 0.01]], [[9.0, 0.49], [np.nan, 1.0]]])
    expected = np.array([[[0.5, 9.0], [16.0, 0.1]], [[81.0, 0.7], [np.nan, 1.0]]])
    np.testing.assert_allclose(near_and_far(x), expected)


def test_parts_go_their_own_ways():
    x = np.array([0.0, 1.0, 2.0, np.nan])
    np.testing.assert_array_equal(split(x, 1.0, lambda v: v - 1, lambda v: v * 10), [-1.0, 10.0, 20.0, np.nan])
    found = np.zeros(4)
    put(found, x > 5, x, lambda v: v / 0)
    put(found, x == x, x, np.negative)
    np.testing.assert_array_equal(found, [0.0, -1.0, -2.0, 0.0])
    np.testing.assert_array_equal(poly(np.array([2.0, 3.0]), 1, 0, -1), [3.0, 8.0])
