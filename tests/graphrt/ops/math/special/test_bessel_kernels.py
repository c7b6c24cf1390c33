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


def test_many_numbers_cost_little():
    x = np.linspace(0.01, 29.0, 100_000)
    kernels.bessel_y1(x[:10])  # the polynomials are found once
    started = time.process_time()
    for function in (kernels.bessel_i0, kernels.bessel_k1, kernels.bessel_j0, kernels.bessel_y1, kernels.fresnel_cos):
        function(x)
    assert time.process_time() - started < 1.5  # by quadrature: eight seconds
