"""`tf.test`: a `TestCase` that compares tensors, and gradients found by differences."""

from __future__ import annotations

import contextlib
import random as _random
import re
import tempfile
import unittest
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.autodiff.tape import GradientTape
from graphrt.ops.random.sampling_ops import set_seed
from graphrt.state.variable import Variable
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import Tensor
from graphrt.types import structure
from graphrt.types.dtype import as_dtype
from graphrt.types.likes import Array, DTypeLike, TensorLike

__all__ = [
    "TestCase", "compute_gradient", "gpu_device_name", "is_built_with_cuda", "is_built_with_gpu_support",
    "is_built_with_rocm", "is_built_with_xla", "is_gpu_available", "main",
]  # fmt: skip


def _value(x: Any) -> Any:
    """The value of a tensor (or a part of a structure) as NumPy has it; ragged tensors as lists."""
    if hasattr(x, "to_list") and hasattr(x, "row_splits"):
        return x.to_list()
    if isinstance(x, structure.Composite) and hasattr(x, "dense_shape"):
        return type("SparseTensorValue", (), {n: _value(getattr(x, n)) for n in ("indices", "values", "dense_shape")})()
    if isinstance(x, (Tensor, Variable)) or hasattr(x, "__tf_tensor__"):
        return convert_to_tensor(x).numpy()
    return x


def _array(x: object) -> Array:
    found = _value(x)
    return found if isinstance(found, np.ndarray) else np.array(found)


