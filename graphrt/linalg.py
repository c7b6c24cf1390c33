"""`tf.linalg`: matrices."""

from __future__ import annotations

from graphrt.ops.clipping import global_norm
from graphrt.ops.contraction import einsum, matvec, tensordot
from graphrt.ops.creation import eye
from graphrt.ops.decompositions import (
    adjoint,
    cholesky,
    cholesky_solve,
    det,
    eigh,
    eigvalsh,
    inv,
    lstsq,
    matrix_rank,
    matrix_transpose,
    pinv,
    qr,
    slogdet,
    solve,
    svd,
    triangular_solve,
)
from graphrt.ops.diagonals import band_part, diag, diag_part, set_diag, tensor_diag, tensor_diag_part, trace
from graphrt.ops.linalg import matmul
from graphrt.ops.matrix_functions import eig, eigvals, expm, logdet, lu, sqrtm
from graphrt.ops.nn import l2_normalize
from graphrt.ops.norms import cross, norm, normalize

__all__ = [
    "adjoint", "band_part", "cholesky", "cholesky_solve", "cross", "det", "diag", "diag_part", "eig", "eigh",
    "eigvals", "eigvalsh", "einsum", "expm", "eye", "global_norm", "inv", "l2_normalize", "logdet", "lstsq", "lu",
    "matmul", "matrix_rank", "matrix_transpose", "matvec", "norm", "normalize", "pinv", "qr", "set_diag", "slogdet",
    "solve", "sqrtm", "svd", "tensor_diag", "tensor_diag_part", "tensordot", "trace", "triangular_solve",
]  # fmt: skip
