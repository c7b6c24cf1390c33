"""Metrics of how far the classes of predictions and labels overlap, relative to their unions."""

from __future__ import annotations

from typing import Any

import graphrt as tf
from graphrt.keras.config import floatx
from graphrt.keras.metrics.base import Metric
from graphrt.tensor.tensor import Tensor
from graphrt.types.likes import DTypeLike, TensorLike


class IoU(Metric):
    """The overlap of predicted and true classes relative to their union, as the mean of some classes.

    Classes that are not from 0 to `num_classes - 1` are not counted.

    >>> import graphrt as tf
    >>> m = tf.keras.metrics.IoU(num_classes=2, target_class_ids=[0])
    >>> m.update_state([0, 0, 1, 1], [0, 1, 0, 1])
    >>> round(float(m.result()), 4)
    0.3333

    Raises:
      ValueError: a class is not below `num_classes`.
    """

    def __init__(
        self, num_classes: int, target_class_ids: Any, name: str | None = None, dtype: DTypeLike | None = None,
        ignore_class: int | None = None, sparse_y_true: bool = True, sparse_y_pred: bool = True, axis: int = -1,
    ) -> None:  # fmt: skip
        super().__init__(dtype or tf.int64, name)
        self.num_classes, self.target_class_ids = num_classes, list(target_class_ids)
        if self.target_class_ids and max(self.target_class_ids) >= num_classes:
            raise ValueError(
                f"Target class id {max(self.target_class_ids)} is out of range, which is [0, {num_classes})."
            )
        self.ignore_class, self.sparse_y_true, self.sparse_y_pred = ignore_class, sparse_y_true, sparse_y_pred
        self.axis = axis
        # Counts of pixels soon are more than floats of 32 bits hold; whole numbers would take the fractions of weights.
        kept = dtype if dtype is not None and tf.as_dtype(dtype).is_floating else tf.float64
        self.total_cm = self.add_weight((num_classes, num_classes), dtype=kept, name="total_confusion_matrix")

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Takes a batch into account."""
        if not self.sparse_y_true:
            y_true = tf.argmax(tf.convert_to_tensor(y_true), axis=self.axis)
        if not self.sparse_y_pred:
            y_pred = tf.argmax(tf.convert_to_tensor(y_pred), axis=self.axis)
        self._gather(y_true, y_pred, sample_weight)

    def _gather(self, y_true: Any, y_pred: Any, sample_weight: Any) -> None:
        y_true = tf.reshape(tf.cast(y_true, tf.int64), [-1])
        y_pred = tf.reshape(tf.cast(y_pred, tf.int64), [-1])
        if sample_weight is None:
            weight = tf.ones_like(y_true, dtype=self.total_cm.dtype)
        else:
            weight = tf.cast(sample_weight, self.total_cm.dtype)
            weight = tf.broadcast_to(weight, tf.shape(y_true)) if len(weight.shape) == 0 else tf.reshape(weight, [-1])
        counted = tf.reduce_all([(v >= 0) & (v < self.num_classes) for v in (y_true, y_pred)], axis=0)
        if self.ignore_class is not None:
            counted &= tf.not_equal(y_true, self.ignore_class)
        y_true, y_pred, weight = (tf.where(counted, v, tf.zeros_like(v)) for v in (y_true, y_pred, weight))
        self.total_cm.assign_add(
            tf.math.confusion_matrix(y_true, y_pred, self.num_classes, weights=weight, dtype=self.total_cm.dtype)
        )

    def _overlaps(self, classes: list[int]) -> Tensor:
        matrix = tf.cast(self.total_cm, tf.float64)
        rows, columns = tf.reduce_sum(matrix, axis=0), tf.reduce_sum(matrix, axis=1)
        right = tf.linalg.diag_part(matrix)
        union = tf.gather(rows + columns - right, classes)
        share = tf.math.divide_no_nan(tf.gather(right, classes), union)
        mean = tf.math.divide_no_nan(tf.reduce_sum(share), tf.reduce_sum(tf.cast(union > 0, share.dtype)))
        return tf.cast(mean, self.dtype if tf.as_dtype(self.dtype).is_floating else floatx())

    def result(self) -> Tensor:
        """The mean overlap so far, of the classes that were seen."""
        return self._overlaps(self.target_class_ids)


class BinaryIoU(IoU):
    """The overlap of classes 0 and 1, of predicted probabilities over `threshold`.

    >>> import graphrt as tf
    >>> m = tf.keras.metrics.BinaryIoU(target_class_ids=[0, 1], threshold=0.3)
    >>> m.update_state([0, 1, 0, 1], [0.1, 0.2, 0.4, 0.7])
    >>> round(float(m.result()), 4)
    0.3333
    """

    def __init__(
        self, target_class_ids: TensorLike = (0, 1), threshold: float = 0.5, name: str | None = None,
        dtype: DTypeLike | None = None
    ) -> None:  # fmt: skip
        super().__init__(2, target_class_ids, name, dtype)
        self.threshold = threshold

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Takes a batch into account."""
        y_pred = tf.cast(y_pred, self.dtype if tf.as_dtype(self.dtype).is_floating else floatx())
        self._gather(y_true, tf.cast(y_pred >= self.threshold, tf.int64), sample_weight)


class MeanIoU(IoU):
    """The mean overlap of all classes.

    >>> import graphrt as tf
    >>> m = tf.keras.metrics.MeanIoU(num_classes=2)
    >>> m.update_state([0, 0, 1, 1], [0, 1, 0, 1])
    >>> round(float(m.result()), 4)
    0.3333
    """

    def __init__(
        self, num_classes: int, name: str | None = None, dtype: DTypeLike | None = None,
        ignore_class: int | None = None, sparse_y_true: bool = True, sparse_y_pred: bool = True, axis: int = -1
    ) -> None:  # fmt: skip
        super().__init__(
            num_classes, list(range(num_classes)), name, dtype, ignore_class, sparse_y_true, sparse_y_pred, axis
        )


class OneHotIoU(IoU):
    """The overlap of classes whose labels are one-hot.

    >>> import graphrt as tf
    >>> m = tf.keras.metrics.OneHotIoU(num_classes=2, target_class_ids=[0])
    >>> m.update_state([[1, 0], [0, 1]], [[0.9, 0.1], [0.2, 0.8]])
    >>> m.result().numpy().item()
    1.0
    """

    def __init__(
        self, num_classes: int, target_class_ids: TensorLike, name: str | None = None, dtype: DTypeLike | None = None,
        ignore_class: int | None = None, sparse_y_pred: bool = False, axis: int = -1,
    ) -> None:  # fmt: skip
        super().__init__(num_classes, target_class_ids, name, dtype, ignore_class, False, sparse_y_pred, axis)


class OneHotMeanIoU(MeanIoU):
    """The mean overlap of all classes, whose labels are one-hot.

    >>> import graphrt as tf
    >>> m = tf.keras.metrics.OneHotMeanIoU(num_classes=2)
    >>> m.update_state([[1, 0], [0, 1]], [[0.9, 0.1], [0.2, 0.8]])
    >>> m.result().numpy().item()
    1.0
    """

    def __init__(
        self, num_classes: int, name: str | None = None, dtype: DTypeLike | None = None,
        ignore_class: int | None = None, sparse_y_pred: bool = False, axis: int = -1
    ) -> None:  # fmt: skip
        super().__init__(num_classes, name, dtype, ignore_class, False, sparse_y_pred, axis)