class TestCase(unittest.TestCase):
    """A test case whose assertions take tensors, arrays, numbers and structures of them.

    >>> import graphrt as tf
    >>> class SquareTest(tf.test.TestCase):
    ...     def testSquare(self):
    ...         self.assertAllEqual(tf.square([2, 3]), [4, 9])
    >>> SquareTest("testSquare").run().wasSuccessful()
    True
    """

    def setUp(self) -> None:
        """Begins each test with the same random numbers."""
        super().setUp()
        _random.seed(87654321)
        np.random.seed(87654321)
        set_seed(87654321)

    # --- values ---
    def evaluate(self, tensors: Any) -> Any:
        """The values of a tensor, or of a structure of tensors, as NumPy has them."""
        return structure.map_structure(_value, tensors)

    def get_temp_dir(self) -> str:
        """A directory that is removed after the test."""
        if not hasattr(self, "_directory"):
            self._directory = tempfile.TemporaryDirectory()
            self.addCleanup(self._directory.cleanup)
        return self._directory.name

    @contextlib.contextmanager
    def session(self, *_: Any, **__: object) -> Iterator[Any]:
        """Does nothing: there are no sessions."""
        yield None

    cached_session = session

    def test_session(self, *args: Any, **kwargs: object) -> Any:
        """As `session`; collected as a test, because of its name, it is skipped."""
        if self.id().endswith(".test_session"):
            self.skipTest("test_session makes a session, and is no test")
        return self.session(*args, **kwargs)

    # --- equality ---
    def assertAllEqual(self, a: TensorLike, b: TensorLike, msg: str | None = None) -> None:
        """All elements are equal, and the shapes are."""
        one, two = _value(a), _value(b)
        if any(hasattr(v, "row_splits") for v in (a, b)):
            self.assertEqual(_listed(one), _listed(two), msg)
            return
        one, two = _array(one), _array(two)
        if one.size or two.size or one.shape != two.shape:
            self.assertEqual(one.shape, two.shape, self._shapes(one, two, msg))
        if one.dtype.kind in "SUO" or two.dtype.kind in "SUO":
            one, two = _as_bytes(one), _as_bytes(two)
        same = one == two
        if one.dtype.kind in "fc" and two.dtype.kind in "fc":
            same = np.logical_or(same, np.logical_and(np.isnan(one), np.isnan(two)))
        if not np.all(same):
            places = np.where(np.logical_not(same))
            self.fail(
                f"Arrays are not equal\n\nnot equal where = {places}\nnot equal lhs = {one[places]!r}\n"
                f"not equal rhs = {two[places]!r}{f' : {msg}' if msg else ''}"
            )

    def _shapes(self, one: Array, two: Array, msg: str | None) -> str:
        text = f"Shape mismatch: expected {one.shape}, got {two.shape} with contents {two}."
        return text if msg is None else f"{text} : {msg}"

    def assertNotAllEqual(self, a: TensorLike, b: TensorLike, msg: str | None = None) -> None:
        """Some element differs."""
        try:
            self.assertAllEqual(a, b)
        except AssertionError:
            return
        self.fail(f"The two values are equal at all elements. {msg or ''}")

    # --- nearness ---
    def assertAllClose(self, a: Any, b: object, rtol: float = 1e-6, atol: float = 1e-6, msg: str | None = None) -> None:
        """All elements differ by no more than `atol + rtol * abs(b)`; structures are compared part by part."""
        self._close(a, b, rtol, atol, msg, "")

    def _close(self, a: Any, b: Any, rtol: float, atol: float, msg: str | None, path: str) -> None:
        if hasattr(a, "_asdict"):
            a = a._asdict()
        if hasattr(b, "_asdict"):
            b = b._asdict()
        if isinstance(a, dict) != isinstance(b, dict):
            self.fail(f"Can't compare dict to non-dict, a{path} vs b{path}. {msg or ''}")
        if isinstance(a, dict):
            self.assertCountEqual(a.keys(), b.keys(), f"mismatched keys: a{path} has keys {a.keys()}, but b{path} has "
                                  f"keys {b.keys()}. {msg or ''}")  # fmt: skip
            for key in a:
                self._close(a[key], b[key], rtol, atol, msg, f"{path}[{key}]")
            return
        if isinstance(a, (list, tuple)) or isinstance(b, (list, tuple)):
            try:
                one, two = _array(structure.map_structure(_value, a)), _array(structure.map_structure(_value, b))
                if one.dtype != object and two.dtype != object:
                    self._near(one, two, rtol, atol, msg, path)
                    return
            except (ValueError, TypeError, errors.OpError):
                pass
            self.assertEqual(len(a), len(b), f"Mismatched length: a{path} has {len(a)} items, but b{path} has {len(b)}")
            for i, (x, y) in enumerate(zip(a, b)):
                self._close(x, y, rtol, atol, msg, f"{path}[{i}]")
            return
        if any(hasattr(v, "row_splits") for v in (a, b)):
            self._close(_listed(_value(a)), _listed(_value(b)), rtol, atol, msg, path)
            return
        self._near(_array(a), _array(b), rtol, atol, msg, path)

    def _near(self, one: Array, two: Array, rtol: float, atol: float, msg: str | None, path: str) -> None:
        self.assertEqual(one.shape, two.shape, self._shapes(one, two, msg))
        if "bfloat16" in (str(one.dtype), str(two.dtype)):
            one, two = one.astype(np.float32), two.astype(np.float32)
        close = np.isclose(one, two, rtol=rtol, atol=atol, equal_nan=True)
        if np.all(close):
            return
        places = np.where(np.logical_not(close))
        gap = np.abs(one[places] - two[places])
        self.fail(
            f"Not equal to tolerance rtol={rtol:g}, atol={atol:g}\nMismatched value: a{path} is different from b{path}. "
            f"{msg or ''}\nnot close where = {places}\nnot close lhs = {one[places]}\nnot close rhs = {two[places]}\n"
            f"not close dif = {gap}\nnot close tol = {atol + rtol * np.abs(two[places])}\ndtype = {one.dtype}, "
            f"shape = {one.shape}"
        )

    def assertAllCloseAccordingToType(
        self, a: TensorLike, b: TensorLike, rtol: float = 1e-6, atol: float = 1e-6, float_rtol: float = 1e-6,
        float_atol: float = 1e-6, half_rtol: float = 1e-3, half_atol: float = 1e-3, bfloat16_rtol: float = 1e-2,
        bfloat16_atol: float = 1e-2, msg: str | None = None,
    ) -> None:  # fmt: skip
        """As `assertAllClose`, with a tolerance that fits the less exact dtype of the two."""
        one, two = _array(a), _array(b)
        names = {str(one.dtype), str(two.dtype)}
        if names & {"float32", "complex64"}:
            rtol, atol = max(rtol, float_rtol), max(atol, float_atol)
        if "float16" in names:
            rtol, atol = max(rtol, half_rtol), max(atol, half_atol)
        if "bfloat16" in names:
            rtol, atol = max(rtol, bfloat16_rtol), max(atol, bfloat16_atol)
        self._near(one, two, rtol, atol, msg, "")

    def assertNotAllClose(
        self, a: TensorLike, b: TensorLike, rtol: float = 1e-6, atol: float = 1e-6, msg: str | None = None
    ) -> None:
        """Some element differs by more than the tolerance."""
        try:
            self.assertAllClose(a, b, rtol, atol)
        except AssertionError:
            return
        self.fail(f"The two values are close at all elements. {msg or ''}")

    def assertNear(self, f1: float, f2: float, err: float, msg: str | None = None) -> None:
        """Two numbers differ by no more than `err`."""
        near = f1 == f2 or abs(f1 - f2) <= err
        self.assertTrue(near, f"{f1:f} != {f2:f} +/- {err:f}{f' ({msg})' if msg else ''}")

    def assertArrayNear(self, farray1: Any, farray2: Any, err: float, msg: str | None = None) -> None:
        """The numbers of two sequences differ by no more than `err`."""
        self.assertEqual(len(farray1), len(farray2), msg)
        for one, two in zip(farray1, farray2):
            self.assertNear(float(one), float(two), err, msg)

    def assertNDArrayNear(self, ndarray1: TensorLike, ndarray2: TensorLike, err: float, msg: str | None = None) -> None:
        """The distance of two arrays is less than `err`."""
        self.assertTrue(np.linalg.norm(_array(ndarray1) - _array(ndarray2)) < err, msg)

    # --- all elements ---
    def assertAllGreater(self, a: TensorLike, comparison_target: TensorLike) -> None:
        """All elements are greater."""
        self.assertGreater(np.min(_array(a)), comparison_target)

    def assertAllGreaterEqual(self, a: TensorLike, comparison_target: TensorLike) -> None:
        """No element is less."""
        self.assertGreaterEqual(np.min(_array(a)), comparison_target)

    def assertAllLess(self, a: TensorLike, comparison_target: TensorLike) -> None:
        """All elements are less."""
        self.assertLess(np.max(_array(a)), comparison_target)

    def assertAllLessEqual(self, a: TensorLike, comparison_target: TensorLike) -> None:
        """No element is greater."""
        self.assertLessEqual(np.max(_array(a)), comparison_target)

    def assertAllInRange(
        self, target: Any, lower_bound: int, upper_bound: int, open_lower_bound: bool = False,
        open_upper_bound: bool = False,
    ) -> None:  # fmt: skip
        """All elements lie between two bounds, which count unless they are open."""
        found = _array(target)
        low = found <= lower_bound if open_lower_bound else found < lower_bound
        high = found >= upper_bound if open_upper_bound else found > upper_bound
        wrong = low | high
        if np.any(wrong):
            text = f"{'(' if open_lower_bound else '['}{lower_bound}, {upper_bound}{')' if open_upper_bound else ']'}"
            places = "\n".join(f"  {list(p)} : {found[tuple(p)]}" for p in np.argwhere(wrong)[:10])
            self.fail(
                f"{int(np.sum(wrong))} of the {found.size} element(s) are outside the range {text}. Subscript(s) and "
                f"value(s) of the offending elements:\n{places}"
            )

    def assertAllInSet(self, target: TensorLike, expected_set: Any) -> None:
        """All elements are in a set."""
        found = np.unique(_array(target))
        wrong = [v for v in found.tolist() if v not in set(np.ravel(np.array(list(expected_set))).tolist())]
        if wrong:
            self.fail(f"{len(wrong)} unique element(s) are not in the set {expected_set}: {wrong}")

    # --- shapes and types ---
    def assertShapeEqual(self, input_a: TensorLike, input_b: TensorLike, msg: str | None = None) -> None:
        """Two arrays or tensors have one shape."""
        self.assertAllEqual(np.array(np.shape(_value(input_a))), np.array(np.shape(_value(input_b))), msg)

    def assertDTypeEqual(self, target: TensorLike, expected_dtype: DTypeLike) -> None:
        """A tensor or array has this dtype."""
        self.assertEqual(as_dtype(_array(target).dtype), as_dtype(expected_dtype))

    def assertDeviceEqual(self, device1: str, device2: str, msg: str | None = None) -> None:
        """Two devices are the same."""
        self.assertEqual(str(device1).upper(), str(device2).upper(), msg)

    # --- errors ---
    @contextlib.contextmanager
    def assertRaisesWithPredicateMatch(self, exception_type: Any, expected_err_re_or_predicate: Any) -> Iterator[None]:
        """The block raises an exception of the type whose text matches (or which the predicate takes)."""
        try:
            yield
        except exception_type as error:
            wanted = expected_err_re_or_predicate
            fits = wanted(error) if callable(wanted) else re.search(wanted, str(error))
            if not fits:
                raise AssertionError(f"Exception of type {type(error)}: {error} does not match {wanted!r}") from error
        else:
            self.fail(f"{exception_type.__name__} not raised")

    def assertRaisesOpError(self, expected_err_re_or_predicate: Any) -> Any:
        """The block raises an error of an op that matches."""
        return self.assertRaisesWithPredicateMatch(errors.OpError, expected_err_re_or_predicate)

    def assertRaisesIncompatibleShapesError(
        self,
        exception_type: type | tuple[type, ...] = errors.InvalidArgumentError,
        *args: Any,
        **kwargs: object,
    ) -> Any:
        """The block raises because shapes do not fit."""
        return self.assertRaisesRegex(
            exception_type, r"Incompatible shapes|required broadcastable shapes|must be equal"
        )

    # --- sequences and strings ---
    def assertLen(self, container: Any, expected_len: int, msg: str | None = None) -> None:
        """A container has this length."""
        self.assertEqual(len(container), expected_len, msg)

    def assertEmpty(self, container: Any, msg: str | None = None) -> None:
        """A container is empty."""
        self.assertEqual(len(container), 0, msg or f"{container!r} has length of {len(container)}.")

    def assertNotEmpty(self, container: Any, msg: str | None = None) -> None:
        """A container is not empty."""
        self.assertTrue(len(container), msg or f"{container!r} has length of 0.")

    def assertItemsEqual(self, first: Any, second: Any, msg: str | None = None) -> None:
        """Two sequences have the same elements, in any order."""
        self.assertCountEqual(first, second, msg)

    def assertSameElements(self, expected_seq: Any, actual_seq: Any, msg: str | None = None) -> None:
        """Two sequences have the same elements, however often."""
        self.assertCountEqual(set(expected_seq), set(actual_seq), msg)

    def assertSequenceAlmostEqual(
        self, expected_seq: Any, actual_seq: Any, places: int | None = None, msg: str | None = None,
        delta: float | None = None,
    ) -> None:  # fmt: skip
        """The numbers of two sequences are almost equal."""
        self.assertEqual(len(expected_seq), len(actual_seq), msg)
        for one, two in zip(expected_seq, actual_seq):
            self.assertAlmostEqual(one, two, places, msg, delta)  # type: ignore[arg-type]

    def assertBetween(self, value: Any, minv: Any, maxv: Any, msg: str | None = None) -> None:
        """A value lies between two others, or is one of them."""
        self.assertTrue(minv <= value <= maxv, msg or f"{value!r} unexpectedly not between {minv!r} and {maxv!r}")

    def assertStartsWith(self, actual: str, expected_start: str, msg: str | None = None) -> None:
        """A text begins with another."""
        self.assertTrue(actual.startswith(expected_start), msg or f"{actual!r} does not start with {expected_start!r}")

    def assertEndsWith(self, actual: str, expected_end: str, msg: str | None = None) -> None:
        """A text ends with another."""
        self.assertTrue(actual.endswith(expected_end), msg or f"{actual!r} does not end with {expected_end!r}")

    def assertContainsSubset(self, expected_subset: Any, actual_set: Any, msg: str | None = None) -> None:
        """All elements of one are in the other."""
        missing = set(expected_subset) - set(actual_set)
        self.assertFalse(missing, msg or f"Missing elements {sorted(map(repr, missing))}")

    def assertContainsInOrder(self, strings: Any, target: str, msg: str | None = None) -> None:
        """Texts stand in another one, in this order."""
        at = 0
        for text in [strings] if isinstance(strings, str) else strings:
            found = target.find(text, at)
            self.assertGreaterEqual(found, 0, msg or f"Did not find {text!r} at or after {at} in {target!r}")
            at = found + len(text)

    def assertProtoEquals(self, expected: Any, actual: Any, msg: str | None = None) -> None:
        """Two messages are equal."""
        self.assertEqual(str(expected).split(), str(actual).split(), msg)


