"""Products of matrices, linear algebra and transforms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from graphrt.export.jax.package import jax, jnp, lax
from graphrt.export.jax.replay import Rule, Use, as_array


def _turned(x: Any, adjoint: bool) -> Any:
    return jnp.conj(jnp.swapaxes(x, -1, -2)) if adjoint else x


def _matmul(c: Use) -> Any:
    a, b = as_array(c[0]), as_array(c[1])
    a = a.T if c.attr("transpose_a") else a
    b = b.T if c.attr("transpose_b") else b
    return jnp.matmul(a, b, precision=lax.Precision.HIGHEST)


def _batch_matmul(c: Use) -> Any:
    a, b = _turned(as_array(c[0]), c.attr("adj_x")), _turned(as_array(c[1]), c.attr("adj_y"))
    return jnp.matmul(a, b, precision=lax.Precision.HIGHEST)


def _einsum(c: Use) -> Any:
    return jnp.einsum(c.attr("equation"), *[as_array(v) for v in c.inputs], precision=lax.Precision.HIGHEST)


def _solve(c: Use) -> Any:
    return jnp.linalg.solve(_turned(as_array(c[0]), c.attr("adjoint")), as_array(c[1]))


def _triangular(c: Use) -> Any:
    a, b = jnp.asarray(c[0]), jnp.asarray(c[1])
    dims = jnp.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    a, b = jnp.broadcast_to(a, dims + a.shape[-2:]), jnp.broadcast_to(b, dims + b.shape[-2:])
    turn = 2 if c.attr("adjoint") and jnp.iscomplexobj(a) else int(c.attr("adjoint"))
    return jax.scipy.linalg.solve_triangular(a, b, trans=turn, lower=bool(c.attr("lower")))


def _inverse(c: Use) -> Any:
    return _turned(jnp.linalg.inv(as_array(c[0])), c.attr("adjoint"))


def _qr(c: Use) -> Any:
    return jnp.linalg.qr(as_array(c[0]), "complete" if c.attr("full_matrices") else "reduced")


def _plain(function: Callable[..., Any]) -> Rule:
    return lambda c: function(*[as_array(v) for v in c.inputs])


def _fft(function: Callable[..., Any]) -> Rule:
    return lambda c: function(as_array(c[0]))


def _cross(c: Use) -> Any:
    return jnp.cross(as_array(c[0]), as_array(c[1]))


# names: the ops of this family
RULES: dict[str, Rule] = {
    "BatchMatMul": _batch_matmul,
    "BatchMatMulV2": _batch_matmul,
    "BatchMatMulV3": _batch_matmul,
    "Cholesky": _plain(jnp.linalg.cholesky),
    "Cross": _cross,
    "Einsum": _einsum,
    "FFT": _fft(jnp.fft.fft),
    "FFT2D": _fft(jnp.fft.fft2),
    "IFFT": _fft(jnp.fft.ifft),
    "IFFT2D": _fft(jnp.fft.ifft2),
    "LogMatrixDeterminant": _plain(jnp.linalg.slogdet),
    "MatMul": _matmul,
    "MatrixDeterminant": _plain(jnp.linalg.det),
    "MatrixInverse": _inverse,
    "MatrixSolve": _solve,
    "MatrixTriangularSolve": _triangular,
    "Qr": _qr,
}
