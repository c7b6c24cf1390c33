"""The base of linear operators: what is asked of one, and what follows from its product with a matrix.

A subclass says its shape (`_shape`, `_shape_tensor`) and how it multiplies (`_matmul`). All else has a way through the
dense matrix, which a subclass replaces where its structure allows a better one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.linear_operators import kinds
from graphrt.linear_operators.checks import argument_of, check_solvable, has_cholesky
from graphrt.ops.array.concat_split import concat
from graphrt.ops.array.creation import eye
from graphrt.ops.array.shape import broadcast_dynamic_shape, broadcast_to, expand_dims, shape, squeeze
from graphrt.ops.assertions import assert_equal, assert_less
from graphrt.ops.linalg.decompositions import adjoint, cholesky, det, eigvalsh, matrix_transpose, slogdet, solve, svd
from graphrt.ops.linalg.diagonals import diag_part
from graphrt.ops.math.casting import cast
from graphrt.ops.math.elementwise import abs as magnitude
from graphrt.ops.math.elementwise import exp, log
from graphrt.ops.math.reduction import reduce_max, reduce_min, reduce_sum
from graphrt.ops.support.shape_rules import as_tensor
from graphrt.state.module import Module
from graphrt.state.variable import Variable
from graphrt.tensor.tensor import Tensor
from graphrt.types.dtype import DType, as_dtype
from graphrt.types.likes import DTypeLike, TensorLike
from graphrt.types.nesting import shown
from graphrt.types.shape import TensorShape, is_static
from graphrt.types.spec import TypeSpec
from graphrt.types.structure import Composite

__all__ = ["LinearOperator", "LinearOperatorSpec"]


# --- helpers that the subclasses share -------------------------------------------------------------------------------
def tensor_or_variable(value: TensorLike, dtype: DTypeLike | None = None, name: str | None = None) -> Any:
    """`value` as a tensor; variables stay, so that changes of them are seen."""
    return value if isinstance(value, Variable) else as_tensor(value, dtype, name)


def broadcast_batches(*matrices: Any) -> list[Any]:
    """The matrices with their batch shapes made equal."""
    if len({m.dims[:-2] for m in matrices if m.dims is not None}) == 1 and all(is_static(m.dims) for m in matrices):
        return list(matrices)
    lead: Any = shape(matrices[0])[:-2]
    for matrix in matrices[1:]:
        lead = broadcast_dynamic_shape(lead, shape(matrix)[:-2])
    return [broadcast_to(m, concat([lead, shape(m)[-2:]], 0)) for m in matrices]


def solve_broadcast(matrix: TensorLike, rhs: TensorLike, adjointed: bool = False) -> Tensor:
    """`solve`, with batch shapes that broadcast."""
    left, right = broadcast_batches(matrix, rhs)
    return solve(left, right, adjoint=adjointed)


def vector_apply(function: Callable[[Any], Any], x: TensorLike) -> Tensor:
    """A function of matrices applied to vectors."""
    return squeeze(function(expand_dims(x, -1)), [-1])


def real_dtype(dtype: Any) -> DType:
    """The real dtype of a complex one's parts; a real one itself."""
    return as_dtype({"complex64": "float32", "complex128": "float64"}.get(dtype.name, dtype.name))


def _frozen(value: object) -> Any:
    """A parameter as something hashable that says all but what its tensors hold."""
    if isinstance(value, LinearOperator):
        return value._type_spec
    if isinstance(value, (Tensor, Variable)):
        return ("tensor", value.dtype)
    if isinstance(value, (list, tuple)):
        return tuple(_frozen(v) for v in value)
    if isinstance(value, TensorShape):
        return tuple(value) if value.rank is not None else None
    if isinstance(value, np.ndarray):
        return ("array", value.tobytes(), value.shape, value.dtype.str)
    return (type(value), value)


