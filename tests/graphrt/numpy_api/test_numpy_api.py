"""NumPy's functions, methods and ways of indexing on tensors: NumPy's results, eagerly and in graphs.

Covers: graphrt/tensor/array_methods.py, graphrt/numpy_api/ufunc_rules.py, graphrt/numpy_api/fourier.py.
"""

import sys

import numpy as np
import pytest
from numpy.lib import NumpyVersion

import graphrt as tf

RNG = np.random.default_rng(5)
A = RNG.standard_normal((3, 4))
S = RNG.standard_normal((3, 3)) + 3 * np.eye(3)
V = np.array([3, 1, 2, 1, 0], np.int64)
N = np.array([[1.0, np.nan, 3.0], [np.nan, 5.0, 6.0]])
Z = RNG.standard_normal((3, 4)) + 1j * RNG.standard_normal((3, 4))
T = RNG.standard_normal((2, 3, 4))
B = np.array([True, False, True])
SPD = S @ S.T

FUNCTIONS = """
np.sum(a, where=a > 0); np.prod(a, 1, initial=2.0); np.max(a, axis=0, initial=0.5); np.min(a, initial=0.0, where=a > 0); np.mean(a, where=a > 0); np.any(a, where=a > 5)
np.average(a, weights=np.arange(4.0), axis=1); np.average(a, 0); np.max(b); np.min(b); np.argmax(b); np.argmin(a, keepdims=True); np.sort(b); np.argsort(a, axis=None); np.sort(t, axis=1)
np.nansum(n); np.nansum(n, 0); np.nanprod(n, 1); np.nanmean(n, 0); np.nanvar(n, 1); np.nanstd(n, ddof=1); np.nanmax(n, 1); np.nanmin(n); np.nancumsum(n, 1); np.nancumprod(n)
np.median(a); np.median(a, 1); np.median(t, (0, 2)); np.median(a, 0, keepdims=True); np.median(v); np.quantile(a, 0.3); np.quantile(a, [0.0, 0.25, 1.0], axis=1); np.percentile(a, 40, axis=0, keepdims=True); np.quantile(a, 0.6, method='nearest'); np.quantile(a, [0.1, 0.6], method='lower'); np.percentile(t, [10, 90], axis=(1, 2)); np.median(n, 1)
np.lexsort((v, v[::-1])); np.searchsorted(np.sort(v), [0, 2, 9]); np.searchsorted(np.sort(v), 1, side='right'); np.digitize(a, [-1.0, 0.0, 1.0]); np.bincount(v); np.bincount(v, minlength=7); np.bincount(v, weights=v / 2)
np.histogram(a, 4)[0]; np.histogram(a, 4)[1]; np.histogram(a, [-1.0, 0.0, 1.0])[0]; np.histogram(v, 3, range=(0, 3), density=True)[0]; np.histogram(v, 5, weights=v / 1)[0]
np.unique(v); np.unique(v, return_index=True)[1]; np.unique(v, return_inverse=True)[1]; np.unique(v, return_counts=True)[1]; np.unique(n); np.unique(b); np.unique_all(v).inverse_indices; np.unique_counts(n).values; np.unique_inverse(v)[1]; np.sort(np.unique_values(v))
np.isin(v, [1, 3]); np.isin(v, [1], invert=True); np.intersect1d(v, [1, 2, 9]); np.union1d(v, [9, 1]); np.setdiff1d(v, [1]); np.setxor1d(v, [1, 7])
np.take_along_axis(a, np.argsort(a, 1), 1); np.take_along_axis(a, np.array([[0, 2, -1, 1]]), 0); np.compress([True, False, True], a, axis=0); np.extract(a > 0, a); np.flatnonzero(a > 0); np.select([a > 1, a > 0], [a * 2, a], -1.0); np.choose(v, [v * 10, v, v + 1, v * 0]); np.piecewise(a, [a < 0, a > 1], [lambda q: -q, 2.0, lambda q: q * 3])
np.delete(v, 1); np.delete(a, [0, 2], axis=1); np.insert(v, 2, 9); np.insert(a, 1, 5.0, axis=0); np.vsplit(a, 3)[1]; np.hsplit(a, 2)[0]; np.dsplit(t, 2)[1]; np.array_split(v, 3)[0]; np.unstack(a)[2]; np.dstack([a, a]); np.atleast_3d(v); np.block([[a, a], [a, a]]); np.rot90(a); np.rot90(a, 3); np.rot90(t, 2, (1, 2)); np.rollaxis(t, 2); np.broadcast_arrays(a, v[:1])[1]; np.split(v, [1, 3])[1]; np.concat([a, a])
np.kron(a[:2], v[:2]); np.kron(v, v); np.cross(a[:, :3], a[:, 1:]); np.convolve(v, [1, 2, 3]); np.convolve(a[0], v[:2] / 2, 'same'); np.convolve(a[0], [1.0, 2.0], 'valid'); np.correlate(a[0], [1.0, 2.0, 0.5]); np.correlate(z[0], z[1], 'full'); np.trapezoid(a); np.trapezoid(a, dx=2.0, axis=0); np.trapezoid(a[0], v[:4]); np.gradient(a)[0]; np.gradient(a, 2.0, axis=1); np.ediff1d(v); np.cumulative_sum(a, axis=1, include_initial=True); np.cumulative_prod(v); np.interp([0.5, 1.5, 9.0], [0.0, 1.0, 2.0], a[:, 0]); np.interp(a, [-1.0, 1.0], [0.0, 10.0], left=-5.0); np.polyval([1.0, 2.0, 3.0], a); np.vander(v[:3]); np.vander(v[:3], 2, increasing=True); np.cov(a); np.cov(a, rowvar=False); np.cov(a[0], a[1]); np.corrcoef(a); np.cov(v)
np.linspace(a[0, 0], 2.0, 5); np.linspace(v[0], v[1], 4, endpoint=False); np.logspace(v[1], 2.0, 3); np.isposinf(n); np.iscomplex(z); np.isreal(z); np.astype(v, np.float32); np.apply_along_axis(lambda q: q.sum(), 1, a); np.apply_along_axis(lambda q: q * 2, 0, a); np.unravel_index(np.argmax(a), a.shape)[1]; np.unravel_index(v, (2, 2))[0]; np.ravel_multi_index((v, v), (4, 4)); np.polyfit(np.arange(4.0), a[0], 2); np.i0(a); np.fix(a); np.diag(a, 1); np.diag(v, -1); np.diagflat(a[:2, :2]); np.diagonal(t, 1, 1, 2); np.trace(t, 1, 1, 2); np.trace(s)
np.signbit(a); np.copysign(a, -1.0); np.heaviside(a, 0.5); np.modf(a)[1]; np.ldexp(a, 3); np.logaddexp2(a, a); np.hypot(a * 1e200, a * 1e200); np.maximum.accumulate(a, 1); np.minimum.accumulate(v); np.logical_or.accumulate(b); np.add.reduce(a, axis=None, initial=3.0); np.maximum.reduce(a, axis=1, initial=0.0); np.vecdot(z, z); np.tril(s, -1); np.triu(t, 1); np.round(a, 1); np.round(a * 100, -1); np.ptp(a, 1)
"""
LINALG = """
np.linalg.inv(s); np.linalg.det(s); np.linalg.slogdet(s)[1]; np.linalg.solve(s, a); np.linalg.solve(s, a[:, 0]); np.linalg.solve(np.stack([s, p]), a[:, :1]); np.linalg.cholesky(p); np.linalg.cholesky(p, upper=True); np.abs(np.linalg.qr(a.T)[1]); np.linalg.svd(a)[1]; np.abs(np.linalg.svd(a, full_matrices=False)[2]); np.linalg.svdvals(a); np.linalg.eigh(p)[0]; np.linalg.eigvalsh(p, 'U'); np.linalg.matrix_rank(a); np.linalg.pinv(a); np.linalg.matrix_power(s, 3); np.linalg.matrix_power(s, -2); np.linalg.matrix_power(s, 0); np.linalg.multi_dot([a.T, s, a]); np.linalg.cond(s); np.linalg.cond(s, 1); np.linalg.lstsq(a.T, v[:4] / 2)[0]; np.linalg.lstsq(a.T, v[:4] / 2)[1]; np.linalg.lstsq(a.T, v[:4] / 2)[2]
np.linalg.norm(a); np.linalg.norm(a, 'fro'); np.linalg.norm(a, 'nuc'); np.linalg.norm(a, 1); np.linalg.norm(a, -np.inf); np.linalg.norm(a, 2); np.linalg.norm(a, axis=1); np.linalg.norm(a, 3, axis=0); np.linalg.norm(v); np.linalg.norm(v, 0); np.linalg.norm(t, 2, axis=(0, 2), keepdims=True); np.linalg.vector_norm(t, axis=(0, 1)); np.linalg.vector_norm(t, ord=3); np.linalg.matrix_norm(t); np.linalg.matrix_norm(t, ord=1, keepdims=True); np.linalg.norm(z); np.linalg.cross(a[:, :3], a[:, 1:]); np.linalg.trace(t, offset=1); np.linalg.diagonal(t); np.linalg.outer(v, v); np.linalg.vecdot(t, t, axis=1); np.linalg.matrix_transpose(t); np.linalg.tensordot(a, a.T, axes=1); np.linalg.matmul(a, a.T)
np.fft.fft(a); np.fft.fft(z, axis=0); np.fft.fft(a, 6); np.fft.fft(a, 2, norm='ortho'); np.fft.ifft(z, norm='forward'); np.fft.rfft(a); np.fft.rfft(a, 7, axis=0); np.fft.irfft(z); np.fft.irfft(z, 5, axis=0); np.fft.hfft(z); np.fft.ihfft(a); np.fft.fft2(t); np.fft.ifft2(z); np.fft.fftn(t); np.fft.fftn(t, (2, 5), axes=(0, 1)); np.fft.ifftn(t); np.fft.rfft2(t); np.fft.irfft2(z); np.fft.rfftn(t, norm='ortho'); np.fft.irfftn(t); np.fft.fftshift(a); np.fft.ifftshift(a, 1); np.fft.rfft(v)
"""
METHODS = """
a.sum(0); a.sum(axis=1, keepdims=True); a.mean(); v.mean(); a.std(1); a.var(ddof=1); a.max(1); b.max(); a.min(); v.any(); v.all(); a.ptp(0) if hasattr(a, 'ptp') else np.ptp(a, 0); a.argmax(); a.argmax(1); a.argmin(0); a.cumsum(); a.cumsum(1); a.cumprod(0); s.trace(); a.reshape(-1); a.reshape(2, 6); a.reshape((4, 3)); a.ravel(); a.flatten(); a[None].squeeze(); a.transpose(); t.transpose(1, 0, 2); t.transpose((2, 0, 1)); a.swapaxes(0, 1); s.diagonal(); a.T; t.mT; a.size; a.itemsize; a.nbytes
a.astype(np.float32); a.astype(int); v.astype('float32'); a.copy(); a.clip(-1, 1); a.round(1); v.repeat(2); a.take([0, 1], axis=1); a.compress([True, False, True], axis=0); v.choose([v, v, v, v]); (v > 1).nonzero()[0]; v.argsort(); v[v.argsort()].searchsorted(2); a.dot(a.T); z.conj(); z.real; z.imag; a.imag; a.real; a.item(3); a.item((1, 2)); np.array(a.tolist()).sum() if isinstance(a, np.ndarray) else a.tolist()[1][2] * 0 + a.sum(); a.flat[5]; v.dot(v)
"""
INDEXING = """
v[np.array([0, 2])]; v[np.array([-1, 0])]; a[np.array([0, 2])]; a[:, np.array([3, 0])]; a[[0, 1], [2, 3]]; a[np.array([[0], [2]]), np.array([1, 3])]; t[0, :, np.array([1, 2])]; t[:, np.array([0, 1]), np.array([1, 2])]; t[np.array([0, 1]), :, np.array([1, 2])]; t[..., np.array([1, 0])]; t[None, np.array([1]), 1:]; a[b]; a[b, 1:]; a[:, v[:2]]; a[b, np.array([0, 3])]; t[:, b]; t[:, b, 0]; a[v[1:4] // 2]; a[a > 0]; t[1, np.array([2, 0]), ::2]; a[np.ix_([0, 2], [1, 3])]; v[v]; a[v[3], v[0]]
"""


