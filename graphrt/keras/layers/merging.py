"""Layers and functions that make one tensor of several."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import graphrt as tf
from graphrt import errors
from graphrt.keras import ops
from graphrt.keras.layers.base import Layer
from graphrt.keras.made_ops import common_dtype
from graphrt.keras.masks import mask_of
from graphrt.tensor.tensor import Tensor
from graphrt.types.likes import AxisLike, TensorLike
from graphrt.types.nesting import said

__all__ = [
    "Add",
    "Average",
    "Concatenate",
    "Dot",
    "Maximum",
    "Minimum",
    "Multiply",
    "Subtract",
    "add",
    "average",
    "concatenate",
    "dot",
    "maximum",
    "minimum",
    "multiply",
    "subtract",
]


class _Merge(Layer):
    """Combines a list of tensors element by element; shapes are broadcast as in NumPy, from the last axis but the batch.

    Subclasses say how two are combined.
    """

    _pair: Callable[[Any, Any], Any] = staticmethod(lambda a, b: a)
    _neutral: Callable[[tf.DType], Any] | None = None  # what masked steps count as; as they are, where it is None

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.supports_masking = True

    def build(self, input_shape: Any) -> None:
        """Checks that the shapes can be combined."""
        if (
            not isinstance(input_shape, (list, tuple))
            or not input_shape
            or not isinstance(input_shape[0], (tuple, list))
        ):
            raise ValueError(
                f"A merge layer should be called on a list of at least 1 input. Layer {self.name!r} received: "
                f"input_shape={input_shape} (not a list of shapes)"
            )
        self._check(list(input_shape))

    def _check(self, shapes: list[Any]) -> None:
        output: list[Any] = []
        for shape in shapes:
            rest = list(shape[1:])
            longer, shorter = (output, rest) if len(output) >= len(rest) else (rest, output)
            merged = list(longer)
            for i in range(1, len(shorter) + 1):
                a, b = longer[-i], shorter[-i]
                if a is not None and b is not None and 1 not in (a, b) and a != b:
                    raise ValueError(
                        f"Inputs of layer {self.name!r} have incompatible shapes. Received shapes {tuple(output)} and "
                        f"{tuple(rest)}"
                    )
                merged[-i] = None if None in (a, b) and 1 in (a, b, 1) and a != b else max(a or 0, b or 0) or None
            output = merged

    def call(self, inputs: Any) -> Tensor:
        """The combined tensors."""
        masks: list[Any] = [mask_of(t) for t in inputs]
        tensors = _aligned(inputs)
        if self._neutral is not None and any(m is not None for m in masks):
            return self._masked(tensors, masks)
        return self._finish(functools.reduce(self._pair, tensors), len(inputs))

    def _masked(self, tensors: list[Any], masks: list[Any]) -> Tensor:
        """What counts combined; zeros where nothing does."""
        assert self._neutral is not None
        spread: list[Any] = [
            m if m is None else tf.broadcast_to(_spread(m, len(t.shape)), tf.shape(t)) for t, m in zip(tensors, masks)
        ]
        neutral = self._neutral(tensors[0].dtype)
        found = functools.reduce(
            self._pair, [t if m is None else tf.where(m, t, tf.cast(neutral, t.dtype)) for t, m in zip(tensors, spread)]
        )
        if any(m is None for m in spread):
            return found
        return tf.where(functools.reduce(tf.logical_or, spread), found, tf.zeros_like(found))

    def _finish(self, total: Tensor, count: int) -> Tensor:
        return total

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """Where any of the inputs counts, if all have masks."""
        if mask is None:
            return None
        _one_each(inputs, mask)
        if any(m is None for m in mask):
            return None
        return functools.reduce(ops.logical_or, mask)


def _one_each(inputs: list[object], masks: list[object]) -> None:
    """ValueError when there is not one mask for each of a list of inputs."""
    for name, value in (("mask", masks), ("inputs", inputs)):
        if not isinstance(value, (list, tuple)):
            raise ValueError(f"`{name}` should be a list. Received: {name}={value}")
    if len(masks) != len(inputs):
        raise ValueError(
            f"The lists `inputs` and `mask` should have the same length, found {len(inputs)} and {len(masks)}"
        )


def _spread(mask: Tensor, rank: int) -> Tensor:
    """A mask with axes of size 1 after its own, up to a rank."""
    while len(mask.shape) < rank:
        mask = tf.expand_dims(mask, -1)
    return mask


def _promoted(inputs: Any) -> list[Any]:
    """All of one dtype: integers give way to floats, and narrow ones to wide ones."""
    dtype = common_dtype(list(inputs))
    return [t if t.dtype == dtype else tf.cast(t, dtype) for t in inputs]


def _aligned(inputs: Any) -> list[Any]:
    """All of one dtype and rank: axes of size 1 are put in after the batch."""
    tensors = _promoted(inputs)
    rank = max(len(t.shape) for t in tensors)
    for position, tensor in enumerate(tensors):
        while len(tensor.shape) < rank:
            tensor = tf.expand_dims(tensor, 1)
        tensors[position] = tensor
    return tensors


class Add(_Merge):
    """The sum of the inputs.

    >>> import graphrt as tf
    >>> tf.keras.layers.Add()([tf.ones([1, 2]), tf.ones([1, 2])]).numpy().tolist()
    [[2.0, 2.0]]

    Raises:
      ValueError: the shapes do not fit.
    """

    _pair = staticmethod(tf.add)


class Subtract(_Merge):
    """The first input less the second.

    >>> import graphrt as tf
    >>> tf.keras.layers.Subtract()([tf.ones([1, 2]), tf.ones([1, 2])]).numpy().tolist()
    [[0.0, 0.0]]

    Raises:
      ValueError: there are not two inputs, or their shapes do not fit.
    """

    _pair = staticmethod(tf.subtract)

    def build(self, input_shape: Any) -> None:
        """Checks that there are two."""
        super().build(input_shape)
        if len(input_shape) != 2:
            raise ValueError(
                f"A `Subtract` layer should be called on exactly 2 inputs. Received: input_shape={input_shape}"
            )


class Multiply(_Merge):
    """The product of the inputs.

    >>> import graphrt as tf
    >>> tf.keras.layers.Multiply()([2 * tf.ones([1, 2]), 3 * tf.ones([1, 2])]).numpy().tolist()
    [[6.0, 6.0]]

    Raises:
      ValueError: the shapes do not fit.
    """

    _neutral = staticmethod(lambda dtype: 1)
    _pair = staticmethod(tf.multiply)


class Average(_Merge):
    """The mean of the inputs.

    >>> import graphrt as tf
    >>> tf.keras.layers.Average()([tf.ones([1, 2]), 3 * tf.ones([1, 2])]).numpy().tolist()
    [[2.0, 2.0]]

    Raises:
      ValueError: the shapes do not fit.
    """

    _pair = staticmethod(tf.add)

    def _finish(self, total: Tensor, count: int) -> Tensor:
        return total / count


class Maximum(_Merge):
    """The greatest of the inputs, element by element.

    >>> import graphrt as tf
    >>> tf.keras.layers.Maximum()([tf.ones([1, 2]), 3 * tf.ones([1, 2])]).numpy().tolist()
    [[3.0, 3.0]]

    Raises:
      ValueError: the shapes do not fit.
    """

    _neutral = staticmethod(lambda dtype: dtype.min)
    _pair = staticmethod(tf.maximum)


class Minimum(_Merge):
    """The least of the inputs, element by element.

    >>> import graphrt as tf
    >>> tf.keras.layers.Minimum()([tf.ones([1, 2]), 3 * tf.ones([1, 2])]).numpy().tolist()
    [[1.0, 1.0]]

    Raises:
      ValueError: the shapes do not fit.
    """

    _neutral = staticmethod(lambda dtype: dtype.max)
    _pair = staticmethod(tf.minimum)


class Concatenate(_Merge):
    """The inputs one after the other along `axis`.

    >>> import graphrt as tf
    >>> tf.keras.layers.Concatenate()([tf.ones([1, 2]), tf.zeros([1, 1])]).numpy().tolist()
    [[1.0, 1.0, 0.0]]

    Raises:
      ValueError: the shapes differ elsewhere than in `axis`.
    """

    def __init__(self, axis: int = -1, **kwargs: object) -> None:
        errors.expect(axis, int, "axis", "a whole number")
        super().__init__(**kwargs)
        self.axis = axis

    def _check(self, shapes: list[Any]) -> None:
        rank = len(shapes[0])
        for shape in shapes:
            if len(shape) != rank:
                raise ValueError(
                    f"A `Concatenate` layer requires inputs of one rank. Layer {self.name!r} received: "
                    f"input_shape={shapes}"
                )
            for axis, (a, b) in enumerate(zip(shapes[0], shape)):
                if axis != self.axis % rank and None not in (a, b) and a != b:
                    raise ValueError(
                        "A `Concatenate` layer requires inputs with matching shapes except for the concatenation axis. "
                        f"Layer {self.name!r} received: input_shape={shapes}"
                    )

    def call(self, inputs: Any) -> Tensor:
        """The joined tensors."""
        return tf.concat(_promoted(inputs), axis=self.axis)

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """The joined masks; an input without one counts everywhere."""
        if mask is None:
            return None
        _one_each(inputs, mask)
        if all(m is None for m in mask):
            return None
        masks = []
        for tensor, one in zip(inputs, mask):
            if one is None:
                one = ops.ones_like(tensor, dtype="bool")
            elif len(one.shape) < len(tensor.shape):
                one = ops.logical_or(ops.expand_dims(one, -1), ops.zeros_like(tensor, dtype="bool"))
            masks.append(one)
        return ops.any(ops.concatenate(masks, axis=self.axis), axis=-1, keepdims=False)


class Dot(_Merge):
    """The products of two inputs, summed along `axes`, for each sample; with `normalize`, the cosine of the angle.

    >>> import graphrt as tf
    >>> tf.keras.layers.Dot(axes=1)([tf.constant([[1.0, 2.0]]), tf.constant([[3.0, 4.0]])]).numpy().tolist()
    [[11.0]]

    Raises:
      ValueError: there are not two inputs, or the sizes of the axes differ.
    """

    def __init__(self, axes: Any, normalize: bool = False, **kwargs: object) -> None:
        super().__init__(**kwargs)
        if not isinstance(axes, (int, list, tuple)):
            raise TypeError(
                f"Invalid type for argument `axes`: it should be a list or an int. Received: axes={said(axes)}"
            )
        if not isinstance(axes, int) and (len(axes) != 2 or not all(isinstance(a, int) for a in axes)):
            raise ValueError(f"Argument `axes` should be an integer or two of them. Received: axes={said(axes)}")
        self.axes = axes
        self.normalize = normalize

    def _pair_of_axes(self, first: int, second: int) -> tuple[int, int]:
        a, b = (self.axes, self.axes) if isinstance(self.axes, int) else self.axes
        if not -first <= a < first or not -second <= b < second:
            raise IndexError(f"`axes` of layer {self.name!r} are {(a, b)}, the inputs have ranks {first} and {second}")
        return a % first, b % second

    def _check(self, shapes: list[Any]) -> None:
        if len(shapes) != 2:
            raise ValueError(f"A `Dot` layer should be called on a list of 2 inputs. Received: input_shape={shapes}")
        a, b = self._pair_of_axes(len(shapes[0]), len(shapes[1]))
        if shapes[0][a] != shapes[1][b]:
            raise ValueError(
                f"Incompatible input shapes in layer {self.name!r}: axis values {shapes[0][a]} (at axis {a}) != "
                f"{shapes[1][b]} (at axis {b}). Full input shapes: {shapes[0]}, {shapes[1]}"
            )

    def call(self, inputs: Any) -> Tensor:
        """The sums of products."""
        x, y = _promoted(inputs)
        a, b = self._pair_of_axes(len(x.shape), len(y.shape))
        if self.normalize:
            x, y = tf.nn.l2_normalize(x, axis=a), tf.nn.l2_normalize(y, axis=b)
        letters = "bcdefghijklmn"
        first = "a" + letters[: len(x.shape) - 1]
        second = "a" + letters[len(x.shape) - 1 : len(x.shape) + len(y.shape) - 2]
        second = second[:b] + first[a] + second[b + 1 :]
        rest = "".join(letter for letter in first + second[1:] if letter != first[a])
        found = tf.einsum(f"{first},{second}->{rest}", x, y)
        return tf.expand_dims(found, -1) if len(rest) == 1 else found

    def compute_mask(self, inputs: TensorLike, mask: Any = None) -> Any:
        """None: the steps are gone."""
        return None


def add(inputs: TensorLike, **kwargs: Any) -> Tensor:
    """`Add()(inputs)`.

    >>> import graphrt as tf
    >>> tf.keras.layers.add([tf.ones([1]), tf.ones([1])]).numpy().tolist()
    [2.0]
    """
    return Add(**kwargs)(inputs)


def subtract(inputs: TensorLike, **kwargs: Any) -> Tensor:
    """`Subtract()(inputs)`.

    >>> import graphrt as tf
    >>> tf.keras.layers.subtract([tf.constant([[1.0, 5.0]]), tf.constant([[3.0, 2.0]])]).numpy()[0].tolist()
    [-2.0, 3.0]
    """
    return Subtract(**kwargs)(inputs)


def multiply(inputs: TensorLike, **kwargs: Any) -> Tensor:
    """`Multiply()(inputs)`.

    >>> import graphrt as tf
    >>> tf.keras.layers.multiply([tf.constant([[1.0, 5.0]]), tf.constant([[3.0, 2.0]])]).numpy()[0].tolist()
    [3.0, 10.0]
    """
    return Multiply(**kwargs)(inputs)


def average(inputs: TensorLike, **kwargs: Any) -> Tensor:
    """`Average()(inputs)`.

    >>> import graphrt as tf
    >>> tf.keras.layers.average([tf.constant([[1.0, 5.0]]), tf.constant([[3.0, 2.0]])]).numpy()[0].tolist()
    [2.0, 3.5]
    """
    return Average(**kwargs)(inputs)


def maximum(inputs: TensorLike, **kwargs: Any) -> Tensor:
    """`Maximum()(inputs)`.

    >>> import graphrt as tf
    >>> tf.keras.layers.maximum([tf.constant([[1.0, 5.0]]), tf.constant([[3.0, 2.0]])]).numpy()[0].tolist()
    [3.0, 5.0]
    """
    return Maximum(**kwargs)(inputs)


def minimum(inputs: TensorLike, **kwargs: Any) -> Tensor:
    """`Minimum()(inputs)`.

    >>> import graphrt as tf
    >>> tf.keras.layers.minimum([tf.constant([[1.0, 5.0]]), tf.constant([[3.0, 2.0]])]).numpy()[0].tolist()
    [1.0, 2.0]
    """
    return Minimum(**kwargs)(inputs)


def concatenate(inputs: TensorLike, axis: int = -1, **kwargs: object) -> Tensor:
    """`Concatenate(axis)(inputs)`.

    >>> import graphrt as tf
    >>> tf.keras.layers.concatenate([tf.constant([[1.0, 5.0]]), tf.constant([[3.0, 2.0]])]).numpy()[0].tolist()
    [1.0, 5.0, 3.0, 2.0]
    """
    return Concatenate(axis=axis, **kwargs)(inputs)


def dot(inputs: TensorLike, axes: AxisLike = -1, **kwargs: Any) -> Tensor:
    """`Dot(axes)(inputs)`.

    >>> import graphrt as tf
    >>> tf.keras.layers.dot([tf.constant([[1.0, 5.0]]), tf.constant([[3.0, 2.0]])], axes=1).numpy().tolist()
    [[13.0]]
    """
    return Dot(axes=axes, **kwargs)(inputs)
