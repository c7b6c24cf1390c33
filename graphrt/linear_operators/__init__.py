"""Linear operators: matrices known by what they do, which use their structure to do it.

>>> import graphrt as tf
>>> a = tf.linalg.LinearOperatorKronecker([tf.linalg.LinearOperatorIdentity(100), tf.linalg.LinearOperatorDiag([1., 2.])])
>>> a.shape, a.log_abs_determinant().numpy().round(3)
(TensorShape([200, 200]), np.float32(69.315))
"""

from graphrt.linear_operators import simplify as _rules
from graphrt.linear_operators.base import LinearOperator
from graphrt.linear_operators.blocks import LinearOperatorBlockDiag, LinearOperatorBlockLowerTriangular
from graphrt.linear_operators.circulant import (
    LinearOperatorCirculant,
    LinearOperatorCirculant2D,
    LinearOperatorCirculant3D,
)
from graphrt.linear_operators.combined import (
    LinearOperatorAdjoint,
    LinearOperatorComposition,
    LinearOperatorInversion,
    LinearOperatorKronecker,
)
from graphrt.linear_operators.dense import (
    LinearOperatorFullMatrix,
    LinearOperatorHouseholder,
    LinearOperatorLowerTriangular,
    LinearOperatorPermutation,
    LinearOperatorToeplitz,
    LinearOperatorTridiag,
)
from graphrt.linear_operators.diagonal import (
    LinearOperatorDiag,
    LinearOperatorIdentity,
    LinearOperatorScaledIdentity,
    LinearOperatorZeros,
)
from graphrt.linear_operators.low_rank import LinearOperatorLowRankUpdate

__all__ = [
    "LinearOperator", "LinearOperatorAdjoint", "LinearOperatorBlockDiag", "LinearOperatorBlockLowerTriangular",
    "LinearOperatorCirculant", "LinearOperatorCirculant2D", "LinearOperatorCirculant3D", "LinearOperatorComposition",
    "LinearOperatorDiag", "LinearOperatorFullMatrix", "LinearOperatorHouseholder", "LinearOperatorIdentity",
    "LinearOperatorInversion", "LinearOperatorKronecker", "LinearOperatorLowRankUpdate", "LinearOperatorLowerTriangular",
    "LinearOperatorPermutation", "LinearOperatorScaledIdentity", "LinearOperatorToeplitz", "LinearOperatorTridiag",
    "LinearOperatorZeros",
]  # fmt: skip
del _rules
