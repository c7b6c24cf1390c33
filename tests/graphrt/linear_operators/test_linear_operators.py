"""Linear operators answer what TensorFlow's answer."""

import builtins
import json
import os

import numpy as np
import pytest

import graphrt as tf
from tests import GOLDEN
from tests.golden import linear_operator_cases as cases

with open(os.path.join(GOLDEN, "linear_operators.json"), encoding="utf-8") as file:
    RECORDED = json.load(file)

# What is done otherwise than in TensorFlow, and why: any answer but the recorded one.
DIFFERS = {
    # the dense matrix is what an operator converts to
    "tf.convert_to_tensor(o)",
    # plain functions see the dense matrix
    *[f"tf.linalg.{f}({cases.DIAG})" for f in ("inv", "adjoint")],
    f"tf.linalg.matmul({cases.DIAG}, {cases.DIAG})",
    f"tf.linalg.cholesky({cases.LO}Diag([1., 4.], {cases.HINTS}))",
    f"tf.add({cases.DIAG}, {cases.DIAG})",
}
DIFFERS_FOR = {
    ("full_singular", "o.cond()"),  # infinite, or all but
    ("scaled_complex", "o.inverse()"),  # TensorFlow says that a complex one is self-adjoint
    *[("block_diag_mixed", q) for q in ("o.diag_part()", "o.trace()")],  # refused by TensorFlow
    *[("block_diag_mixed", q) for q in ("o.adjoint()", "o.H", "o.adjoint().adjoint()")],  # TensorFlow says it is square
    *[(n, "o.assert_self_adjoint()") for n in ("low_rank_diag", "low_rank_v")],  # endless recursion in TensorFlow
    *[(n, "o.matmul(x[None])") for n in ("tridiag", "tridiag_sequence", "tridiag_matrix")],  # no batches in TensorFlow
    *[("tril " + n, "a.matmul(b, adjoint=True)") for n in ("diag", "diag_positive")],  # not the adjoint in TensorFlow
    # a product of operators with real results is complex in TensorFlow
    *[("circulant_real circulant_real", q) for q in cases.JOINS],
    # complex matrices cannot be checked in TensorFlow
    *[(n, "o.assert_non_singular()") for n in ("full_complex", "adjoint_complex")],
}  # fmt: skip


def error_class(name):
    return getattr(tf.errors, name, None) or getattr(builtins, name)


def same(got, want, where):
    if isinstance(want, dict) and "error" in want:
        assert isinstance(got, dict) and "error" in got, (where, got, want)
        assert issubclass(error_class(got["error"]), error_class(want["error"])), (where, got, want)
    elif isinstance(want, dict) and "operator" in want:
        assert isinstance(got, dict) and "operator" in got, (where, got, want)
        assert (got["operator"], got["name"], got["hints"]) == (want["operator"], want["name"], want["hints"]), where
        if want["dense"] is not None and "values" in want["dense"]:
            same(got["dense"], want["dense"], where)
    elif isinstance(want, dict):
        assert isinstance(got, dict) and "values" in got, (where, got, want)
        assert (got["dtype"], got["shape"]) == (want["dtype"], want["shape"]), where
        tolerance = 1e-6 if want["dtype"] in ("float64", "complex128") else 3e-5
        close = {"rtol": tolerance, "atol": tolerance * max(1, abs(largest(want)))}
        np.testing.assert_allclose(numbers(got), numbers(want), err_msg=str(where), **close)
    elif isinstance(want, list) and isinstance(got, list) and len(want) == len(got):
        for g, w in zip(got, want):
            same(g, w, where)
    else:
        assert got == want, (where, got, want)


def numbers(found):
    return [complex(v) if isinstance(v, str) else v for v in found["values"]]


def largest(found):
    finite = [abs(v) for v in numbers(found) if np.isfinite(v)]
    return max(finite, default=0)


@pytest.mark.parametrize("name", cases.OPERATORS)
def test_answers(name):
    found = cases.ask(tf, name)
    for question, want in RECORDED[name].items():
        if question not in DIFFERS and (name, question) not in DIFFERS_FOR:
            same(found[question], want, (name, question))


@pytest.mark.parametrize("one", cases.PARTNERS)
def test_products_and_quotients(one):
    for two in cases.PARTNERS:
        found = cases.join(tf, one, two)
        for question, want in RECORDED[f"{one} {two}"].items():
            if (f"{one} {two}", question) not in DIFFERS_FOR:
                same(found[question], want, (one, two, question))


@pytest.mark.parametrize("expression", cases.ALONE)
def test_alone(expression):
    if expression in DIFFERS:
        return
    same(cases.answer(tf, expression, {}), RECORDED[expression], expression)


