"""Operators that the Fourier transform makes diagonal: `Circulant`, `Circulant2D`, `Circulant3D`."""

from __future__ import annotations

from typing import Any, ClassVar

from graphrt import errors
from graphrt.linear_operators import hints
from graphrt.linear_operators.base import LinearOperator, conjugate_transpose, tensor_or_variable
from graphrt.linear_operators.kinds import register
from graphrt.ops.array.concat_split import concat
from graphrt.ops.array.creation import ones, zeros_like
from graphrt.ops.array.padding import reverse, roll
from graphrt.ops.array.shape import expand_dims, reshape, shape
from graphrt.ops.assertions import assert_equal, assert_less, assert_near, assert_positive
from graphrt.ops.linalg.decompositions import matrix_transpose
from graphrt.ops.math.casting import cast
from graphrt.ops.math.elementwise import abs as magnitude
from graphrt.ops.math.elementwise import conj, imag, log, real
from graphrt.ops.math.reduction import reduce_max, reduce_min, reduce_prod, reduce_sum
from graphrt.ops.signal.fft import fft, fft2d, fft3d, ifft, ifft2d, ifft3d
from graphrt.ops.support.shape_rules import as_tensor
from graphrt.tensor.tensor import Tensor
from graphrt.types.dtype import as_dtype
from graphrt.types.likes import DTypeLike, TensorLike
from graphrt.types.nesting import shown
from graphrt.types.shape import TensorShape

__all__ = ["LinearOperatorCirculant", "LinearOperatorCirculant2D", "LinearOperatorCirculant3D"]

_FORWARD = {1: fft, 2: fft2d, 3: fft3d}
_BACKWARD = {1: ifft, 2: ifft2d, 3: ifft3d}


