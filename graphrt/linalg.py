"""`tf.linalg`: matrices."""

from __future__ import annotations

from typing import TYPE_CHECKING as _TYPE_CHECKING

from graphrt.lazy_names import lazy_names as _lazy_names
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

if _TYPE_CHECKING:
    from graphrt import linalg_experimental as experimental  # noqa: F401
    from graphrt.linear_operators import (  # noqa: F401
        LinearOperator,
        LinearOperatorAdjoint,
        LinearOperatorBlockDiag,
        LinearOperatorBlockLowerTriangular,
        LinearOperatorCirculant,
        LinearOperatorCirculant2D,
        LinearOperatorCirculant3D,
        LinearOperatorComposition,
        LinearOperatorDiag,
        LinearOperatorFullMatrix,
        LinearOperatorHouseholder,
        LinearOperatorIdentity,
        LinearOperatorInversion,
        LinearOperatorKronecker,
        LinearOperatorLowerTriangular,
        LinearOperatorLowRankUpdate,
        LinearOperatorPermutation,
        LinearOperatorScaledIdentity,
        LinearOperatorToeplitz,
        LinearOperatorTridiag,
        LinearOperatorZeros,
    )
    from graphrt.ops.matrix_solvers import (  # noqa: F401
        banded_triangular_solve,
        eigh_tridiagonal,
        logm,
        lu_matrix_inverse,
        lu_reconstruct,
        lu_solve,
        tridiagonal_matmul,
        tridiagonal_solve,
    )

# imported when they are asked for
_ELSEWHERE = {
    "graphrt.ops.matrix_solvers": (
        "banded_triangular_solve eigh_tridiagonal logm lu_matrix_inverse lu_reconstruct lu_solve "
        "tridiagonal_matmul tridiagonal_solve "
    ),
    "graphrt.linear_operators": (
        "LinearOperator LinearOperatorAdjoint LinearOperatorBlockDiag LinearOperatorBlockLowerTriangular "
        "LinearOperatorCirculant LinearOperatorCirculant2D LinearOperatorCirculant3D LinearOperatorComposition "
        "LinearOperatorDiag LinearOperatorFullMatrix LinearOperatorHouseholder LinearOperatorIdentity "
        "LinearOperatorInversion LinearOperatorKronecker LinearOperatorLowRankUpdate LinearOperatorLowerTriangular "
        "LinearOperatorPermutation LinearOperatorScaledIdentity LinearOperatorToeplitz LinearOperatorTridiag "
        "LinearOperatorZeros"
    ),
}
__getattr__, __dir__ = _lazy_names(__name__, _ELSEWHERE, {"experimental": "graphrt.linalg_experimental"})


__all__ = [
    "adjoint", "band_part", "cholesky", "cholesky_solve", "cross", "det", "diag", "diag_part", "eig", "eigh",
    "eigvals", "eigvalsh", "einsum", "expm", "eye", "global_norm", "inv", "l2_normalize", "logdet", "lstsq", "lu",
    "matmul", "matrix_rank", "matrix_transpose", "matvec", "norm", "normalize", "pinv", "qr", "set_diag", "slogdet",
    "solve", "sqrtm", "svd", "tensor_diag", "tensor_diag_part", "tensordot", "trace", "triangular_solve",
]  # fmt: skip