def names():
    rows = [FUNCTIONS, LINALG, METHODS, INDEXING]
    found = [c.strip() for row in rows for line in row.strip().splitlines() for c in line.split(";")]
    newer = ("unstack", "cumulative_sum", "cumulative_prod")  # than NumPy 2.0
    return [c for c in found if all(hasattr(np, n) or f"np.{n}(" not in c for n in newer)]


SCOPE = {"a": A, "s": S, "v": V, "n": N, "z": Z, "t": T, "b": B, "p": SPD}
LAX = ("lstsq", "pinv", "norm", "det", "cov", "corrcoef", "polyval", "solve", "inv", "power")
NEEDS_SHAPES = (
    "lstsq",
    "polyfit",
    "unravel_index(np",
    "delete(",
    "array_split",
    "vander",
    "convolve",
    "correlate",
    "apply_along",
    "histogram",
    "polyval",
    "tolist",
    "nbytes",
    "accumulate",
    "unstack",
    "vsplit",
    "hsplit",
    "dsplit",
    "svd(a, full",
)


def leaves(found):
    return (
        [np.asarray(x) for x in found]
        if isinstance(found, (tuple, list)) and not isinstance(found, tf.TensorShape)
        else [np.asarray(found)]
    )


def same(found, wanted, code):
    for f, w in zip(leaves(found), leaves(wanted), strict=True):
        assert f.shape == w.shape
        np.testing.assert_allclose(f, w, rtol=1e-7, atol=1e-9)
        if f.dtype != w.dtype:
            assert f.dtype.kind == w.dtype.kind or {f.dtype.kind, w.dtype.kind} <= set("iu")