class LinearOperatorSpec(TypeSpec):
    """The static type of an operator: its class, its hints, and all other parameters but its tensors.

    >>> import graphrt as tf
    >>> one, two = tf.linalg.LinearOperatorDiag([1., 2.]), tf.linalg.LinearOperatorDiag([3., 4.])
    >>> one._type_spec == two._type_spec
    True
    """

    __slots__ = ("_class", "_key")

    def __init__(self, kind: type, key: Any) -> None:
        self._class = kind
        self._key = key

    @property
    def value_type(self) -> type:
        """The class of the operators."""
        return self._class

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LinearOperatorSpec) and (self._class, self._key) == (other._class, other._key)

    def __hash__(self) -> int:
        return hash((self._class, self._key))

    def __repr__(self) -> str:
        return f"{self._class.__name__}Spec({', '.join(map(str, self._key))})"


def _tensors(value: object) -> Iterator[Any]:
    if isinstance(value, LinearOperator):
        yield from value.components()
    elif isinstance(value, (Tensor, Variable)):
        yield value
    elif isinstance(value, (list, tuple)):
        for part in value:
            yield from _tensors(part)


def _replaced(value: object, supply: Iterator[Any]) -> Any:
    if isinstance(value, LinearOperator):
        return value.with_components([next(supply) for _ in value.components()])
    if isinstance(value, (Tensor, Variable)):
        return next(supply)
    if isinstance(value, (list, tuple)):
        return [_replaced(v, supply) for v in value]
    return value


