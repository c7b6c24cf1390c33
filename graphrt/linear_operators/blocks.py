"""Operators made of blocks: `BlockDiag` and `BlockLowerTriangular`."""

from __future__ import annotations

import functools
import operator as python_operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from graphrt import errors
from graphrt.linear_operators import hints
from graphrt.linear_operators.base import LinearOperator, conjugate_transpose
from graphrt.linear_operators.checks import argument_of, check_solvable
from graphrt.linear_operators.dense import LinearOperatorFullMatrix
from graphrt.linear_operators.joint import hint_of_all, joint_batch, joint_batch_tensor, several, sum_of_logs, to_batch
from graphrt.linear_operators.kinds import register
from graphrt.ops.array.concat_split import concat, split
from graphrt.ops.array.creation import zeros
from graphrt.ops.array.shape import broadcast_dynamic_shape, expand_dims, shape
from graphrt.ops.support.shape_rules import as_tensor
from graphrt.tensor.tensor import Tensor
from graphrt.types.likes import TensorLike
from graphrt.types.shape import TensorShape

if TYPE_CHECKING:
    pass

__all__ = ["LinearOperatorBlockDiag", "LinearOperatorBlockLowerTriangular"]


def _blocks(x: TensorLike, lengths: list[int | None]) -> bool:
    """Whether an argument is a list of blocks, one for each operator."""
    return isinstance(x, (list, tuple)) and len(x) == len(lengths) and any(isinstance(v, Tensor) for v in x)