def _listed(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, (list, tuple)):
        return [_listed(v) for v in value]
    if isinstance(value, str):
        return value.encode()
    return value.item() if isinstance(value, np.generic) else value


def _as_bytes(array: Any) -> Array:
    flat = [v.encode() if isinstance(v, str) else v for v in array.reshape(-1).tolist()]
    out = np.empty(len(flat), object)
    out[:] = flat
    return out.reshape(array.shape)


# --- gradients -------------------------------------------------------------------------------------------------------
def compute_gradient(f: Callable[..., Any], x: TensorLike, delta: float | None = None) -> tuple[Any, Any]:
    """The Jacobians of `f` by each of its arguments `x`, as a tape finds them, and by differences.

    >>> import graphrt as tf
    >>> exact, numeric = tf.test.compute_gradient(lambda v: v * v, [tf.constant([1., 2.])])
    >>> exact[0].tolist()
    [[2.0, 0.0], [0.0, 4.0]]
    >>> bool(abs(exact[0] - numeric[0]).max() < 1e-2)
    True

    Raises:
      ValueError: `x` is no list.
    """
    if not isinstance(x, (list, tuple)):
        raise ValueError(errors.at_user_line("`x` must be a list or tuple of values convertible to a Tensor"))
    values = [convert_to_tensor(v) for v in x]
    if delta is None:
        delta = float(2.0 ** {2: -6, 4: -10, 8: -22}[min(v.dtype.size for v in values)])
    return (
        tuple(_tape_jacobian(f, values, i) for i in range(len(values))),
        tuple(_numeric_jacobian(f, values, i, delta) for i in range(len(values))),
    )


