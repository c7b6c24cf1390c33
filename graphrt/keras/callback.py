"""The base of callbacks (`keras.callbacks`)."""

from __future__ import annotations

from typing import Any

from graphrt.types.nesting import tell_of_depth


class Callback:
    """Base of callbacks: methods that are called at the begin and end of training, epochs, batches.

    `model` is the model, `params` says `epochs`, `steps` and `verbose`.

    >>> import graphrt as tf
    >>> class Count(tf.keras.callbacks.Callback):
    ...     batches = 0
    ...     def on_train_batch_end(self, batch, logs=None):
    ...         self.batches += 1
    >>> count = Count()
    >>> model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    >>> model.compile(loss="mse")
    >>> _ = model.fit(tf.ones([4, 2]), tf.ones([4, 1]), batch_size=2, callbacks=[count], verbose=0)
    >>> count.batches
    2
    """

    model: Any = None
    params: dict[str, Any] | None = None

    def __init_subclass__(cls, **kwargs: object) -> None:
        super().__init_subclass__(**kwargs)
        tell_of_depth(cls)

    def set_model(self, model: object) -> None:
        """Tells which model is meant."""
        self.model = model

    def set_params(self, params: dict[str, Any]) -> None:
        """Tells the number of epochs and steps."""
        self.params = params

    def on_batch_begin(self, batch: int, logs: dict[str, Any] | None = None) -> None:
        """The same as `on_train_batch_begin`."""

    def on_batch_end(self, batch: int, logs: dict[str, Any] | None = None) -> None:
        """The same as `on_train_batch_end`."""

    def on_epoch_begin(self, epoch: int, logs: dict[str, Any] | None = None) -> None:
        """Before an epoch of training."""

    def on_epoch_end(self, epoch: int, logs: dict[str, Any] | None = None) -> None:
        """After an epoch of training and validation; `logs` has the metrics."""

    def on_train_batch_begin(self, batch: int, logs: dict[str, Any] | None = None) -> None:
        """Before a training step."""
        self.on_batch_begin(batch, logs)

    def on_train_batch_end(self, batch: int, logs: dict[str, Any] | None = None) -> None:
        """After a training step; `logs` has the metrics so far."""
        self.on_batch_end(batch, logs)

    def on_test_batch_begin(self, batch: int, logs: dict[str, Any] | None = None) -> None:
        """Before a step of evaluation."""

    def on_test_batch_end(self, batch: int, logs: dict[str, Any] | None = None) -> None:
        """After a step of evaluation."""

    def on_predict_batch_begin(self, batch: int, logs: dict[str, Any] | None = None) -> None:
        """Before a step of prediction."""

    def on_predict_batch_end(self, batch: int, logs: dict[str, Any] | None = None) -> None:
        """After a step of prediction; `logs` has the outputs."""

    def on_train_begin(self, logs: dict[str, Any] | None = None) -> None:
        """Before training."""

    def on_train_end(self, logs: dict[str, Any] | None = None) -> None:
        """After training."""

    def on_test_begin(self, logs: dict[str, Any] | None = None) -> None:
        """Before evaluation, also that in `fit`."""

    def on_test_end(self, logs: dict[str, Any] | None = None) -> None:
        """After evaluation."""

    def on_predict_begin(self, logs: dict[str, Any] | None = None) -> None:
        """Before prediction."""

    def on_predict_end(self, logs: dict[str, Any] | None = None) -> None:
        """After prediction."""
