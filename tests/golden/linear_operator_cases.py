"""Linear operators, and what is asked of each: expressions over `tf`, which both TensorFlow and graphrt evaluate."""

import numpy as np

HINTS = "is_non_singular=True, is_self_adjoint=True, is_positive_definite=True"
LO = "tf.linalg.LinearOperator"
SPD = "[[4., 1., 0.], [1., 3., 1.], [0., 1., 5.]]"
FULL = "[[1., 2., 3.], [0., 1., 4.], [5., 6., 0.]]"
BATCH = "[[[4., 1.], [1., 3.]], [[2., 0.], [1., 2.]]]"
COMPLEX = "tf.constant([[1+1j, 2+0j], [3j, 4-2j]], tf.complex64)"
U32 = "[[1., 0.], [2., 1.], [0., -1.]]"
V32 = "[[0., 1.], [1., 1.], [2., 0.]]"
DIAG = f"{LO}Diag([1., -2., 3.])"

OPERATORS = {
    "full": f"{LO}FullMatrix({FULL})",
    "full_hints": f"{LO}FullMatrix({SPD}, {HINTS})",
    "full_batch": f"{LO}FullMatrix({BATCH})",
    "full_wide": f"{LO}FullMatrix([[1., 2., 3.], [4., 5., 6.]])",
    "full_tall": f"{LO}FullMatrix([[1., 2.], [4., 5.], [0., 1.]], is_square=False)",
    "full_complex": f"{LO}FullMatrix({COMPLEX})",
    "full_double": f"{LO}FullMatrix(tf.constant({FULL}, tf.float64), is_non_singular=True, name='named')",
    "full_self_adjoint": f"{LO}FullMatrix({SPD}, is_self_adjoint=True)",
    "full_singular": f"{LO}FullMatrix([[1., 2.], [2., 4.]], is_non_singular=False)",
    "diag": DIAG,
    "diag_batch": f"{LO}Diag([[1., 2.], [3., -4.]])",
    "diag_complex": f"{LO}Diag(tf.constant([1+1j, 2-3j], tf.complex64))",
    "diag_positive": f"{LO}Diag([1., 2., 3.], is_positive_definite=True, is_non_singular=True)",
    "diag_zero": f"{LO}Diag([1., 0., 3.])",
    "identity": f"{LO}Identity(3)",
    "identity_batch": f"{LO}Identity(2, batch_shape=[2], dtype=tf.float64)",
    "scaled": f"{LO}ScaledIdentity(3, 2.5)",
    "scaled_batch": f"{LO}ScaledIdentity(2, [2., -3.])",
    "scaled_complex": f"{LO}ScaledIdentity(2, tf.constant(1+2j, tf.complex64))",
    "tril": f"{LO}LowerTriangular([[2., 9., 9.], [1., 3., 9.], [0., -1., 1.]])",
    "tril_batch": f"{LO}LowerTriangular([[[2., 0.], [1., 3.]], [[-1., 0.], [1., 4.]]], is_non_singular=True)",
    "tril_complex": f"{LO}LowerTriangular({COMPLEX})",
    "composition": f"{LO}Composition([{LO}FullMatrix({FULL}), {DIAG}])",
    "composition_wide": f"{LO}Composition([{LO}FullMatrix([[1., 2., 3.], [4., 5., 6.]]), {LO}FullMatrix({SPD}, {HINTS})])",
    "composition_batch": f"{LO}Composition([{LO}FullMatrix({BATCH}), {LO}Diag([1., 2.]), {LO}Identity(2)])",
    "composition_hints": f"{LO}Composition([{LO}FullMatrix({SPD}, {HINTS}), {LO}Diag([1., 2., 3.], {HINTS})])",
    "block_diag": f"{LO}BlockDiag([{LO}FullMatrix([[1., 2.], [3., 5.]]), {LO}Diag([4., -1., 2.])])",
    "block_diag_batch": f"{LO}BlockDiag([{LO}FullMatrix({BATCH}), {LO}Identity(1)])",
    "block_diag_hints": f"{LO}BlockDiag([{LO}FullMatrix({SPD}, {HINTS}), {LO}Diag([4., 2.], {HINTS})])",
    "block_diag_mixed": f"{LO}BlockDiag([{LO}FullMatrix([[1., 2.], [3., 5.]]), {LO}FullMatrix([[1., 2., 3.]])], is_square=False)",
    "kronecker": f"{LO}Kronecker([{LO}FullMatrix([[1., 2.], [3., 5.]]), {LO}Diag([4., -1., 2.])])",
    "kronecker_batch": f"{LO}Kronecker([{LO}FullMatrix({BATCH}), {LO}LowerTriangular([[2., 0.], [1., 1.]])])",
    "kronecker_hints": f"{LO}Kronecker([{LO}FullMatrix([[2., 1.], [1., 2.]], {HINTS}), {LO}Diag([4., 2.], {HINTS})])",
    "low_rank": f"{LO}LowRankUpdate({LO}Diag([4., 5., 6.], is_positive_definite=True, is_non_singular=True, is_self_adjoint=True), u={U32})",
    "low_rank_diag": f"{LO}LowRankUpdate({LO}Diag([4., 5., 6.], {HINTS}), u={U32}, diag_update=[2., 3.], is_diag_update_positive=True)",
    "low_rank_v": f"{LO}LowRankUpdate({LO}FullMatrix({SPD}), u={U32}, diag_update=[2., -3.], v={V32})",
    "low_rank_batch": f"{LO}LowRankUpdate({LO}Identity(2, batch_shape=[2]), u=[[[1.], [2.]], [[0.], [1.]]])",
    "householder": f"{LO}Householder([1., 2., -2.])",
    "householder_batch": f"{LO}Householder([[1., 2.], [0., 3.]])",
    "permutation": f"{LO}Permutation([2, 0, 1])",
    "permutation_batch": f"{LO}Permutation([[1, 0, 2], [2, 1, 0]], dtype=tf.float64)",
    "toeplitz": f"{LO}Toeplitz([1., 2., 3.], [1., 4., -5.])",
    "toeplitz_batch": f"{LO}Toeplitz([[1., 2.], [5., 3.]], [[1., 4.], [5., -1.]])",
    "circulant": f"{LO}Circulant(tf.constant([3+0j, 1+1j, 2-1j], tf.complex64))",
    "circulant_real": f"{LO}Circulant([4., 1., 1.], input_output_dtype=tf.float32)",
    "circulant_hints": f"{LO}Circulant(tf.constant([6., 4., 4., 4.], tf.complex64), input_output_dtype=tf.float32, {HINTS})",
    "circulant_batch": f"{LO}Circulant(tf.constant([[3, 1, 1], [5, 2, 2]], tf.complex64))",
    "circulant2d": f"{LO}Circulant2D(tf.constant([[4+0j, 2+1j, 2-1j], [1+0j, 3+0j, 5+0j]], tf.complex64))",
    "circulant2d_real": f"{LO}Circulant2D([[4., 2.], [1., 3.]])",
    "circulant3d": f"{LO}Circulant3D(tf.constant([[[4, 2], [1, 3]], [[6, 1], [2, 7]]], tf.complex64))",
    "tridiag": f"{LO}Tridiag([[1., 2., 0.], [5., 6., 7.], [0., 3., 4.]])",
    "tridiag_sequence": f"{LO}Tridiag([[1., 2., 0.], [5., 6., 7.], [0., 3., 4.]], 'sequence')",
    "tridiag_matrix": f"{LO}Tridiag({SPD}, 'matrix', {HINTS})",
    "inversion": f"{LO}Inversion({LO}FullMatrix({SPD}, {HINTS}))",
    "inversion_plain": f"{LO}Inversion({LO}FullMatrix({FULL}))",
    "adjoint": f"{LO}Adjoint({LO}FullMatrix({FULL}))",
    "adjoint_wide": f"{LO}Adjoint({LO}FullMatrix([[1., 2., 3.], [4., 5., 6.]]))",
    "adjoint_complex": f"{LO}Adjoint({LO}FullMatrix({COMPLEX}))",
    "zeros": f"{LO}Zeros(3)",
    "zeros_wide": f"{LO}Zeros(2, 3, batch_shape=[2], is_square=False, is_self_adjoint=False)",
    "block_lower": f"{LO}BlockLowerTriangular([[{LO}FullMatrix([[1., 2.], [3., 5.]])], [{LO}FullMatrix([[1., 2.], [0., 1.], [2., 2.]]), {LO}Diag([4., -1., 2.])]])",
}  # fmt: skip