# --- the base --------------------------------------------------------------------------------------------------------
class LinearOperator(Module, Composite):
    """A matrix, or a batch of matrices, known by what it does: products, solutions, determinants.

    Hints (`is_non_singular`, `is_self_adjoint`, `is_positive_definite`, `is_square`) are promises of the caller; None
    means not known. A subclass passes `parameters`, a dictionary of its constructor's arguments, so that operators can
    be arguments and results of functions.

    >>> import graphrt as tf
    >>> a = tf.linalg.LinearOperatorDiag([1., 2.])
    >>> (a @ tf.linalg.LinearOperatorFullMatrix([[1., 2.], [3., 4.]])).to_dense().numpy().tolist()
    [[1.0, 2.0], [6.0, 8.0]]

    Raises:
      ValueError: the hints contradict each other.
    """

    _TF_MODULE_IGNORED_PROPERTIES = frozenset(("_parameters",))

    def __init__(
        self, dtype: DTypeLike, graph_parents: Any = None, is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None, is_positive_definite: bool | None = None, is_square: bool | None = None,
        name: str | None = None, parameters: dict[str, Any] | None = None,
    ) -> None:  # fmt: skip
        for label, hint in (
            ("is_non_singular", is_non_singular), ("is_self_adjoint", is_self_adjoint),
            ("is_positive_definite", is_positive_definite), ("is_square", is_square),
        ):  # fmt: skip
            if hint is not None and not isinstance(hint, (bool, np.bool_)):
                raise TypeError(errors.at_user_line(f"{label} must be True, False or None, found {shown(hint)}"))
        if is_positive_definite:
            if is_non_singular is False:
                raise ValueError(errors.at_user_line("A positive definite operator is always non-singular."))
            is_non_singular = True
        if is_non_singular and is_square is False:
            raise ValueError(errors.at_user_line("A non-singular operator is always square."))
        if is_self_adjoint and is_square is False:
            raise ValueError(errors.at_user_line("A self-adjoint operator is always square."))
        is_square = True if is_non_singular or is_self_adjoint else is_square
        self._dtype = None if dtype is None else as_dtype(dtype)
        self._hints = (is_non_singular, is_self_adjoint, is_positive_definite)
        self._is_square_hint = is_square
        self._parameters = parameters
        super().__init__(_identifier(name or type(self).__name__))
        self._name = name or type(self).__name__

    # --- as a value made of tensors ---
    def components(self) -> list[Any]:
        """The tensors and variables it is made of."""
        return list(_tensors(list((self._parameters or {}).values())))

    def with_components(self, components: list[Any]) -> Any:
        """An operator like this one, made of other tensors."""
        if self._parameters is None:
            return self
        supply = iter(components)
        return type(self)(**{k: _replaced(v, supply) for k, v in self._parameters.items()})

    @property
    def _type_spec(self) -> LinearOperatorSpec:
        if self._parameters is None:
            return LinearOperatorSpec(type(self), self)
        return LinearOperatorSpec(type(self), tuple((k, _frozen(v)) for k, v in self._parameters.items()))

    def __tf_tensor__(self, dtype: Any = None, name: str | None = None) -> Tensor:
        dense = self.to_dense()
        if dtype is not None and dense.dtype is not dtype:
            raise errors.DTypeMismatchError(
                errors.at_user_line(f"{self.name} has dtype {dense.dtype.name}, not {dtype.name}")
            )
        return dense

    # --- what is known of it ---
    @property
    def parameters(self) -> dict[str, Any]:
        """The arguments of its constructor."""
        return dict(self._parameters or {})

    @property
    def dtype(self) -> DType:
        """The dtype of the elements."""
        return self._dtype

    @property
    def graph_parents(self) -> list[Any]:
        """The tensors it is made of."""
        return self.components()

    @property
    def is_non_singular(self) -> bool | None:
        """Whether it has an inverse, as far as is known."""
        return self._hints[0]

    @property
    def is_self_adjoint(self) -> bool | None:
        """Whether it is its own adjoint, as far as is known."""
        return self._hints[1]

    @property
    def is_positive_definite(self) -> bool | None:
        """Whether `x^H A x` has a positive real part for every `x` but 0, as far as is known."""
        return self._hints[2]

    @property
    def is_square(self) -> bool | None:
        """Whether it has as many rows as columns, as far as is known."""
        found = None if self.domain_dimension is None else self.domain_dimension == self.range_dimension
        return self._is_square_hint if self._is_square_hint is not None or self.range_dimension is None else found

    def _shape(self) -> TensorShape:
        raise NotImplementedError(f"{type(self).__name__} does not say its shape: define _shape")

    def _shape_tensor(self) -> Any:
        raise NotImplementedError(f"{type(self).__name__} does not say its shape: define _shape_tensor")

    @property
    def shape(self) -> TensorShape:
        """The static shape, `[..., rows, columns]`."""
        return TensorShape(self._shape())

    @property
    def batch_shape(self) -> TensorShape:
        """The static shape without its last two dimensions."""
        return self.shape[:-2]

    @property
    def tensor_rank(self) -> int | None:
        """The rank of the dense tensor, or None."""
        return self.shape.rank

    @property
    def domain_dimension(self) -> int | None:
        """The number of columns, or None."""
        return None if self.shape.rank is None else self.shape[-1]

    @property
    def range_dimension(self) -> int | None:
        """The number of rows, or None."""
        return None if self.shape.rank is None else self.shape[-2]

    def shape_tensor(self, name: str = "shape_tensor") -> Tensor:
        """The shape as an int32 tensor."""
        if self.shape.is_fully_defined():
            return as_tensor(np.array(self.shape.as_list(), np.int32))
        return self._shape_tensor()

    def batch_shape_tensor(self, name: str = "batch_shape_tensor") -> Tensor:
        """The batch shape as an int32 tensor."""
        if self.batch_shape.is_fully_defined():
            return as_tensor(np.array(self.batch_shape.as_list(), np.int32))
        return self.shape_tensor()[:-2]

    def tensor_rank_tensor(self, name: str = "tensor_rank_tensor") -> Tensor:
        """The rank of the dense tensor, as an int32 tensor."""
        return as_tensor(np.int32(self.tensor_rank)) if self.tensor_rank is not None else shape(self.shape_tensor())[0]

    def domain_dimension_tensor(self, name: str = "domain_dimension_tensor") -> Tensor:
        """The number of columns, as an int32 tensor."""
        known = self.domain_dimension
        return as_tensor(np.int32(known)) if known is not None else self.shape_tensor()[-1]

    def range_dimension_tensor(self, name: str = "range_dimension_tensor") -> Tensor:
        """The number of rows, as an int32 tensor."""
        known = self.range_dimension
        return as_tensor(np.int32(known)) if known is not None else self.shape_tensor()[-2]

    # --- checks ---

    def _needs_square(self, what: str) -> None:
        if self.is_square is False:
            raise NotImplementedError(
                errors.at_user_line(f"{self.name}.{what} needs a square operator, its shape is {self.shape}")
            )

    def assert_non_singular(self, name: str = "assert_non_singular") -> None:
        """Raises InvalidArgumentError when the operator is singular, or close to it."""
        if self.is_non_singular is False:
            raise errors.InvalidArgumentError(None, None, errors.at_user_line(f"{self.name} is singular by its hint"))
        return self._assert_non_singular()

    def _assert_non_singular(self) -> Any:
        found = magnitude(self.cond())  # an operator may give it in its own, complex dtype
        limit = max(1, int(self.domain_dimension or 1))
        bound = 1.0 / (limit * float(np.finfo(found.dtype.as_numpy_dtype).eps))
        return assert_less(found, cast(bound, found.dtype), message="Singular matrix up to precision epsilon.")

    def assert_positive_definite(self, name: str = "assert_positive_definite") -> None:
        """Raises InvalidArgumentError when the operator is not positive definite.

        Raises:
          NotImplementedError: the operator is not known to be self-adjoint, and has no rule of its own.
        """
        if self.is_positive_definite is False:
            raise errors.InvalidArgumentError(
                None, None, errors.at_user_line(f"{self.name} is not positive definite by its hint")
            )
        return self._assert_positive_definite()

    def _assert_positive_definite(self) -> Any:
        if not self.is_self_adjoint:
            raise NotImplementedError(
                errors.at_user_line(f"{self.name}.assert_positive_definite needs an operator with is_self_adjoint=True")
            )
        smallest = reduce_min(eigvalsh(self.to_dense()))
        return assert_less(cast(0, smallest.dtype), smallest, message=f"{self.name} was not positive definite.")

    def assert_self_adjoint(self, name: str = "assert_self_adjoint") -> None:
        """Raises InvalidArgumentError when the operator is not its own adjoint."""
        return self._assert_self_adjoint()

    def _assert_self_adjoint(self) -> Any:
        dense = self.to_dense()
        if dense.dims is not None and dense.dims[-1] != dense.dims[-2] and None not in dense.dims[-2:]:
            raise errors.InvalidArgumentError(
                None, None, errors.at_user_line(f"{self.name} is not square: {self.shape}")
            )
        return assert_equal(dense, adjoint(dense), message="Matrix was not equal to its adjoint.")

    # --- products ---
    def matmul(self, x: object, adjoint: bool = False, adjoint_arg: bool = False, name: str = "matmul") -> Tensor | Any:
        """The product with a matrix, or with another operator (then it is an operator).

        `x` is `[..., columns, k]`; `adjoint` takes the adjoint of this operator first, `adjoint_arg` that of `x`.

        Raises:
          TypeError: `x` has another dtype.
          ValueError: the dimensions do not fit.
        """
        if isinstance(x, LinearOperator):
            left = self.adjoint() if adjoint else self
            right = x.adjoint() if adjoint_arg else x
            if (
                None not in (left.domain_dimension, right.range_dimension)
                and left.domain_dimension != right.range_dimension
            ):
                raise ValueError(
                    errors.at_user_line(
                        f"Operators are incompatible. Expected `x` to have dimension {left.domain_dimension} but got "
                        f"{right.range_dimension}."
                    )
                )
            return kinds.multiplied(left, right)
        size = self.range_dimension if adjoint else self.domain_dimension
        return self._matmul(argument_of(self, x, -1 if adjoint_arg else -2, size, "matmul"), adjoint, adjoint_arg)

    def __matmul__(self, other: object) -> Any:
        return self.matmul(other)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        raise NotImplementedError(f"{type(self).__name__} does not say how it multiplies: define _matmul")

    def matvec(self, x: TensorLike, adjoint: bool = False, name: str = "matvec") -> Tensor:
        """The product with a vector (or a batch of vectors) `[..., columns]`."""
        size = self.range_dimension if adjoint else self.domain_dimension
        return self._matvec(argument_of(self, x, -1, size, "matvec"), adjoint)

    def _matvec(self, x: Tensor, adjoint: bool = False) -> Tensor:
        return vector_apply(lambda v: self._matmul(v, adjoint), x)

    # --- solving ---
    def solve(self, rhs: object, adjoint: bool = False, adjoint_arg: bool = False, name: str = "solve") -> Tensor | Any:
        """The `X` with `A X = rhs`; for an operator `rhs` an operator.

        Raises:
          NotImplementedError: the operator is not square, or singular by its hint.
          TypeError: `rhs` has another dtype.
          ValueError: the dimensions do not fit.
        """
        check_solvable(self)
        if isinstance(rhs, LinearOperator):
            left = self.adjoint() if adjoint else self
            right = rhs.adjoint() if adjoint_arg else rhs
            if (
                None not in (left.range_dimension, right.range_dimension)
                and left.range_dimension != right.range_dimension
            ):
                raise ValueError(
                    errors.at_user_line(
                        f"Operators are incompatible. Expected `rhs` to have dimension {left.range_dimension} but got "
                        f"{right.range_dimension}."
                    )
                )
            return kinds.solved(left, right)
        return self._solve(
            argument_of(self, rhs, -1 if adjoint_arg else -2, self.range_dimension, "solve"), adjoint, adjoint_arg
        )

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        rhs = _adjoint(rhs) if adjoint_arg else rhs
        return solve_broadcast(self.to_dense(), rhs, adjoint)

    def solvevec(self, rhs: TensorLike, adjoint: bool = False, name: str = "solve") -> Tensor:
        """The `x` with `A x = rhs`, for vectors `[..., rows]`.

        Raises:
          NotImplementedError: the operator is not square, or singular by its hint.
        """
        check_solvable(self)
        return self._solvevec(argument_of(self, rhs, -1, self.range_dimension, "solvevec"), adjoint)

    def _solvevec(self, rhs: Tensor, adjoint: bool = False) -> Tensor:
        return vector_apply(lambda v: self._solve(v, adjoint), rhs)

    # --- numbers and other operators ---
    def to_dense(self, name: str = "to_dense") -> Tensor:
        """The matrix itself, `[..., rows, columns]`."""
        return self._to_dense()

    def _to_dense(self) -> Tensor:
        batch = self.batch_shape if self.batch_shape.is_fully_defined() else self.batch_shape_tensor()
        size = self.domain_dimension if self.domain_dimension is not None else self.domain_dimension_tensor()
        return self._matmul(eye(size, batch_shape=batch, dtype=self.dtype))

    def diag_part(self, name: str = "diag_part") -> Tensor:
        """The main diagonal, `[..., min(rows, columns)]`."""
        return self._diag_part()

    def _diag_part(self) -> Tensor:
        return diag_part(self.to_dense())

    def trace(self, name: str = "trace") -> Tensor:
        """The sum of the main diagonal."""
        return self._trace()

    def _trace(self) -> Tensor:
        return reduce_sum(self.diag_part(), -1)

    def determinant(self, name: str = "det") -> Tensor:
        """The determinant, one for each matrix of the batch.

        Raises:
          NotImplementedError: the operator is not square.
        """
        self._needs_square("determinant")
        return self._determinant()

    def _determinant(self) -> Tensor:
        return exp(self.log_abs_determinant()) if has_cholesky(self) else det(self.to_dense())

    def log_abs_determinant(self, name: str = "log_abs_det") -> Tensor:
        """The logarithm of the determinant's magnitude.

        Raises:
          NotImplementedError: the operator is not square.
        """
        self._needs_square("log_abs_determinant")
        return self._log_abs_determinant()

    def _log_abs_determinant(self) -> Tensor:
        if has_cholesky(self):
            return 2 * reduce_sum(log(diag_part(cholesky(self.to_dense()))), -1)
        return slogdet(self.to_dense())[1]

    def add_to_tensor(self, x: TensorLike, name: str = "add_to_tensor") -> Tensor:
        """The dense sum with a tensor."""
        return self._add_to_tensor(argument_of(self, x, 0, None, "add_to_tensor"))

    def _add_to_tensor(self, x: Tensor) -> Tensor:
        return self.to_dense() + x

    def eigvals(self, name: str = "eigvals") -> Tensor:
        """The eigenvalues.

        Raises:
          NotImplementedError: the operator is not known to be self-adjoint.
        """
        if not self.is_self_adjoint:
            raise NotImplementedError(
                errors.at_user_line(
                    f"{self.name}.eigvals: only self-adjoint operators are supported; use tf.linalg.eigvals on to_dense()"
                )
            )
        return self._eigvals()

    def _eigvals(self) -> Tensor:
        return eigvalsh(self.to_dense())

    def cond(self, name: str = "cond") -> Tensor:
        """The largest singular value divided by the smallest."""
        return self._cond()

    def _cond(self) -> Tensor:
        values = svd(self.to_dense(), compute_uv=False)
        return reduce_max(values, -1) / reduce_min(values, -1)

    def adjoint(self, name: str = "adjoint") -> LinearOperator:
        """The adjoint (conjugate transpose) as an operator."""
        return self if self.is_self_adjoint is True else self._linop_adjoint()

    @property
    def H(self) -> LinearOperator:
        """The adjoint as an operator."""
        return self.adjoint()

    def _linop_adjoint(self) -> LinearOperator:
        return kinds.of("LinearOperatorAdjoint")(
            self, is_non_singular=self.is_non_singular, is_self_adjoint=self.is_self_adjoint,
            is_positive_definite=self.is_positive_definite, is_square=self.is_square,
        )  # fmt: skip

    def inverse(self, name: str = "inverse") -> LinearOperator:
        """The inverse as an operator.

        Raises:
          ValueError: the operator is not square, or singular by its hint.
        """
        if self.is_square is False:
            raise ValueError(
                errors.at_user_line(f"Cannot take the inverse: {self.name} represents a non square matrix.")
            )
        if self.is_non_singular is False:
            raise ValueError(errors.at_user_line(f"Cannot take the inverse: {self.name} represents a singular matrix."))
        return self._linop_inverse()

    def _linop_inverse(self) -> LinearOperator:
        return kinds.of("LinearOperatorInversion")(
            self, is_non_singular=self.is_non_singular, is_self_adjoint=self.is_self_adjoint,
            is_positive_definite=self.is_positive_definite, is_square=self.is_square,
        )  # fmt: skip

    def cholesky(self, name: str = "cholesky") -> LinearOperator:
        """The lower triangular `L` with `A = L L^H`, as an operator.

        Raises:
          ValueError: the operator is not known to be self-adjoint and positive definite.
        """
        if not has_cholesky(self):
            raise ValueError(
                errors.at_user_line(
                    f"Cannot take the Cholesky decomposition of {self.name}: it needs is_self_adjoint=True and "
                    "is_positive_definite=True."
                )
            )
        return self._linop_cholesky()

    def _linop_cholesky(self) -> LinearOperator:
        return kinds.of("LinearOperatorLowerTriangular")(
            cholesky(self.to_dense()), is_non_singular=True, is_self_adjoint=False, is_square=True
        )

    def __repr__(self) -> str:
        kind = None if self.dtype is None else self.dtype.name
        return f"<{type(self).__name__} {self.name!r}: shape={self.shape}, dtype={kind}>"


def _identifier(name: str) -> str:
    """A name that a module may have."""
    errors.expect(name, str, "name", "a text")
    found = "".join(c if c.isalnum() or c == "_" else "_" for c in name)
    return found if found.isidentifier() else f"_{found}"


def _adjoint(x: Tensor) -> Tensor:
    return adjoint(x) if x.dtype.is_complex else matrix_transpose(x)


conjugate_transpose = _adjoint