def _tape_jacobian(f: Callable[..., Any], values: list[Any], at: int) -> Array:
    with GradientTape(persistent=True) as tape:
        tape.watch(values[at])
        flat = convert_to_tensor(f(*values)).reshape([-1])
        parts = [flat[i] for i in range(int(flat.shape[0] or 0))]
    size = int(np.prod(values[at].shape.as_list()))
    rows = []
    for part in parts:
        found = tape.gradient(part, values[at])
        rows.append(np.zeros(size) if found is None else convert_to_tensor(found).numpy().reshape(-1))
    return np.array(rows, values[at].dtype.as_numpy_dtype).reshape(len(parts), size)


def _numeric_jacobian(f: Callable[..., Any], values: list[Any], at: int, delta: float) -> Array:
    base = values[at].numpy()
    columns = []
    for i in range(base.size):
        ends = []
        for sign in (1, -1):
            moved = np.array(base)
            moved.reshape(-1)[i] += sign * delta
            arguments = [*values[:at], convert_to_tensor(moved), *values[at + 1 :]]
            ends.append(convert_to_tensor(f(*arguments)).numpy().reshape(-1))
        columns.append((ends[0] - ends[1]) / (2 * delta))
    return np.array(columns, base.dtype).T


# --- what there is not -----------------------------------------------------------------------------------------------
def is_built_with_cuda() -> bool:
    """False.

    >>> import graphrt as tf
    >>> tf.test.is_built_with_cuda()
    False
    """
    return False