@pytest.mark.parametrize("code", names())
def test_as_numpy(code):
    compiled = compile(code, "case", "eval")
    with np.errstate(all="ignore"):
        wanted = eval(compiled, {"np": np, **SCOPE})
    eager = {k: tf.constant(v) for k, v in SCOPE.items()}
    same(eval(compiled, {"np": np, **eager}), wanted, code)
    used = [k for k in SCOPE if k in compiled.co_names]
    traced = tf.function(lambda *xs: eval(compiled, {"np": np, **dict(zip(used, xs))}), autograph=False)
    same(traced(*[eager[k] for k in used]), wanted, code)
    if not any(word in code for word in NEEDS_SHAPES):
        specs = [tf.TensorSpec([None] * SCOPE[k].ndim, SCOPE[k].dtype) for k in used]
        loose = tf.function(
            lambda *xs: eval(compiled, {"np": np, **dict(zip(used, xs))}), autograph=False, input_signature=specs
        )
        same(loose(*[eager[k] for k in used]), wanted, code)


@pytest.mark.parametrize("weights, axis", [(np.ones(4), None), (np.ones(3), 1), (np.ones((1, 4)), 0)])
def test_weights_of_another_shape_are_those_of_an_axis(weights, axis):
    with pytest.raises((TypeError, ValueError)) as wanted:
        np.average(A, axis, weights)
    for average in (np.average, tf.function(lambda x, *given: np.average(x, *given))):
        with pytest.raises(wanted.type):
            average(tf.constant(A), axis, weights)


