"""`keras.Variable`: a variable with a path, an initializer and a regularizer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import graphrt as tf
from graphrt.keras.config import floatx
from graphrt.keras.configurable import Identifier
from graphrt.keras.names import auto_name, path_of
from graphrt.tensor.tensor import Tensor
from graphrt.types.likes import DTypeLike


class Variable(tf.Variable):
    """A `tf.Variable` made of an initializer (a function of shape and dtype) or a value, with a `path`.

    >>> import graphrt as tf
    >>> tf.keras.Variable([1.0, 2.0], name="w")
    <Variable path=w, shape=(2,), dtype=float32, value=[1. 2.]>
    >>> tf.keras.Variable(tf.keras.initializers.Ones(), shape=(2, 1)).numpy().tolist()
    [[1.0], [1.0]]

    Raises:
      ValueError: an initializer is given without a shape.
    """

    _path = ""
    _made_trainable = True
    regularizer: Any = None

    def __init__(
        self,
        initializer: Any,
        shape: Any = None,
        dtype: DTypeLike | None = None,
        trainable: bool = True,
        autocast: bool = True,
        aggregation: str = "none",
        synchronization: str = "auto",
        name: str | None = None,
        regularizer: Identifier = None,
        constraint: Callable[..., Any] | None = None,
    ) -> None:
        name = name or auto_name("variable")
        if "/" in name:
            raise ValueError(
                f"Argument `name` must be a string and cannot contain character `/`. Received: name={name}"
            )
        with tf.init_scope():
            if isinstance(initializer, str) and shape is not None:  # the name of one; a string alone is a value
                initializer = tf.keras.initializers.get(initializer)
            if callable(initializer) and not isinstance(initializer, (tf.Tensor, tf.Variable)):
                if shape is None:
                    raise ValueError(
                        "When creating a Variable from an initializer, the `shape` argument should be specified. "
                        f"Received: initializer={initializer} and shape={shape}"
                    )
                value = initializer(tuple(shape), dtype=tf.as_dtype(dtype or floatx()))
            else:
                value = _value_of(initializer, dtype)
        with tf.name_scope(""):
            super().__init__(value, trainable=trainable, name=name, dtype=dtype, constraint=constraint)
        self._path = path_of(name)
        self._made_trainable = bool(trainable)
        self.regularizer = regularizer

    @property
    def value(self) -> Tensor:  # type: ignore[override]
        """The value now, as a tensor: an attribute in Keras, where it is a method of `tf.Variable`."""
        return self.__tf_value__()

    def __tf_value__(self) -> Tensor:
        """The value now, as a tensor."""
        found: Tensor = super().value()
        return found

    @property
    def constraint(self) -> Callable[..., Any] | None:
        """What an optimizer does with the value after each step; None for nothing."""
        return super().constraint

    @constraint.setter
    def constraint(self, value: Callable[..., Any] | None) -> None:
        if value is not None and not callable(value):
            raise ValueError(
                f"Invalid value for attribute `constraint`. Expected a callable or None. Received: {value}"
            )
        self._constraint = value

    @property
    def name(self) -> str:
        """The last part of the path, `kernel`."""
        return super().name.removesuffix(":0")

    @property
    def path(self) -> str:
        """The names of the layers around it, and its own: `sequential/dense/kernel`."""
        return self._path or self.name

    @property
    def trainable(self) -> bool:
        """Whether gradient tapes watch it without being asked."""
        return self._trainable

    @trainable.setter
    def trainable(self, value: bool) -> None:
        self._trainable = bool(value)
        self.storage.trainable = bool(value)

    def _kept(self) -> dict[str, Any]:
        return {"_path": self._path, "regularizer": self.regularizer, "_made_trainable": self._made_trainable}

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        made = super().__deepcopy__(memo)
        made.__dict__.update(self._kept(), _constraint=self._constraint)
        return made

    def __reduce__(self) -> Any:
        function, arguments = super().__reduce__()
        return _loaded, (function, arguments, {**self._kept(), "_constraint": self._constraint})

    def __repr__(self) -> str:
        head = f"<Variable path={self.path}, shape={tuple(self.shape)}, dtype={self.dtype.name}"
        return f"{head}>" if tf.inside_function() else f"{head}, value={self.numpy()}>"


def _loaded(function: Any, arguments: Any, kept: dict[str, Any]) -> Any:
    """A variable that was pickled."""
    made = function(*arguments)
    made.__dict__.update(kept)
    return made


def _value_of(value: Any, dtype: DTypeLike | None) -> Any:
    if dtype is None and not isinstance(value, (tf.Tensor, tf.Variable)):
        array = np.asarray(value)
        dtype = floatx() if array.dtype.kind == "f" else ("int32" if array.dtype.kind == "i" else None)
        return tf.convert_to_tensor(array, dtype) if dtype is None else tf.cast(array, dtype)
    return value if dtype is None else tf.cast(value, dtype)
