"""Incomplete functions: series and fractions end where each number is done."""

import time

import numpy as np

from graphrt.ops.math.special import gamma_kernels as kernels

RNG = np.random.default_rng(2)


def test_known_values():
    x = np.concatenate([np.geomspace(1e-6, 700.0, 400), RNG.uniform(0, 20, 400)])
    np.testing.assert_allclose(kernels.igammac(np.ones_like(x), x), np.exp(-x), rtol=1e-12)
    np.testing.assert_allclose(kernels.igamma(np.full_like(x, 0.5), x), kernels.erf(np.sqrt(x)), rtol=1e-12)
    u = RNG.uniform(0, 1, 400)
    a = RNG.uniform(0.1, 50, 400)
    np.testing.assert_allclose(kernels.betainc(a, np.ones_like(a), u), u**a, rtol=1e-11)
    b = RNG.uniform(0.1, 50, 400)
    np.testing.assert_allclose(kernels.betainc(a, b, u) + kernels.betainc(b, a, 1 - u), 1.0, rtol=1e-12)


def test_few_slow_numbers_do_not_hold_up_the_others():
    a, x, u = np.abs(RNG.normal(size=(2, 100_000))) + 0.1, np.abs(RNG.normal(size=100_000)), RNG.uniform(0, 1, 100_000)
    a[0, :3] = 1e5
    x[:3] = 1e5
    started = time.process_time()
    kernels.igamma(a[0], x)
    kernels.igammac(a[0], x)
    kernels.betainc(a[0], a[1], u)
    assert time.process_time() - started < 1.5  # all as long as the slowest: ten seconds


def test_roots_of_the_error_function_are_precise_out_to_the_tails():
    x = np.concatenate([np.linspace(-0.999, 0.999, 4001), [1e-300, -1e-20, 1e-9]])
    np.testing.assert_allclose(kernels.erf(kernels.erfinv(x)), x, rtol=2e-15)
    tails = np.geomspace(1e-300, 0.4, 4001)
    np.testing.assert_allclose(
        kernels.erfc(-kernels.ndtri(tails) / np.sqrt(2)), 2 * tails, rtol=2e-12
    )  # 700 ulps there
    np.testing.assert_allclose(
        kernels.ndtri(1 - 2.0 ** -np.arange(2, 50)), -kernels.ndtri(2.0 ** -np.arange(2, 50)), rtol=1e-15
    )


def test_ends_of_the_roots():
    x = np.array([-1.0, 1.0, 1.5, np.nan, 0.0, -0.0, np.inf, -1e300])
    np.testing.assert_array_equal(kernels.erfinv(x), [-np.inf, np.inf, np.nan, np.nan, 0.0, -0.0, np.nan, np.nan])
    assert not np.signbit(kernels.erfinv(x))[4:6].any()
    p = np.array([0.0, 1.0, 0.5, -0.1, 1.1, np.nan])
    np.testing.assert_array_equal(kernels.ndtri(p), [-np.inf, np.inf, 0.0, np.nan, np.nan, np.nan])


def test_gamma_functions_next_to_their_poles():
    near = np.geomspace(5e-324, 1e-9, 50)
    np.testing.assert_allclose(kernels.lgamma(-near), -np.log(near), rtol=1e-9)
    np.testing.assert_allclose(kernels.lgamma(near), -np.log(near), rtol=1e-9)
    regular = near[near > 1e-300]
    np.testing.assert_allclose(kernels.digamma(-regular), 1 / regular, rtol=1e-8)
    assert kernels.lgamma(np.array([-0.0, 0.0, -3.0])).tolist() == [np.inf] * 3
    assert np.isnan(kernels.digamma(np.array([-0.0, 0.0, -3.0]))).all()
