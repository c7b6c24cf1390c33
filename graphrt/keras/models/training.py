"""`compile`, `fit`, `evaluate`, `predict`: the loops around one traced step."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

import graphrt as tf
from graphrt import errors
from graphrt.ir.tracebacks import door
from graphrt.keras import callbacks as callbacks_module
from graphrt.keras import metrics as metrics_module
from graphrt.keras import optimizers
from graphrt.keras.callbacks import Callback
from graphrt.keras.calling import call_users
from graphrt.keras.layers.base import Layer, layers_in
from graphrt.keras.models.compiled import CompileMetrics
from graphrt.keras.models.compiled_losses import CompileLoss
from graphrt.keras.models.data import (
    Batches,
    as_arrays,
    as_batch,
    as_dense_arrays,
    batches_of,
    pack_x_y_sample_weight,
    split_arrays,
    unpack_x_y_sample_weight,
    weights_of_classes,
)
from graphrt.tensor.tensor import Tensor
from graphrt.types import structure
from graphrt.types.likes import Array, TensorLike

if TYPE_CHECKING:
    from graphrt.keras.callbacks import CallbackList, History


class Trainer(Layer):
    """What makes a layer trainable by itself. `train_step`, `test_step` and `predict_step` are there to be overridden."""

    optimizer: Any = None
    loss: Any = None
    stop_training = stop_evaluating = stop_predicting = False  # callbacks set them
    compiled = False
    run_eagerly = False
    steps_per_execution = 1
    jit_compile = False
    _loss_tracker: Any = None
    _compile_loss: CompileLoss | None = None
    _compile_metrics: CompileMetrics | None = None
    history: Any = None
    train_function: Any = None
    test_function: Any = None
    predict_function: Any = None
    _untracked = Layer._untracked | {
        "optimizer", "loss", "_compile_loss", "_compile_metrics", "_loss_tracker", "history", "train_function",
        "test_function", "predict_function", "_compile_config",
    }  # fmt: skip
    _TF_MODULE_IGNORED_PROPERTIES = Layer._TF_MODULE_IGNORED_PROPERTIES | {
        "optimizer", "_compile_loss", "_compile_metrics", "_loss_tracker", "history",
    }  # fmt: skip

    # --- compiling ---
    @door
    def compile(
        self,
        optimizer: Any = "rmsprop",
        loss: Any = None,
        loss_weights: Any = None,
        metrics: TensorLike | None = None,
        weighted_metrics: Any = None,
        run_eagerly: bool = False,
        steps_per_execution: int = 1,
        jit_compile: str | bool = "auto",
        auto_scale_loss: bool = True,
    ) -> None:
        """Says how the model is to be trained.

        >>> import graphrt as tf
        >>> model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
        >>> model.compile(optimizer="sgd", loss="mse", metrics=["mae"])
        >>> model.optimizer.learning_rate.numpy().round(2).item()
        0.009999999776482582

        Raises:
          ValueError: a name is not known.
        """
        self.optimizer = optimizers.get(optimizer)
        self.loss = loss
        names = getattr(self, "output_names", None)
        self._compile_loss = None if loss is None else CompileLoss(loss, loss_weights, names)
        for name, value in (("metrics", metrics), ("weighted_metrics", weighted_metrics)):
            if value is not None and not isinstance(value, (list, tuple, Mapping)):
                raise ValueError(
                    f"Expected `{name}` argument to be a list, tuple, or dict. Received instead: {name}={value} of "
                    f"type {type(value)}"
                )
        self._compile_metrics = None
        if metrics is not None or weighted_metrics is not None:
            self._compile_metrics = CompileMetrics(metrics, weighted_metrics, names)
        self._loss_tracker = metrics_module.Mean(name="loss")
        self.run_eagerly, self.steps_per_execution = run_eagerly, steps_per_execution
        self._compile_config = {
            "optimizer": optimizer, "loss": loss, "loss_weights": loss_weights, "metrics": metrics,
            "weighted_metrics": weighted_metrics, "run_eagerly": run_eagerly,
        }  # fmt: skip
        self.train_function = self.test_function = self.predict_function = None
        self.stop_training = False
        self.compiled = True

    def _check_compiled(self, method: str) -> None:
        if not self.compiled:
            raise ValueError(
                f"You must call `compile()` before using the model: `{method}` needs a loss and an optimizer."
            )

    @property
    def metrics(self) -> list[Any]:
        """The tracker of the loss, the metrics given to `compile`, those of single losses, and the model's own.

        Of models in it, only the metrics of their layers count: what they were compiled with is not used here.
        """
        trackers = [] if self._compile_loss is None else self._compile_loss.trackers
        found = [m for m in (self._loss_tracker, self._compile_metrics, *trackers) if m is not None]
        found += self.own_metrics()
        for layer in layers_in(self):
            if not isinstance(layer, Trainer):
                found += layer.own_metrics()
        return list({id(m): m for m in found}.values())

    @property
    def metrics_names(self) -> list[str]:
        """The names of `metrics`."""
        return [m.name for m in self.metrics]

    def reset_metrics(self) -> None:
        """Lets all metrics begin anew."""
        for metric in self.metrics:
            metric.reset_state()

    def get_metrics_result(self) -> dict[str, Any]:
        """The results of all metrics by name."""
        found: dict[str, Any] = {}
        for metric in self.metrics:
            result = metric.result()
            if isinstance(result, Mapping):
                found.update(result)
            else:
                found[metric.name] = result
        return found

    # --- one step ---
    def compute_loss(
        self, x: TensorLike | None = None, y: TensorLike | None = None, y_pred: TensorLike | None = None,
        sample_weight: Any = None, training: bool = True
    ) -> Tensor:  # fmt: skip
        """The loss of a batch: that of `compile`, and what layers and regularizers add."""
        found = []
        if self._compile_loss is not None and y is not None:
            found.append(self._compile_loss(y, y_pred, sample_weight))
        found += [tf.reduce_sum(tf.cast(v, tf.float32)) for v in self.losses]
        if not found:
            if self._compile_loss is None:
                raise ValueError(
                    "No loss to compute. Provide a `loss` argument in `compile()`, or call `add_loss` in a layer."
                )
            raise ValueError("No loss to compute: there are no targets. Pass `y`, or batches `(x, y)`.")
        return found[0] if len(found) == 1 else tf.add_n(found)

    def compiled_loss(
        self, y: TensorLike, y_pred: TensorLike, sample_weight: TensorLike | None = None,
        regularization_losses: Any = None
    ) -> Any:  # fmt: skip
        """The loss given to `compile`, for `train_step`s that were written for older versions."""
        loss = self.compute_loss(y=y, y_pred=y_pred, sample_weight=sample_weight)
        self._loss_tracker.update_state(loss)
        return loss

    @property
    def compiled_metrics(self) -> CompileMetrics:
        """The metrics given to `compile`: it has `update_state(y, y_pred, sample_weight)`."""
        return CompileMetrics(None, None, None) if self._compile_metrics is None else self._compile_metrics

    def compute_metrics(
        self, x: TensorLike, y: TensorLike, y_pred: TensorLike, sample_weight: Any = None
    ) -> dict[str, Any]:
        """Updates the metrics given to `compile`, and gives the results of all."""
        if self._compile_metrics is not None and y is not None:
            self._compile_metrics.update_state(y, y_pred, sample_weight)
        return self.get_metrics_result()

    def _loss_of(self, x: TensorLike, y: TensorLike, y_pred: Any, sample_weight: Any, training: bool) -> Tensor:
        """What `compute_loss` gives, which a subclass may have written without `training`."""
        taken = inspect.signature(self.compute_loss).parameters
        told = "training" in taken or any(p.kind is p.VAR_KEYWORD for p in taken.values())
        options = {"training": training} if told else {}
        return call_users(self.compute_loss, x=x, y=y, y_pred=y_pred, sample_weight=sample_weight, **options)

    def _track_loss(self, loss: Tensor, x: TensorLike) -> None:
        sizes = [t for t in structure.flatten(x) if t is not None]
        self._loss_tracker.update_state(loss, sample_weight=tf.shape(sizes[0])[0])

    def train_step(self, data: Any) -> dict[str, Any]:
        """One update of the weights; gives the metrics by name."""
        x, y, sample_weight = unpack_x_y_sample_weight(data)
        with tf.GradientTape() as tape:
            y_pred = self(x, training=True)
            loss = self._loss_of(x, y, y_pred, sample_weight, True)
            self._track_loss(loss, x)
            loss = self.optimizer.scale_loss(loss)
        weights = self.trainable_weights
        if weights:
            self.optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights))
        else:
            errors.warn("The model does not have any trainable weights.")
        return self.compute_metrics(x, y, y_pred, sample_weight=sample_weight)

    def test_step(self, data: Any) -> dict[str, Any]:
        """The metrics of a batch, without an update."""
        x, y, sample_weight = unpack_x_y_sample_weight(data)
        y_pred = self(x, training=False)
        self._track_loss(self._loss_of(x, y, y_pred, sample_weight, False), x)
        return self.compute_metrics(x, y, y_pred, sample_weight=sample_weight)

    def predict_step(self, data: Any) -> Any:
        """The outputs for a batch."""
        return self(unpack_x_y_sample_weight(data)[0], training=False)

    def _function_of(self, name: str) -> Any:
        """The traced step, made when it is first needed."""
        found = getattr(self, f"{name}_function")
        if found is None:
            step = getattr(self, f"{name}_step")

            def one_step(data: Any) -> Any:
                return step(data)

            found = one_step if self.run_eagerly else tf.function(step, reduce_retracing=True)
            setattr(self, f"{name}_function", found)
        return found

    def make_train_function(self, force: bool = False) -> Any:
        """The function of a batch that `fit` calls; `force` traces it anew."""
        self.train_function = None if force else self.train_function
        return self._function_of("train")

    def make_test_function(self, force: bool = False) -> Any:
        """The function of a batch that `evaluate` calls; `force` traces it anew."""
        self.test_function = None if force else self.test_function
        return self._function_of("test")

    def make_predict_function(self, force: bool = False) -> Any:
        """The function of a batch that `predict` calls; `force` traces it anew."""
        self.predict_function = None if force else self.predict_function
        return self._function_of("predict")

    # --- loops ---
    @door
    def fit(
        self,
        x: object = None,
        y: TensorLike | None = None,
        batch_size: int | None = None,
        epochs: int = 1,
        verbose: TensorLike = "auto",
        callbacks: Sequence[Callback] | Callback | None = None,
        validation_split: float = 0.0,
        validation_data: TensorLike | None = None,
        shuffle: bool = True,
        class_weight: Any = None,
        sample_weight: Any = None,
        initial_epoch: int = 0,
        steps_per_epoch: int | None = None,
        validation_steps: int | None = None,
        validation_batch_size: int | None = None,
        validation_freq: TensorLike = 1,
    ) -> History:
        """Trains the model, and gives a `History`.

        `x` (and `y`) are arrays, or `x` is a dataset, a generator or a `PyDataset` of batches `(x, y)` or
        `(x, y, sample_weight)`. With `verbose="auto"` there is a progress bar on a terminal, and a line for each epoch
        elsewhere; 0, 1 and 2 choose silence, the bar, and the lines.

        >>> import numpy as np
        >>> import graphrt as tf
        >>> model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
        >>> model.compile(optimizer="sgd", loss="mse")
        >>> sorted(model.fit(np.ones((4, 2)), np.ones((4, 1)), validation_split=0.5, verbose=0).history)
        ['loss', 'val_loss']

        Raises:
          ValueError: the model is not compiled, or the data does not fit together.
        """
        self._check_compiled("fit")
        if validation_split and validation_data is None:
            arrays = (as_arrays(x), as_dense_arrays(y), as_dense_arrays(sample_weight))
            if isinstance(x, tf.data.Dataset) or hasattr(x, "__next__"):
                raise ValueError("`validation_split` is only supported for tensors or NumPy arrays")
            (x, y, sample_weight), held = split_arrays(arrays, validation_split)
            validation_data = held
        batches = batches_of(x, y, sample_weight, batch_size, shuffle, class_weight, steps_per_epoch,
                             self.steps_per_execution)  # fmt: skip
        validation = self._validation_batches(validation_data, validation_batch_size or batch_size, validation_steps)
        self.stop_training = False
        told = callbacks_module.as_callback_list(
            callbacks, model=self, verbose=verbose, epochs=epochs, steps=batches.steps, history=True
        )
        function = self._function_of("train")
        told.on_train_begin()
        logs: dict[str, Any] = {}
        for epoch in range(initial_epoch, epochs):
            self.reset_metrics()
            told.on_epoch_begin(epoch)
            logs = self._run_batches(function, batches, told, "train")
            if not logs and batches.ended:
                break
            told.set_steps(batches.steps)
            epoch_logs = dict(logs)
            if validation is not None and _due(epoch, validation_freq):
                val_logs = self._evaluated(validation, told)
                epoch_logs.update({f"val_{k}": v for k, v in val_logs.items()})
                epoch_logs = dict(sorted(epoch_logs.items()))
            told.on_epoch_end(epoch, epoch_logs)
            logs = epoch_logs
            if self.stop_training:
                break
        if self.optimizer is not None and epochs > initial_epoch:
            self.optimizer.finalize_variable_values(self.trainable_weights)
        told.on_train_end(logs)
        return self.history

    def _validation_batches(self, data: Any, batch_size: int | None, steps: int | None) -> Batches | None:
        if data is None:
            return None
        if isinstance(data, (tuple, list)):
            x, y, sample_weight = unpack_x_y_sample_weight(data)
            return batches_of(x, y, sample_weight, batch_size, steps=steps, per_execution=self.steps_per_execution)
        return batches_of(data, batch_size=batch_size, steps=steps, per_execution=self.steps_per_execution)

    def _run_batches(self, function: Any, batches: Batches, told: CallbackList, mode: str) -> dict[str, float]:
        """One epoch of steps; the metrics after the last."""
        begin, end = getattr(told, f"on_{mode}_batch_begin"), getattr(told, f"on_{mode}_batch_end")
        logs: dict[str, float] = {}
        begun = False
        for first, last, group in batches.executions(self.steps_per_execution):
            begun = True
            begin(first)
            for data in group:
                result = function(data)
            logs = _plain(result)
            end(last, logs)
            if self.stop_training if mode == "train" else self.stop_evaluating:
                break
        if not begun and not batches.begun:
            raise ValueError("There are no batches: the data is empty.")
        batches.begun = True
        return logs

    def _evaluated(self, batches: Batches, told: CallbackList) -> dict[str, float]:
        self.reset_metrics()
        self.stop_evaluating = False
        batches.restart()
        told.on_test_begin()
        logs = self._run_batches(self._function_of("test"), batches, told, "test")
        told.on_test_end(logs)
        return logs

    @door
    def evaluate(
        self, x: TensorLike | None = None, y: TensorLike | None = None, batch_size: int | None = None,
        verbose: Any = "auto", sample_weight: TensorLike | None = None, steps: int | None = None, callbacks: Any = None,
        return_dict: bool = False, **kwargs: object
    ) -> Any:  # fmt: skip
        """The loss and the metrics on data: a number, a list, or with `return_dict` a dictionary.

        Raises:
          ValueError: the model is not compiled, or the data does not fit together.
        """
        self._check_compiled("evaluate")
        if kwargs:
            raise ValueError(f"Arguments not recognized: {kwargs}")
        batches = batches_of(x, y, sample_weight, batch_size, steps=steps, per_execution=self.steps_per_execution)
        told = callbacks_module.as_callback_list(callbacks, model=self, verbose=verbose, epochs=1, steps=batches.steps)
        logs = self._evaluated(batches, told)
        return logs if return_dict else self._in_order(logs)

    def _in_order(self, logs: dict[str, float]) -> Any:
        """The values as a list: one for each metric that has such a name, in their order, then the others by name."""
        known = [one.name for m in self.metrics for one in (m.metrics if isinstance(m, CompileMetrics) else [m])]
        names = [name for name in known if name in logs]
        names += sorted(name for name in logs if name not in names)
        values = [logs[name] for name in names]
        return values[0] if len(values) == 1 else values

    @door
    def predict(
        self, x: TensorLike, batch_size: int | None = None, verbose: TensorLike = "auto", steps: int | None = None,
        callbacks: Any = None,
    ) -> Array:  # fmt: skip
        """The outputs for data, as arrays.

        >>> import numpy as np
        >>> import graphrt as tf
        >>> tf.keras.Sequential([tf.keras.layers.Dense(2)]).predict(np.ones((5, 3)), verbose=0).shape
        (5, 2)

        Raises:
          ValueError: the data is empty.
        """
        batches = batches_of(x, batch_size=batch_size, steps=steps, per_execution=self.steps_per_execution)
        told = callbacks_module.as_callback_list(callbacks, model=self, verbose=verbose, epochs=1, steps=batches.steps)
        function = self._function_of("predict")
        self.stop_predicting = False
        told.on_predict_begin()
        found: list[Any] = []
        for first, last, group in batches.executions(self.steps_per_execution):
            told.on_predict_batch_begin(first)
            found += [function(data) for data in group]
            told.on_predict_batch_end(last, {"outputs": _joined(found[-len(group) :])})
            if self.stop_predicting:
                break
        told.on_predict_end()
        if not found:
            raise ValueError("There are no batches: the data is empty.")
        return _joined(found)

    # --- one batch ---
    @door
    def train_on_batch(
        self, x: TensorLike, y: TensorLike | None = None, sample_weight: TensorLike | None = None,
        class_weight: Any = None, return_dict: bool = False
    ) -> Any:  # fmt: skip
        """One update; the metrics of the batch."""
        self._check_compiled("train_on_batch")
        if class_weight is not None:
            if sample_weight is not None:
                raise ValueError("Arguments `sample_weight` and `class_weight` cannot be specified at the same time.")
            sample_weight = weights_of_classes(as_arrays(y), class_weight)
        return self._one_batch("train", x, y, sample_weight, return_dict)

    @door
    def test_on_batch(
        self, x: TensorLike, y: TensorLike | None = None, sample_weight: TensorLike | None = None,
        return_dict: bool = False
    ) -> Any:  # fmt: skip
        """The metrics of the batch, without an update."""
        self._check_compiled("test_on_batch")
        return self._one_batch("test", x, y, sample_weight, return_dict)

    def _one_batch(self, mode: str, x: TensorLike, y: Any, sample_weight: Any, return_dict: bool) -> Any:
        self.reset_metrics()
        data = pack_x_y_sample_weight(*(_tensors(v) for v in (x, y, sample_weight)))
        logs = _plain(self._function_of(mode)(data))
        return logs if return_dict else self._in_order(logs)

    @door
    def predict_on_batch(self, x: Any) -> Any:
        """The outputs for one batch, as arrays."""
        found = self._function_of("predict")(pack_x_y_sample_weight(_tensors(x)))
        return structure.map_structure(lambda t: t.numpy(), found)


def compile_options(trainer: Trainer) -> dict[str, Any]:
    """What `compile` was given."""
    return trainer._compile_config


def _tensors(value: Any) -> Any:
    return None if value is None else structure.map_structure(as_batch, as_arrays(value))


def _plain(logs: dict[str, Any] | None) -> dict[str, Any]:
    """The metrics as Python numbers, in the order of their names."""
    if not isinstance(logs, Mapping):
        logs = {"loss": logs}
    found: dict[str, Any] = {}
    for name in sorted(logs):
        if isinstance(logs[name], Mapping):
            found.update(_plain(logs[name]))
            continue
        value = np.asarray(logs[name])
        found[name] = float(value) if value.ndim == 0 else value
    return found


def _joined(found: list[Any]) -> Any:
    """The outputs of several batches as arrays."""
    parts = [structure.flatten(f) for f in found]
    joined = [np.concatenate([np.atleast_1d(t.numpy()) for t in column], axis=0) for column in zip(*parts)]
    return structure.pack_like(found[0], joined)


def _due(epoch: int, frequency: Any) -> bool:
    return (epoch + 1) % frequency == 0 if isinstance(frequency, int) else (epoch + 1) in frequency