class _Blocks(LinearOperator):
    """What the two operators of blocks share: arguments may be lists of blocks, and then results are."""

    def _diagonal(self) -> list[Any]:
        """The operators on the diagonal, whose sizes are those of the blocks."""
        raise TypeError(f"{type(self).__name__} does not say what is on its diagonal")

    def _apply_blocks(self, blocks: list[Any], adjoint: bool, solve: bool) -> list[Any]:
        """What becomes of the blocks of an argument."""
        raise TypeError(f"{type(self).__name__} does not say how it multiplies")

    def _sizes(self, adjoint: bool) -> list[Any]:
        names = (
            ("range_dimension", "range_dimension_tensor")
            if adjoint
            else ("domain_dimension", "domain_dimension_tensor")
        )
        known = [getattr(o, names[0]) for o in self._diagonal()]
        return known if None not in known else [getattr(o, names[1])() for o in self._diagonal()]

    def _joined(self, blocks: list[Any]) -> Tensor:
        lead = functools.reduce(broadcast_dynamic_shape, [shape(b)[:-2] for b in blocks])
        return concat([to_batch(b, lead, 2) for b in blocks], -2)

    def _through(self, x: Tensor, adjoint: bool, solve: bool) -> Tensor:
        return self._joined(self._apply_blocks(split(x, self._sizes(adjoint), axis=-2), adjoint, solve))

    def matmul(
        self, x: Any, adjoint: bool = False, adjoint_arg: bool = False, name: str = "matmul"
    ) -> Tensor | list[Tensor]:
        """The product with a matrix, a list of blocks (then a list), or an operator.

        Raises:
          ValueError: the dimensions do not fit.
        """
        if _blocks(x, self._diagonal()):
            return self._listed(x, adjoint, adjoint_arg, False)
        return super().matmul(x, adjoint, adjoint_arg)

    def solve(
        self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False, name: str = "solve"
    ) -> Tensor | list[Tensor]:
        """The solution for a matrix, a list of blocks (then a list), or an operator.

        Raises:
          NotImplementedError: the operator is not square, or singular by its hint.
        """
        if _blocks(rhs, self._diagonal()):
            check_solvable(self)
            return self._listed(rhs, adjoint, adjoint_arg, True)
        return super().solve(rhs, adjoint, adjoint_arg)

    def matvec(self, x: Any, adjoint: bool = False, name: str = "matvec") -> Any:
        """The product with a vector, or with a list of blocks (then a list)."""
        if _blocks(x, self._diagonal()):
            return [v[..., 0] for v in self._listed([expand_dims(as_tensor(v), -1) for v in x], adjoint, False, False)]
        return super().matvec(x, adjoint)

    def solvevec(self, rhs: Any, adjoint: bool = False, name: str = "solve") -> Any:
        """The solution for a vector, or for a list of blocks (then a list).

        Raises:
          NotImplementedError: the operator is not square, or singular by its hint.
        """
        if _blocks(rhs, self._diagonal()):
            check_solvable(self)
            return [v[..., 0] for v in self._listed([expand_dims(as_tensor(v), -1) for v in rhs], adjoint, False, True)]
        return super().solvevec(rhs, adjoint)

    def _listed(self, blocks: Any, adjoint: bool, adjoint_arg: bool, solve: bool) -> list[Any]:
        found = [as_tensor(b, self.dtype) for b in blocks]
        found = [conjugate_transpose(b) for b in found] if adjoint_arg else found
        for one, b in zip(self._diagonal(), found):
            argument_of(one, b, -2, one.range_dimension if adjoint or solve else one.domain_dimension, "matmul")
        return self._apply_blocks(found, adjoint, solve)

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return self._through(conjugate_transpose(x) if adjoint_arg else x, adjoint, False)

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        if any(o.is_square is False for o in self._diagonal()):
            return super()._solve(rhs, adjoint, adjoint_arg)
        return self._through(conjugate_transpose(rhs) if adjoint_arg else rhs, adjoint, True)

    def _parts(self, values: list[Any]) -> Tensor:
        """Vectors of the diagonal blocks in one."""
        lead = functools.reduce(broadcast_dynamic_shape, [shape(v)[:-1] for v in values])
        return concat([to_batch(v, lead, 1) for v in values], -1)

    def _squares(self) -> bool:
        return all(o.is_square is not False for o in self._diagonal())

    def _diag_part(self) -> Tensor:
        return self._parts([o.diag_part() for o in self._diagonal()]) if self._squares() else super()._diag_part()

    def _trace(self) -> Tensor:
        if not self._squares():
            return super()._trace()
        return functools.reduce(python_operator.add, [o.trace() for o in self._diagonal()])

    def _determinant(self) -> Tensor:
        return functools.reduce(python_operator.mul, [o.determinant() for o in self._diagonal()])

    def _log_abs_determinant(self) -> Tensor:
        return sum_of_logs([o.log_abs_determinant() for o in self._diagonal()])

    def _eigvals(self) -> Tensor:
        return self._parts([o.eigvals() for o in self._diagonal()])

    def _assert_non_singular(self) -> None:
        for one in self._diagonal():
            one.assert_non_singular()