class _Circulant(LinearOperator):
    """What the three have in common: products are products of spectra."""

    _depth: ClassVar[int]

    def __init__(
        self, spectrum: TensorLike, input_output_dtype: DTypeLike = "complex64", is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None, is_positive_definite: bool | None = None, is_square: bool | None = True,
        name: str | None = None,
    ) -> None:  # fmt: skip
        self._spectrum = tensor_or_variable(spectrum, name="spectrum")
        kind = as_dtype(input_output_dtype)
        if not (self._spectrum.dtype.is_floating or self._spectrum.dtype.is_complex):
            raise TypeError(
                errors.at_user_line(
                    f"Argument `spectrum` must have a floating or complex dtype, found {self._spectrum.dtype.name}"
                )
            )
        rank = self._spectrum.shape.rank
        if rank is not None and rank < self._depth:
            raise ValueError(
                errors.at_user_line(
                    f"Argument spectrum must have at least {self._depth} dimensions. Found: {shown(spectrum)}"
                )
            )
        if not self._spectrum.dtype.is_complex:
            if is_self_adjoint is False:
                raise ValueError(errors.at_user_line("A real spectrum always corresponds to a self-adjoint operator."))
            is_self_adjoint = True
        if is_square is False:
            raise ValueError(errors.at_user_line("A [[nested] block] circulant operator is always square."))
        label = name or type(self).__name__
        super().__init__(
            kind, None, is_non_singular, is_self_adjoint, is_positive_definite, True, label,
            {"spectrum": self._spectrum, "input_output_dtype": kind, "is_non_singular": is_non_singular,
             "is_self_adjoint": is_self_adjoint, "is_positive_definite": is_positive_definite, "is_square": is_square,
             "name": label},
        )  # fmt: skip

    @property
    def spectrum(self) -> Tensor:
        """The eigenvalues, in the order of the Fourier transform."""
        return self._spectrum

    @property
    def block_depth(self) -> int:
        """The number of dimensions of the transform."""
        return self._depth

    @property
    def block_shape(self) -> TensorShape:
        """The static shape of the last `block_depth` dimensions of the spectrum."""
        return self._spectrum.shape[-self._depth :]

    def block_shape_tensor(self) -> Any:
        """The shape of the last `block_depth` dimensions of the spectrum."""
        return shape(self._spectrum)[-self._depth :]

    def _complex(self) -> Tensor:
        """The spectrum as complex numbers of the precision that goes with the dtype."""
        wide = self.dtype.name in ("float64", "complex128")
        return cast(as_tensor(self._spectrum), "complex128" if wide else "complex64")

    def convolution_kernel(self, name: str = "convolution_kernel") -> Tensor:
        """The function whose cyclic convolution this operator is: the inverse transform of the spectrum."""
        return cast(_BACKWARD[self._depth](self._complex()), self.dtype)

    def assert_hermitian_spectrum(self, name: str = "assert_hermitian_spectrum") -> Any:
        """Raises InvalidArgumentError when the operator has elements that are not real."""
        spectrum = self._complex()
        axes = list(range(-self._depth, 0))
        mirrored = conj(roll(reverse(spectrum, axes), [1] * self._depth, axes))
        limit = cast(1e-5, real(spectrum).dtype) * (1 + reduce_max(magnitude(spectrum)))
        zero = zeros_like(real(spectrum))
        assert_near(real(spectrum - mirrored), zero, atol=limit, message="Real spectrum was not Hermitian")
        return assert_near(imag(spectrum - mirrored), zero, atol=limit, message="Imaginary spectrum was not Hermitian")

    def _shape(self) -> TensorShape:
        found = self._spectrum.shape
        if found.rank is None:
            return TensorShape(None)
        size: int | None = 1
        for dim in found[-self._depth :]:
            size = None if dim is None or size is None else size * dim
        return TensorShape([*found[: -self._depth], size, size])

    def _shape_tensor(self) -> Any:
        found = shape(self._spectrum)
        size = reduce_prod(found[-self._depth :])
        return concat([found[: -self._depth], [size, size]], 0)

    def _in_blocks(self, x: Tensor) -> Any:
        """`[..., n, k]` as `[..., k, *block_shape]`."""
        turned = matrix_transpose(x)
        blocks: Any = self.block_shape.as_list() if self.block_shape.is_fully_defined() else self.block_shape_tensor()
        known = turned.dims
        if isinstance(blocks, list) and known is not None and None not in known:
            return reshape(turned, [*known[:-1], *blocks])
        return reshape(turned, concat([shape(turned)[:-1], blocks], 0))

    def _out_of_blocks(self, y: Tensor) -> Tensor:
        if y.dims is not None and None not in y.dims:
            flat = reshape(y, [*y.dims[: -self._depth], int(self.domain_dimension or 0)])
        else:
            flat = reshape(y, concat([shape(y)[: -self._depth], [self.domain_dimension_tensor()]], 0))
        return matrix_transpose(flat)

    def _through_spectrum(self, x: Tensor, spectrum: Tensor) -> Tensor:
        # the spectrum's batch goes before the columns, which are one more dimension
        factor = expand_dims(spectrum, -self._depth - 1)
        transformed = _FORWARD[self._depth](cast(self._in_blocks(x), spectrum.dtype))
        return cast(self._out_of_blocks(_BACKWARD[self._depth](transformed * factor)), self.dtype)

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        x = conjugate_transpose(x) if adjoint_arg else x
        spectrum = self._complex()
        return self._through_spectrum(x, conj(spectrum) if adjoint else spectrum)

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        rhs = conjugate_transpose(rhs) if adjoint_arg else rhs
        spectrum = self._complex()
        return self._through_spectrum(rhs, 1.0 / (conj(spectrum) if adjoint else spectrum))

    def _axes(self) -> list[int]:
        return list(range(-self._depth, 0))

    def _determinant(self) -> Tensor:
        return cast(reduce_prod(self._complex(), self._axes()), self.dtype)

    def _log_abs_determinant(self) -> Tensor:
        return cast(reduce_sum(log(magnitude(self._complex())), self._axes()), self.dtype)

    def _trace(self) -> Tensor:
        return cast(reduce_sum(self._complex(), self._axes()), self.dtype)

    def _diag_part(self) -> Tensor:
        n = self.domain_dimension_tensor()
        mean = reduce_sum(self._complex(), self._axes()) / cast(n, self._complex().dtype)
        return expand_dims(cast(mean, self.dtype), -1) * ones([n], self.dtype)

    def _eigvals(self) -> Tensor:
        found = as_tensor(self._spectrum)
        return reshape(found, concat([shape(found)[: -self._depth], [self.domain_dimension_tensor()]], 0))

    def _cond(self) -> Tensor:
        sizes = magnitude(self._complex())
        return reduce_max(sizes, self._axes()) / reduce_min(sizes, self._axes())

    def _assert_non_singular(self) -> Any:
        smallest = reduce_min(magnitude(self._complex()))
        return assert_less(
            cast(0, smallest.dtype), smallest, message="Singular operator:  Spectrum contained zero values."
        )

    def _assert_positive_definite(self) -> Any:
        return assert_positive(
            real(self._complex()), message="Not positive definite:  Real part of spectrum was not all positive."
        )

    def _assert_self_adjoint(self) -> Any:
        found = imag(self._complex())
        return assert_equal(
            found, zeros_like(found), message="Not self-adjoint:  The spectrum contained non-zero imaginary part."
        )

    def _linop_adjoint(self) -> LinearOperator:
        return type(self)(conj(as_tensor(self._spectrum)), self.dtype, **hints.of(self))

    def _linop_inverse(self) -> LinearOperator:
        return type(self)(1.0 / as_tensor(self._spectrum), self.dtype, **hints.of(self))


@register
class LinearOperatorCirculant(_Circulant):
    """A matrix whose rows are the row above shifted by one, given by its eigenvalues `[..., n]`.

    >>> import graphrt as tf
    >>> a = tf.linalg.LinearOperatorCirculant([3., 1., 1.], input_output_dtype=tf.float32)
    >>> a.trace().numpy()
    np.float32(5.0)

    Raises:
      TypeError: the spectrum is neither floating point nor complex.
      ValueError: it is 0-d, or a hint cannot be.
    """

    _depth = 1


@register
class LinearOperatorCirculant2D(_Circulant):
    """A block circulant matrix of circulant blocks, given by its eigenvalues `[..., m, n]`.

    >>> import graphrt as tf
    >>> tf.linalg.LinearOperatorCirculant2D([[4., 2.], [1., 3.]]).shape
    TensorShape([4, 4])

    Raises:
      TypeError: the spectrum is neither floating point nor complex.
      ValueError: it has fewer than two dimensions, or a hint cannot be.
    """

    _depth = 2


@register
class LinearOperatorCirculant3D(_Circulant):
    """A nested block circulant matrix, given by its eigenvalues `[..., l, m, n]`.

    >>> import graphrt as tf
    >>> tf.linalg.LinearOperatorCirculant3D(tf.ones([2, 2, 3])).shape
    TensorShape([12, 12])

    Raises:
      TypeError: the spectrum is neither floating point nor complex.
      ValueError: it has fewer than three dimensions, or a hint cannot be.
    """

    _depth = 3