def is_built_with_rocm() -> bool:
    """False.

    >>> import graphrt as tf
    >>> tf.test.is_built_with_rocm()
    False
    """
    return False


def is_built_with_gpu_support() -> bool:
    """False.

    >>> import graphrt as tf
    >>> tf.test.is_built_with_gpu_support()
    False
    """
    return False


def is_built_with_xla() -> bool:
    """False.

    >>> import graphrt as tf
    >>> tf.test.is_built_with_xla()
    False
    """
    return False


def is_gpu_available(cuda_only: bool = False, min_cuda_compute_capability: Any = None) -> bool:
    """False.

    >>> import graphrt as tf
    >>> tf.test.is_gpu_available()
    False
    """
    return False


def gpu_device_name() -> str:
    """The empty string: there is none.

    >>> import graphrt as tf
    >>> tf.test.gpu_device_name()
    ''
    """
    return ""


def main(argv: Any = None) -> None:
    """Runs the tests of the main module, as `unittest.main` does.

    >>> import graphrt as tf
    >>> class Sums(tf.test.TestCase):
    ...     def test_two(self):
    ...         self.assertAllEqual(tf.add([1], 1), [2])
    >>> tf.test.main(["program", "Sums"])  # doctest: +SKIP
    """
    unittest.main(argv=argv)