@register
class LinearOperatorBlockDiag(_Blocks):
    """Operators along the diagonal, zeros elsewhere.

    >>> import graphrt as tf
    >>> a = tf.linalg.LinearOperatorBlockDiag([tf.linalg.LinearOperatorIdentity(1), tf.linalg.LinearOperatorDiag([2., 3.])])
    >>> a.matvec([1., 1., 1.]).numpy().tolist()
    [1.0, 2.0, 3.0]

    Raises:
      TypeError: the operators differ in dtype.
      ValueError: there is none, or a hint cannot be.
    """

    def __init__(
        self, operators: Sequence[LinearOperator], is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None, is_square: bool | None = True, name: str | None = None,
    ) -> None:  # fmt: skip
        self._operators = several(operators, "LinearOperatorBlockDiag")
        given = {"is_non_singular": is_non_singular, "is_self_adjoint": is_self_adjoint,
                 "is_positive_definite": is_positive_definite}  # fmt: skip
        known: dict[str, Any] = {
            k: hint_of_all(self._operators, k, v, "LinearOperatorBlockDiag") for k, v in given.items()
        }
        known["is_square"] = is_square
        label = name or "_ds_".join(o.name for o in self._operators)
        kept = {"operators": self._operators, **known, "name": label}
        super().__init__(self._operators[0].dtype, name=label, parameters=kept, **known)

    @property
    def operators(self) -> list[Any]:
        """The blocks."""
        return self._operators

    def _diagonal(self) -> list[Any]:
        return self._operators

    def _total(self, sizes: list[Any]) -> int | None:
        return None if None in sizes else sum(sizes)

    def _shape(self) -> TensorShape:
        lead = joint_batch(self._operators)
        rows = self._total([o.range_dimension for o in self._operators])
        columns = self._total([o.domain_dimension for o in self._operators])
        return TensorShape(None if lead is None else (*lead, rows, columns))

    def _shape_tensor(self) -> Any:
        rows = functools.reduce(python_operator.add, [o.range_dimension_tensor() for o in self._operators])
        columns = functools.reduce(python_operator.add, [o.domain_dimension_tensor() for o in self._operators])
        return concat([joint_batch_tensor(self._operators), [rows, columns]], 0)

    def _apply_blocks(self, blocks: list[Any], adjoint: bool, solve: bool) -> list[Any]:
        return [(o.solve if solve else o.matmul)(b, adjoint=adjoint) for o, b in zip(self._operators, blocks)]

    def _to_dense(self) -> Tensor:
        lead = joint_batch_tensor(self._operators)
        columns = [o.domain_dimension_tensor() for o in self._operators]
        rows = []
        for i, one in enumerate(self._operators):
            height = one.range_dimension_tensor()
            parts = [zeros(concat([lead, [height, n]], 0), self.dtype) for n in columns]
            parts[i] = to_batch(one.to_dense(), lead, 2)
            rows.append(concat(parts, -1))
        return concat(rows, -2)

    def _linop_adjoint(self) -> LinearOperator:
        return LinearOperatorBlockDiag([o.adjoint() for o in self._operators], **hints.of(self))

    def _linop_inverse(self) -> LinearOperator:
        return LinearOperatorBlockDiag([o.inverse() for o in self._operators], **hints.of(self))

    def _linop_cholesky(self) -> LinearOperator:
        return LinearOperatorBlockDiag([o.cholesky() for o in self._operators], is_non_singular=True, is_square=True)

    def _assert_positive_definite(self) -> None:
        for one in self._operators:
            one.assert_positive_definite()

    def _assert_self_adjoint(self) -> None:
        for one in self._operators:
            one.assert_self_adjoint()


