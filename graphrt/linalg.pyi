# Written by tests/stubs.py from graphrt/api/exports.py.
"""Matrices."""
from graphrt.linear_operators import (
    LinearOperator as LinearOperator, LinearOperatorAdjoint as LinearOperatorAdjoint,
    LinearOperatorBlockDiag as LinearOperatorBlockDiag,
    LinearOperatorBlockLowerTriangular as LinearOperatorBlockLowerTriangular,
    LinearOperatorCirculant as LinearOperatorCirculant, LinearOperatorCirculant2D as LinearOperatorCirculant2D,
    LinearOperatorCirculant3D as LinearOperatorCirculant3D, LinearOperatorComposition as LinearOperatorComposition,
    LinearOperatorDiag as LinearOperatorDiag, LinearOperatorFullMatrix as LinearOperatorFullMatrix,
    LinearOperatorHouseholder as LinearOperatorHouseholder, LinearOperatorIdentity as LinearOperatorIdentity,
    LinearOperatorInversion as LinearOperatorInversion, LinearOperatorKronecker as LinearOperatorKronecker,
    LinearOperatorLowRankUpdate as LinearOperatorLowRankUpdate,
    LinearOperatorLowerTriangular as LinearOperatorLowerTriangular,
    LinearOperatorPermutation as LinearOperatorPermutation,
    LinearOperatorScaledIdentity as LinearOperatorScaledIdentity, LinearOperatorToeplitz as LinearOperatorToeplitz,
    LinearOperatorTridiag as LinearOperatorTridiag, LinearOperatorZeros as LinearOperatorZeros
)
from graphrt.ops.array.creation import (
    eye as eye
)
from graphrt.ops.linalg.banded import (
    banded_triangular_solve as banded_triangular_solve, eigh_tridiagonal as eigh_tridiagonal, logm as logm,
    lu_matrix_inverse as lu_matrix_inverse, lu_reconstruct as lu_reconstruct, lu_solve as lu_solve,
    tridiagonal_matmul as tridiagonal_matmul, tridiagonal_solve as tridiagonal_solve
)
from graphrt.ops.linalg.decompositions import (
    adjoint as adjoint, cholesky as cholesky, cholesky_solve as cholesky_solve, det as det, eigh as eigh,
    eigvalsh as eigvalsh, inv as inv, lstsq as lstsq, matrix_rank as matrix_rank,
    matrix_transpose as matrix_transpose, pinv as pinv, qr as qr, slogdet as slogdet, solve as solve, svd as svd,
    triangular_solve as triangular_solve
)
from graphrt.ops.linalg.diagonals import (
    band_part as band_part, diag as diag, diag_part as diag_part, set_diag as set_diag, tensor_diag as tensor_diag,
    tensor_diag_part as tensor_diag_part, trace as trace
)
from graphrt.ops.linalg.einsum import (
    einsum as einsum, matvec as matvec, tensordot as tensordot
)
from graphrt.ops.linalg.matmul import (
    matmul as matmul
)
from graphrt.ops.linalg.matrix_functions import (
    eig as eig, eigvals as eigvals, expm as expm, logdet as logdet, lu as lu, sqrtm as sqrtm
)
from graphrt.ops.linalg.norms import (
    cross as cross, norm as norm, normalize as normalize
)
from graphrt.ops.math.clip import (
    global_norm as global_norm
)
from graphrt.ops.nn.normalization import (
    l2_normalize as l2_normalize
)
from graphrt.api import linalg_experimental as linalg_experimental
experimental = linalg_experimental