I = np.array([[3, -4, 100], [-128, 127, 0]], np.int8)

EDGES = """
np.bitwise_count(i); np.left_shift(i, i); np.right_shift(i, i); np.left_shift(i, 9); np.sum(i); np.prod(i, 1); np.cumsum(i); i.sum(0); np.add.reduce(i); np.multiply.accumulate(i); np.trace(i); np.vander(i[0]); np.square(b); np.float_power(z, 2); np.ldexp(a, i[0, 0]); np.sum(i, initial=2.5); np.max(i, initial=0.5); np.vdot(z, z); np.inner(a, a); np.vecdot(t, t); np.einsum('ij,ij->i', a, a[:, :1]); np.var(a, ddof=4); np.nanvar(n, 0, ddof=2); np.nanstd(v, ddof=9); np.cov(a[:, :1]); np.linalg.norm(a[:0], np.inf, 0); np.histogram(a[:0], 2)[1]; np.histogram(v, np.array([1, 2, 3]))[1]; np.intersect1d(b, v); np.angle(n); np.correlate([1.0, np.inf], a[0], 'full'); np.fft.irfftn(a, (-1,)); np.fft.rfft(i); np.squeeze(a[None], ()); np.full_like(i, 2.5); np.unravel_index(v, (2, 2)); np.linspace(a[0, 0], 1.0, 0, retstep=True); np.gcd(v, 6); np.gcd(i[:, :1], v); np.lcm(v, -4); np.lcm.outer(v, v); np.linspace(a, 1.0, 3, axis=-1); np.logspace(a[0], 2.0, 3, axis=1)
"""
REFUSED = """
np.absolute(z, dtype=np.complex128); np.absolute(z, dtype=bool); np.sqrt(a, dtype=np.int32); np.add(a, v[:4], dtype=np.int8); np.deg2rad(z); np.positive(b); np.trunc(z); np.ldexp(a, a); np.signbit(z); np.left_shift(a, 1); np.add(a, a, casting='no', dtype=np.float32)
np.moveaxis(t, (0, 1), 2); np.moveaxis(t, (0, 0), (1, 2)); np.expand_dims(a, (0, 0)); np.squeeze(a[None, None], (0, 0)); np.flip(a, (0, 0)); np.flipud(a[0, 0]); np.fliplr(v); np.rollaxis(a, 0, 4); np.rot90(a, 1, (0, -2)); np.rot90(v); np.linalg.norm(a, 1, (0, -2)); np.tensordot(a, a, ([0], [0, 1])); np.tensordot(a, v, 3)
np.unravel_index(v, 3); np.unravel_index(-v, (2, 2)); np.unravel_index(a, (2, 2)); np.ravel_multi_index((v, v), (2, 2)); np.ravel_multi_index((v, v), (9, 9, 9)); np.choose(v, [v, v]); np.choose(v, [v] * 4, mode='no'); np.choose(a, [a, a]); np.insert(v, 7, 1); np.insert(v, 1, np.nan); np.full_like(np.abs(v).astype(np.uint8), -1); np.partition(v, 7); np.repeat(v, [1, 1, -1, 1, 1]); np.pad(a[0, 0], -1)
np.vdot(a, a[:1, :1]); np.inner(a, a[:, :1]); np.vecdot(a, a[:, :1]); np.linalg.vecdot(a, a[:1], axis=0); np.dot(t, a[0, :1]); np.linalg.outer(a, a); np.linalg.multi_dot([a, t, a]); np.linalg.matrix_power(a, 0); np.linalg.eigvalsh(s, 'X'); np.vecdot(a, 2.0)
np.compress(a > 0, a); np.ix_(a > 0); np.select([b, b], [v[:3]]); np.select([v], [v]); np.piecewise(v, [v > 1], [1, 2, 3]); np.nonzero(a[0, 0]); np.where(a[0, 0] > 0); np.concatenate(v); np.meshgrid(v, v, indexing='x'); np.array_split(v, -1); np.vsplit(v, 1); np.dsplit(a, 1); np.diff(v, -1)
np.convolve(v, v, 'no'); np.correlate(v, v, 'no'); np.convolve(v, v[:0]); np.interp(a, [1.0, 2.0], v[:3]); np.interp(a, a, a); np.interp(a, v[:0], v[:0]); np.polyfit(v, v, -1); np.polyval(a[0, 0], v); np.cov(t); np.gradient(a[:, :1]); np.ediff1d(v, to_end=a[0]); np.linspace(0.0, a[0, 0], -1); np.bincount(a); np.bincount(v, minlength=-1); np.searchsorted(a, v); np.searchsorted(v, v, 'no'); np.lexsort((v, v[:2])); np.quantile(a, 1.5); np.percentile(a, -1); np.average(a, weights=a * 0)
np.histogram(a, 0); np.histogram(a, 2, (3, 1)); np.histogram(a, [3, 1]); np.histogram(n, 2); np.histogram(a, 2, weights=v); np.max(a[:0]); np.min(b[:0]); np.ptp(a[:0], 0); np.nanmin(a[:0]); np.nanmax(v[:0]); np.maximum.reduce(v[:0]); v[:0].max(); np.linalg.norm(a[:0], -np.inf); np.linalg.cond(s[:0, :0], 1); np.sum(v, where=np.ones((2, 5), bool)); np.any(v, where=np.ones((2, 5), bool))
np.fft.fft(a, 0); np.fft.ifft(a[:, :0]); np.fft.rfft(a, -1); np.fft.irfft(a[:, :1]); np.fft.hfft(a, 0); np.fft.fft2(a, s=(2, 0)); np.fft.fft2(a, s=(1, 2, 3)); np.fft.fftn(a, (2,), (0, 1)); np.fft.irfft2(a, (2,)); np.isposinf(z); np.round(b, 1); np.clip(b)
"""