QUESTIONS = [
    "o.name", "o.dtype.name", "o.shape.as_list()", "o.batch_shape.as_list()", "o.tensor_rank", "int(o.domain_dimension)",
    "int(o.range_dimension)", "o.is_square", "o.is_self_adjoint", "o.is_positive_definite", "o.is_non_singular",
    "sorted(o.parameters)", "o.shape_tensor()", "o.batch_shape_tensor()", "o.domain_dimension_tensor()",
    "o.range_dimension_tensor()", "o.tensor_rank_tensor()", "o.to_dense()", "o.matmul(x)", "o.matmul(y, adjoint=True)",
    "o.matmul(tf.linalg.matrix_transpose(x), adjoint_arg=True)", "o.matvec(x[..., 0])", "o.matvec(y[..., 0], adjoint=True)",
    "o @ x", "o.matmul(x[..., :1, :])", "o.solve(y)", "o.solve(x, adjoint=True)",
    "o.solve(tf.linalg.matrix_transpose(y), adjoint_arg=True)", "o.solvevec(y[..., 0])", "o.matmul(x[None])",
    "o.diag_part()", "o.trace()", "o.determinant()", "o.log_abs_determinant()", "o.add_to_tensor(o.to_dense() + 1)",
    "tf.sort(tf.math.real(o.eigvals()))", "o.cond()", "o.adjoint()", "o.H", "o.inverse()", "o.cholesky()",
    "o.assert_non_singular()", "o.assert_positive_definite()", "o.assert_self_adjoint()", "len(o.variables)",
    "tf.convert_to_tensor(o)", "o.adjoint().adjoint()", "o.H.matmul(y)", "len(o.submodules)",
]  # fmt: skip

