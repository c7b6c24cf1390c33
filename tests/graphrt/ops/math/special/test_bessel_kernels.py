"""Bessel functions satisfy what binds them together, over all the ways in which they are computed."""

import time

import numpy as np

from graphrt.ops.math.special import bessel_kernels as kernels

X = np.concatenate([np.geomspace(1e-12, 1e-3, 50), np.linspace(1e-3, 60.0, 3000), [4.0, 5.0, 12.0, 30.0, 40.0]])


def test_the_wronskians_hold():
    scaled = kernels.bessel_i0e(X) * kernels.bessel_k1e(X) + kernels.bessel_i1e(X) * kernels.bessel_k0e(X)
    np.testing.assert_allclose(scaled * X, 1.0, rtol=5e-14)
    found = kernels.bessel_j1(X) * kernels.bessel_y0(X) - kernels.bessel_j0(X) * kernels.bessel_y1(X)
    np.testing.assert_allclose(found * X * np.pi / 2, 1.0, rtol=1e-13)


def test_fresnel_functions_have_their_slopes():
    x, h = np.linspace(0.1, 5.9, 500), 1e-4
    for function, slope in ((kernels.fresnel_cos, np.cos), (kernels.fresnel_sin, np.sin)):
        found = (function(x - 2 * h) - 8 * function(x - h) + 8 * function(x + h) - function(x + 2 * h)) / (12 * h)
        np.testing.assert_allclose(found, slope(np.pi / 2 * x * x), atol=1e-9)


def test_integrals_have_their_slopes():
    for function, slope, x in (
        (kernels.dawsn, lambda v: 1 - 2 * v * kernels.dawsn(v), np.linspace(-12.0, 12.0, 2000)),
        (
            kernels.expint,
            lambda v: np.exp(v) / v,
            np.concatenate([np.linspace(-9.0, -0.1, 900), np.linspace(0.1, 9.0, 900)]),
        ),
    ):
        h = 1e-4
        found = (function(x - 2 * h) - 8 * function(x - h) + 8 * function(x + h) - function(x + 2 * h)) / (12 * h)
        np.testing.assert_allclose(found, slope(x), rtol=1e-9, atol=1e-9)


def test_values_on_both_sides_of_every_change_of_method():
    edges = np.array([0.25, 0.75, 1.0, 2.0, 6.0, 10.0, 30.0, 40.0])
    for name in kernels.__all__:
        function = getattr(kernels, name)
        below, above = function(np.nextafter(edges, 0)), function(edges)
        np.testing.assert_allclose(below, above, rtol=3e-14, atol=5e-15, err_msg=name)
    np.testing.assert_allclose(
        kernels.expint(np.array([-1.0, 1.0, 40.0])),
        [-0.21938393439552029, 1.8951178163559368, 6039718263611241.57],
        rtol=4e-15,
    )
    np.testing.assert_allclose(
        kernels.dawsn(np.array([0.5, 3.0, 20.0])),
        [0.4244363835020223, 0.17827103061055829, 0.02503136792640365],
        rtol=4e-15,
    )


def test_many_numbers_cost_little():
    x = np.linspace(0.01, 29.0, 100_000)
    kernels.bessel_y1(x[:10])  # the polynomials are found once
    started = time.process_time()
    for function in (kernels.bessel_i0, kernels.bessel_k1, kernels.bessel_j0, kernels.bessel_y1, kernels.fresnel_cos):
        function(x)
    assert time.process_time() - started < 1.5  # by quadrature: eight seconds