# what NumPy before 2.3 takes, or refuses
LATER = (
    "np.linalg.norm(a[:0], np.inf, 0)",
    "np.full_like(np.abs(v).astype(np.uint8), -1)",
    "np.nonzero(a[0, 0])",
    "np.where(a[0, 0] > 0)",
)


def calls_of(text):
    calls = [c.strip() for line in text.strip().splitlines() for c in line.split(";")]
    return [c for c in calls if c not in LATER or NumpyVersion(np.__version__) >= "2.3.0"]


@pytest.mark.parametrize("code", calls_of(EDGES))
def test_edges_are_as_numpys(code):
    scope = SCOPE | {"i": I}
    with np.errstate(all="ignore"):
        wanted = eval(code, {"np": np, **scope})
        eager = {k: tf.constant(v) for k, v in scope.items()}
        same(eval(code, {"np": np, **eager}), wanted, code)
        traced = tf.function(lambda given: eval(code, {"np": np, **given}), autograph=False)
        same(traced(eager), wanted, code)
    found = leaves(eval(code, {"np": np, **eager}))
    assert [f.dtype.itemsize for f in found if f.dtype.kind in "iu"] == [
        w.dtype.itemsize for w in leaves(wanted) if w.dtype.kind in "iu"
    ]


@pytest.mark.parametrize("code", calls_of(REFUSED))
def test_what_numpy_refuses_is_refused(code):
    with np.errstate(all="ignore"), pytest.raises(Exception) as wanted:  # noqa: PT011
        eval(code, {"np": np, **SCOPE})
    eager = {k: tf.constant(v) for k, v in SCOPE.items()}
    kinds = (TypeError, IndexError, OverflowError, ArithmeticError, ValueError, tf.errors.OpError)
    with np.errstate(all="ignore"), pytest.raises(kinds):
        eval(code, {"np": np, **eager})
    with np.errstate(all="ignore"), pytest.raises((*kinds, TypeError)):
        tf.function(lambda given: eval(code, {"np": np, **given}), autograph=False)(eager)