# --- in functions ----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", cases.OPERATORS)
def test_argument_and_result_of_a_function(name):
    operator = eval(cases.OPERATORS[name], {"tf": tf})
    x = cases.argument(tf, operator.shape.as_list(), operator.dtype, operator.shape[-1], 3)

    @tf.function
    def apply(a, v):
        return a, a.matmul(v), a.to_dense()

    back, product, dense = apply(operator, x)
    assert type(back) is type(operator) and back.name == operator.name
    np.testing.assert_allclose(product, operator.matmul(x), rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(dense, operator.to_dense(), rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(back.to_dense(), operator.to_dense(), rtol=1e-5, atol=1e-5)
    apply(eval(cases.OPERATORS[name], {"tf": tf}), x)
    assert apply.experimental_get_tracing_count() == 1


@pytest.mark.parametrize("spec", [[None, None, None], None], ids=str)
def test_shapes_known_only_when_the_function_runs(spec):
    @tf.function(input_signature=[tf.TensorSpec(spec, tf.float64), tf.TensorSpec([None, None], tf.float64)])
    def solve(matrix, rhs):
        operator = tf.linalg.LinearOperatorFullMatrix(matrix)
        kron = tf.linalg.LinearOperatorKronecker([operator, tf.linalg.LinearOperatorIdentity(2, dtype=tf.float64)])
        blocks = tf.linalg.LinearOperatorBlockDiag([operator, operator.adjoint()])
        return (
            operator.solve(rhs),
            kron.matmul(tf.concat([rhs, rhs], 0)),
            blocks.to_dense(),
            operator.shape_tensor(),
            kron.determinant(),
            blocks.trace(),
        )

    matrix = np.array([[[2.0, 1], [0, 3]], [[1, 0], [4, 1]]])
    rhs = np.array([[1.0, 2], [3, 4]])
    solution, product, dense, shape, det, trace = solve(matrix, rhs)
    np.testing.assert_allclose(solution, np.linalg.solve(matrix, np.broadcast_to(rhs, (2, 2, 2))))
    kron = np.stack([np.kron(m, np.eye(2)) for m in matrix])
    np.testing.assert_allclose(product, kron @ np.concatenate([rhs, rhs]))
    assert dense.shape == (2, 4, 4) and shape.numpy().tolist() == [2, 2, 2]
    np.testing.assert_allclose(det, np.linalg.det(kron))
    np.testing.assert_allclose(trace, 2 * np.trace(matrix, axis1=1, axis2=2))


def test_variables_are_read_anew_and_have_gradients():
    v = tf.Variable([2.0, 4.0])
    operator = tf.linalg.LinearOperatorDiag(v)

    @tf.function
    def total():
        return tf.reduce_sum(operator.solvevec([8.0, 8.0]))

    assert total().numpy() == 6.0
    v.assign([1.0, 1.0])
    assert total().numpy() == 16.0
    with tf.GradientTape() as tape:
        loss = operator.log_abs_determinant() + operator.matvec([1.0, 3.0])[1]
    np.testing.assert_allclose(tape.gradient(loss, v), [1.0, 4.0])


def test_an_operator_of_the_user():
    class Swap(tf.linalg.LinearOperator):
        def __init__(self, scale):
            self.scale = tf.convert_to_tensor(scale)
            super().__init__(self.scale.dtype, parameters={"scale": self.scale})

        def _shape(self):
            return tf.TensorShape([2, 2])

        def _shape_tensor(self):
            return tf.constant([2, 2])

        def _matmul(self, x, adjoint=False, adjoint_arg=False):
            x = tf.linalg.adjoint(x) if adjoint_arg else x
            return x[..., ::-1, :] * self.scale

    swap = Swap(3.0)
    assert swap.to_dense().numpy().tolist() == [[0, 3], [3, 0]]
    assert swap.determinant().numpy() == pytest.approx(-9)
    assert swap.solvevec([3.0, 6.0]).numpy().tolist() == pytest.approx([2, 1])
    assert (swap @ swap).to_dense().numpy().tolist() == [[9, 0], [0, 9]]
    assert tf.function(lambda s: s.matvec([1.0, 2.0]))(swap).numpy().tolist() == [6, 3]


def test_messages_name_the_operator_and_the_shapes():
    operator = tf.linalg.LinearOperatorDiag([1.0, 2.0], name="scale")
    with pytest.raises(
        ValueError, match=r"scale\.matvec: dimensions are not compatible: the operator has shape \(2, 2\)"
    ):
        operator.matvec([1.0, 2.0, 3.0])