# operators joined by `matmul` and `solve`: which class comes out, with which hints
PARTNERS = [
    "full_hints", "diag", "diag_positive", "identity", "scaled", "tril", "permutation", "householder", "circulant_real", "zeros", "tridiag",
    "inversion", "adjoint", "composition", "toeplitz",
]  # fmt: skip
JOINS = ["a.matmul(b)", "a @ b", "a.matmul(b, adjoint=True)", "a.matmul(b, adjoint_arg=True)", "a.solve(b)", "a.solve(b, adjoint=True)"]

ALONE = [
    f"{LO}FullMatrix([1., 2.])", f"{LO}FullMatrix([[1, 2], [3, 4]])", f"{LO}FullMatrix([[1., 2., 3.]], is_square=True)",
    f"{LO}FullMatrix({FULL}, is_non_singular=False, is_positive_definite=True)", f"{LO}Diag(2.)", f"{LO}Diag([1., 2.], is_square=False)",
    f"{LO}Identity(-1)", f"{LO}Identity(2.)", f"{LO}Identity([2])", f"{LO}ScaledIdentity(2, 3)", f"{LO}Composition([])",
    f"{LO}Composition([{LO}Identity(2), {LO}Identity(3)])", f"{LO}Composition([{LO}Identity(2), {LO}Identity(2, dtype=tf.float64)])",
    f"{LO}BlockDiag([])", f"{LO}Kronecker([])", f"{LO}Toeplitz([1., 2.], [1., 2., 3.])", f"{LO}Permutation([0., 1.])",
    f"{LO}Zeros(2, 3)", f"{LO}Tridiag([[1., 2.]], 'nope')", f"{LO}Adjoint({DIAG}, is_square=False)", f"{LO}Inversion({LO}FullMatrix([[1., 2., 3.]], is_square=False))",
    f"{LO}Inversion({LO}FullMatrix([[1., 2.], [2., 4.]], is_non_singular=False))", f"{LO}LowRankUpdate({DIAG}, u=[[1.], [2.]])",
    f"{LO}Identity(3).matmul([[1., 2.]])", f"{LO}Diag([1., 2.]).matvec([1., 2., 3.])", f"{LO}FullMatrix([[1., 2., 3.]]).solve([[1.]])",
    f"{LO}FullMatrix([[1., 2., 3.]]).determinant()", f"{LO}Identity(2).matmul(tf.constant([[1.], [2.]], tf.float64))", f"{LO}Diag([1., 2.]) @ {LO}Diag([1., 2., 3.])",
    f"{LO}Circulant([1., 2.], input_output_dtype=tf.float32).to_dense()", f"{LO}Circulant(3.)", f"{LO}Diag([1., 2.]).cholesky()",
    f"{LO}BlockDiag([{LO}Diag([1., 2.]), {LO}Diag([3.])]).matmul([tf.constant([[1.], [2.]]), tf.constant([[3.]])])",
    f"{LO}BlockDiag([{LO}Diag([1., 2.]), {LO}Diag([3.])]).matvec([tf.constant([1., 2.]), tf.constant([3.])])",
    f"{LO}BlockDiag([{LO}Diag([1., 2.]), {LO}Diag([3.])]).solve([tf.constant([[1.], [2.]]), tf.constant([[3.]])])",
    f"{LO}BlockDiag([{LO}Diag([1., 2.]), {LO}Diag([3.])]).solvevec([tf.constant([1., 2.]), tf.constant([3.])])",
    f"{LO}BlockLowerTriangular([[{LO}Diag([1., 2.])], [{LO}FullMatrix([[1., 5.]]), {LO}Diag([3.])]]).matvec([tf.constant([1., 2.]), tf.constant([3.])])",
    f"{LO}BlockLowerTriangular([[{LO}Diag([1., 2.])], [{LO}FullMatrix([[1., 5.]]), {LO}Diag([3.])]]).solve([tf.constant([[1.], [2.]]), tf.constant([[3.]])])",
    f"{LO}Circulant(tf.constant([6., 4., 4., 4.], tf.complex64)).convolution_kernel()", f"{LO}Circulant(tf.constant([6., 4., 4., 4.], tf.complex64)).block_depth",
    f"{LO}Circulant2D([[4., 2.], [1., 3.]]).block_shape.as_list()", f"{LO}Circulant2D([[4., 2.], [1., 3.]]).block_shape_tensor()",
    f"{LO}Circulant2D([[4., 2.], [1., 3.]]).convolution_kernel()", f"{LO}Circulant(tf.constant([1+1j, 2+0j], tf.complex64)).assert_hermitian_spectrum()",
    f"tf.linalg.experimental.conjugate_gradient({LO}FullMatrix({SPD}, {HINTS}), tf.constant([1., 2., 3.])).x", f"tf.linalg.experimental.conjugate_gradient({LO}FullMatrix({SPD}, {HINTS}), tf.constant([1., 2., 3.]), max_iter=1).x",
    f"tf.linalg.experimental.conjugate_gradient({LO}FullMatrix({SPD}, {HINTS}), tf.constant([1., 2., 3.]), preconditioner={LO}Diag([.25, .3, .2], {HINTS}), x=tf.constant([1., 1., 1.])).i",
    f"tf.linalg.experimental.conjugate_gradient({LO}FullMatrix({SPD}, {HINTS}), tf.constant([1., 2., 3.])).r", f"tf.linalg.experimental.conjugate_gradient({LO}FullMatrix({FULL}), tf.constant([1., 2., 3.])).x",
    f"{DIAG}.diag", f"{LO}ScaledIdentity(2, 3.).multiplier", f"{LO}LowRankUpdate({DIAG}, u=[[1.], [2.], [3.]]).diag_operator", f"{LO}LowRankUpdate({DIAG}, u=[[1.], [2.], [3.]]).diag_update",
    f"len({LO}Diag(tf.Variable([1., 2.])).trainable_variables)", f"tf.linalg.det({DIAG})", f"tf.linalg.trace({DIAG})", f"tf.matmul({DIAG}, [[1.], [2.], [3.]])", f"tf.linalg.inv({DIAG})",
    f"tf.linalg.matvec({DIAG}, [1., 2., 3.])", f"tf.linalg.solve({DIAG}, [[1.], [2.], [3.]])", f"tf.linalg.diag_part({DIAG})", f"tf.linalg.adjoint({DIAG})", f"tf.linalg.matmul({DIAG}, {DIAG})", f"tf.linalg.cholesky({LO}Diag([1., 4.], {HINTS}))",
    f"tf.linalg.logdet({LO}Diag([1., 4.], {HINTS}))", f"{DIAG} + 1.", f"tf.add({DIAG}, {DIAG})", f"tf.nest.flatten({DIAG}, expand_composites=True)", f"{LO}Kronecker([{LO}Identity(2), {LO}Identity(3)]).operators[1].name",
]  # fmt: skip