@pytest.mark.parametrize("name", ["sort", "fill", "put", "partition", "resize"])
def test_methods_that_write_say_what_to_do_instead(name):
    with pytest.raises(TypeError, match="in place"):
        getattr(tf.constant([2, 1]), name)(0)


def test_memory_is_handed_out_read_only_or_as_a_copy():
    x = tf.constant([1.0, 2.0])
    view = x.__array__(copy=False)
    assert not view.flags.writeable
    assert np.shares_memory(view, x.__array__(copy=False))
    assert not np.asarray(x).flags.writeable
    np.array(x)[0] = 9.0
    assert x.numpy().tolist() == [1.0, 2.0]
    assert x.__array__(np.float64).dtype == np.float64
    with pytest.raises(ValueError, match="copy"):  # NumPy says it itself where tensors have buffers
        np.array(x, np.float64, copy=False)


def test_dlpack_both_ways():
    x = tf.constant([[1, 2], [3, 4]])
    assert x.__dlpack_device__() == (1, 0)
    array = np.from_dlpack(x)
    assert array.tolist() == [[1, 2], [3, 4]]
    assert not array.flags.writeable
    old = np.array([1.5, 2.5])
    assert tf.convert_to_tensor(old).dtype is tf.float64
    x.__dlpack__()  # before version 1: a copy, which may be written to
    with pytest.raises(BufferError):
        x.__dlpack__(copy=False)
    with pytest.raises(BufferError, match="string"):
        tf.constant("a").__dlpack__()