@register
class LinearOperatorBlockLowerTriangular(_Blocks):
    """Blocks on and below the diagonal: row `i` of `operators` has `i + 1` of them.

    >>> import graphrt as tf
    >>> one, two = tf.linalg.LinearOperatorIdentity(1), tf.linalg.LinearOperatorFullMatrix([[5.]])
    >>> tf.linalg.LinearOperatorBlockLowerTriangular([[one], [two, one]]).to_dense().numpy().tolist()
    [[1.0, 0.0], [5.0, 1.0]]

    Raises:
      TypeError: the operators differ in dtype.
      ValueError: the rows are not 1, 2, 3, ... long, or the shapes do not fit.
    """

    def __init__(
        self,
        operators: Sequence[Sequence[LinearOperator]],
        is_non_singular: bool | None = None, is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None, is_square: bool | None = None,
        name: str = "LinearOperatorBlockLowerTriangular"
    ) -> None:  # fmt: skip
        self._operators = [list(row) for row in operators]
        flat = several([o for row in self._operators for o in row], "LinearOperatorBlockLowerTriangular")
        if any(len(row) != i + 1 for i, row in enumerate(self._operators)):
            raise ValueError(errors.at_user_line("row i of `operators` must have i + 1 blocks (counting from 0)"))
        for i, row in enumerate(self._operators):
            for j, one in enumerate(row):
                for mine, other in ((one.range_dimension, row[i].range_dimension),
                                    (one.domain_dimension, self._operators[j][j].domain_dimension)):  # fmt: skip
                    if None not in (mine, other) and mine != other:
                        raise ValueError(
                            errors.at_user_line(
                                f"the block {one.name} of shape {one.shape} does not fit at row {i}, column {j}"
                            )
                        )
        ends = [row[-1] for row in self._operators]
        if all(o.is_square for o in ends):
            if is_square is False:
                raise ValueError(
                    errors.at_user_line("A block lower triangular operator of square diagonal blocks is square.")
                )
            is_square = True
            is_non_singular = hint_of_all(
                ends, "is_non_singular", is_non_singular, "LinearOperatorBlockLowerTriangular"
            )
        super().__init__(
            flat[0].dtype, None, is_non_singular, is_self_adjoint, is_positive_definite, is_square, name,
            {"operators": self._operators, "is_non_singular": is_non_singular, "is_self_adjoint": is_self_adjoint,
             "is_positive_definite": is_positive_definite, "is_square": is_square, "name": name},
        )  # fmt: skip

    @property
    def operators(self) -> list[list[Any]]:
        """The rows of blocks."""
        return self._operators

    def _diagonal(self) -> list[Any]:
        return [row[-1] for row in self._operators]

    def _flat(self) -> list[Any]:
        return [o for row in self._operators for o in row]

    def _shape(self) -> TensorShape:
        lead = joint_batch(self._flat())
        rows, columns = [o.range_dimension for o in self._diagonal()], [o.domain_dimension for o in self._diagonal()]
        total = [None if None in sizes else sum(s for s in sizes if s is not None) for sizes in (rows, columns)]
        return TensorShape(None if lead is None else (*lead, *total))

    def _shape_tensor(self) -> Any:
        rows = functools.reduce(python_operator.add, [o.range_dimension_tensor() for o in self._diagonal()])
        columns = functools.reduce(python_operator.add, [o.domain_dimension_tensor() for o in self._diagonal()])
        return concat([joint_batch_tensor(self._flat()), [rows, columns]], 0)

    def _apply_blocks(self, blocks: list[Any], adjoint: bool, solve: bool) -> list[Any]:
        n, rows = len(blocks), self._operators
        if solve:
            return self._substituted(blocks, adjoint)
        if adjoint:
            return [
                functools.reduce(python_operator.add, [rows[i][j].matmul(blocks[i], adjoint=True) for i in range(j, n)])
                for j in range(n)
            ]
        return [
            functools.reduce(python_operator.add, [rows[i][j].matmul(blocks[j]) for j in range(i + 1)])
            for i in range(n)
        ]

    def _substituted(self, blocks: list[Any], adjoint: bool) -> list[Any]:
        n, rows = len(blocks), self._operators
        found: dict[int, Any] = {}
        for i in reversed(range(n)) if adjoint else range(n):
            rest = blocks[i]
            for j in range(i + 1, n) if adjoint else range(i):
                rest = rest - (rows[j][i].matmul(found[j], adjoint=True) if adjoint else rows[i][j].matmul(found[j]))
            found[i] = rows[i][i].solve(rest, adjoint=adjoint)
        return [found[i] for i in range(n)]

    def _to_dense(self) -> Tensor:
        lead = joint_batch_tensor(self._flat())
        columns = [o.domain_dimension_tensor() for o in self._diagonal()]
        rows = []
        for i, row in enumerate(self._operators):
            height = row[-1].range_dimension_tensor()
            parts = [to_batch(o.to_dense(), lead, 2) for o in row]
            parts += [zeros(concat([lead, [height, n]], 0), self.dtype) for n in columns[i + 1 :]]
            rows.append(concat(parts, -1))
        return concat(rows, -2)

    def _linop_inverse(self) -> LinearOperator:
        rows, n = self._operators, len(self._operators)
        made: list[list[Any]] = []
        for i in range(n):
            line: list[Any] = []
            for j in range(i):
                below = functools.reduce(
                    python_operator.add,
                    [rows[i][k].matmul(made[k][j].to_dense()) for k in range(j, i)],
                )
                line.append(LinearOperatorFullMatrix(-rows[i][i].solve(below)))
            made.append([*line, rows[i][i].inverse()])
        return LinearOperatorBlockLowerTriangular(made, **hints.of(self))