def argument(tf, shape, dtype, size, seed):
    """A right-hand side of `shape[:-2] + [size, 2]`."""
    count = int(np.prod(shape[:-2])) * size * 2
    values = ((np.arange(count) * 7 + seed) % 11 - 4.0).reshape([*shape[:-2], size, 2])
    return tf.cast(tf.constant(values), dtype)


def shown(tf, value, deep=True):
    """A result as JSON."""
    if isinstance(value, tf.linalg.LinearOperator):
        hints = [value.is_square, value.is_self_adjoint, value.is_positive_definite, value.is_non_singular]
        return {"operator": type(value).__name__, "name": value.name, "hints": hints, "dense": shown(tf, value.to_dense()) if deep else None}
    if isinstance(value, (tf.Tensor, np.ndarray, np.generic, tf.Variable)):
        array = np.asarray(value)
        flat = [str(v) if isinstance(v, complex) else v for v in array.reshape(-1).tolist()]
        return {"dtype": array.dtype.name, "shape": list(array.shape), "values": flat}
    if isinstance(value, (list, tuple)):
        return [shown(tf, v) for v in value]
    return value


def answer(tf, expression, scope):
    try:
        return shown(tf, eval(expression, {"tf": tf, **scope}))
    except Exception as error:
        return {"error": type(error).__name__}


def ask(tf, name):
    o = eval(OPERATORS[name], {"tf": tf})
    dense = o.to_dense().shape.as_list()
    scope = {"o": o, "x": argument(tf, dense, o.dtype, dense[-1], 3), "y": argument(tf, dense, o.dtype, dense[-2], 5)}
    return {q: answer(tf, q, scope) for q in QUESTIONS}


def join(tf, one, two):
    scope = {"a": eval(OPERATORS[one], {"tf": tf}), "b": eval(OPERATORS[two], {"tf": tf})}
    return {q: answer(tf, q, scope) for q in JOINS}