@pytest.mark.skipif(sys.version_info < (3, 12), reason="classes written in Python have buffers from 3.12 on")
def test_buffers():
    x = tf.constant([[1, 2], [3, 4]])
    view = memoryview(x)
    assert (view.format, view.shape, view.readonly, view.tolist()) == ("i", (2, 2), True, [[1, 2], [3, 4]])


def test_positions_out_of_range_and_too_many_are_refused():
    x = tf.constant([[1, 2], [3, 4]])
    with pytest.raises((IndexError, tf.errors.InvalidArgumentError)):
        x[np.array([5])]
    with pytest.raises(IndexError, match="too many indices"):
        x[np.array([0]), 0, 0]


def test_gradients_flow_through_arrays_of_positions():
    x = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(x[np.array([0, 0, -1])] * [1.0, 2.0, 5.0])
    assert tape.gradient(y, x).numpy().tolist() == [3.0, 0.0, 5.0]


# A function written with NumPy, and its twin
TWINS = [
    ("tanh", lambda x: np.tanh(x), lambda x: tf.tanh(x)),
    ("sum",lambda x:np.sum(x,axis=0),lambda x:tf.reduce_sum(x,axis=0)),
    ("msum",lambda x:x.sum(axis=0),lambda x:tf.reduce_sum(x,axis=0)),
    ("mean",lambda x:np.mean(x),lambda x:tf.reduce_mean(x)),
    ("max",lambda x:np.max(x,1),lambda x:tf.reduce_max(x,1)),
    ("where",lambda x:np.where(x>0,x,-x),lambda x:tf.where(x>0,x,-x)),
    ("exp",lambda x:np.exp(x)*2+1,lambda x:tf.exp(x)*2+1),
    ("matmul",lambda x:np.matmul(x,x.T),lambda x:tf.matmul(x,tf.transpose(x))),
    ("at",lambda x:x@x.T,lambda x:x@tf.transpose(x)),
    ("dot",lambda x:np.dot(x,x.T),lambda x:tf.matmul(x,tf.transpose(x))),
    ("concat",lambda x:np.concatenate([x,x],1),lambda x:tf.concat([x,x],1)),
    ("stack",lambda x:np.stack([x,x]),lambda x:tf.stack([x,x])),
    ("reshape",lambda x:np.reshape(x,(-1,)),lambda x:tf.reshape(x,(-1,))),
    ("mreshape",lambda x:x.reshape(-1,1),lambda x:tf.reshape(x,[-1,1])),
    ("expand",lambda x:np.expand_dims(x,0),lambda x:tf.expand_dims(x,0)),
    ("squeeze",lambda x:np.squeeze(x[None],0),lambda x:tf.squeeze(x[None],[0])),
    ("abs",lambda x:np.abs(x),lambda x:tf.abs(x)),
    ("sqrt",lambda x:np.sqrt(x),lambda x:tf.sqrt(x)),
    ("maximum",lambda x:np.maximum(x,0.0),lambda x:tf.maximum(x,0.0)),
    ("clip",lambda x:np.clip(x,-1,1),lambda x:tf.clip_by_value(x,-1,1)),
    ("mclip",lambda x:x.clip(-1,1),lambda x:tf.clip_by_value(x,-1,1)),
    ("astype",lambda x:x.astype(np.int32),lambda x:tf.cast(x,tf.int32)),
    ("argmax",lambda x:np.argmax(x,1),lambda x:tf.argmax(x,1)),
    ("cumsum",lambda x:np.cumsum(x,1),lambda x:tf.cumsum(x,1)),
    ("square",lambda x:np.square(x),lambda x:tf.square(x)),
    ("zeros_like",lambda x:np.zeros_like(x),lambda x:tf.zeros_like(x)),
    ("tile",lambda x:np.tile(x,(2,1)),lambda x:tf.tile(x,(2,1))),
    ("transpose",lambda x:np.transpose(x,(1,0)),lambda x:tf.transpose(x,(1,0))),
    ("einsum",lambda x:np.einsum("ij,kj->ik",x,x),lambda x:tf.einsum("ij,kj->ik",x,x)),
    ("greater",lambda x:np.greater(x,0.0),lambda x:tf.greater(x,0.0)),
    ("logical",lambda x:np.logical_and(x>0,x<1),lambda x:tf.logical_and(x>0,x<1)),
    ("round",lambda x:np.round(x),lambda x:tf.round(x)),
    ("power",lambda x:np.power(x,2.0),lambda x:tf.pow(x,2.0)),
    ("sort",lambda x:np.sort(x),lambda x:tf.sort(x)),
    ("roll",lambda x:np.roll(x,1,0),lambda x:tf.roll(x,1,0)),
    ("split",lambda x:np.split(x,2,1)[0],lambda x:tf.split(x,2,1)[0]),
    ("take",lambda x:np.take(x,[0,1],axis=0),lambda x:tf.gather(x,[0,1],axis=0)),
    ("pad",lambda x:np.pad(x,1),lambda x:tf.pad(x,[[1,1],[1,1]])),
    ("sin",lambda x:np.sin(x)/np.cos(x)-np.log(x),lambda x:tf.sin(x)/tf.cos(x)-tf.math.log(x)),
    ("isnan",lambda x:np.isnan(x),lambda x:tf.math.is_nan(x)),
    ("std",lambda x:np.std(x,0),lambda x:tf.math.reduce_std(x,0)),
    ("var",lambda x:x.var(0),lambda x:tf.math.reduce_variance(x,0)),
    ("inv",lambda x:np.linalg.inv(x@x.T),lambda x:tf.linalg.inv(x@tf.transpose(x))),
    ("fft",lambda x:np.fft.rfft(x),lambda x:tf.signal.rfft(x)),
    ("flip",lambda x:np.flip(x,0),lambda x:tf.reverse(x,[0])),
    ("repeat",lambda x:np.repeat(x,2,axis=0),lambda x:tf.repeat(x,2,axis=0)),
    ("norm",lambda x:np.linalg.norm(x),lambda x:tf.norm(x)),
    ("any",lambda x:np.any(x>0),lambda x:tf.reduce_any(x>0)),
    ("prod", lambda x: np.prod(x, 1), lambda x: tf.reduce_prod(x, 1)),
]  # fmt: skip


@pytest.mark.parametrize(("name", "with_numpy", "without"), TWINS, ids=[t[0] for t in TWINS])
def test_the_graph_is_that_of_the_same_function_without_numpy(name, with_numpy, without):
    spec = tf.TensorSpec([None, 4], tf.float32)
    graphs = [tf.function(f, autograph=False).get_concrete_function(spec).graph for f in (with_numpy, without)]
    assert [op.type for op in graphs[0].get_operations()] == [op.type for op in graphs[1].get_operations()]
