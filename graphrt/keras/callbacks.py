"""`keras.callbacks`: what `fit`, `evaluate` and `predict` tell of what they do.

>>> import graphrt as tf
>>> model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
>>> model.compile(loss="mse")
>>> told = tf.keras.callbacks.LambdaCallback(on_epoch_end=lambda epoch, logs: print(epoch, sorted(logs)))
>>> _ = model.fit(tf.ones([2, 2]), tf.ones([2, 1]), epochs=2, callbacks=[told], verbose=0)
0 ['loss']
1 ['loss']
"""

from __future__ import annotations

import builtins
import csv
import inspect
import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from graphrt import errors
from graphrt.keras.callback import Callback
from graphrt.keras.optimizers.base import averages_of
from graphrt.keras.progress import Progbar
from graphrt.keras.tensorboard import TensorBoard
from graphrt.ops.io.files import local_path, telling
from graphrt.types.likes import PathLike
from graphrt.types.missing import missing_names
from graphrt.types.nesting import walkable

if not TYPE_CHECKING:  # checkers of types know what is there
    __getattr__ = missing_names(__name__)

__all__ = [
    "CSVLogger", "Callback", "CallbackList", "EarlyStopping", "History", "LambdaCallback", "LearningRateScheduler",
    "ModelCheckpoint", "ProgbarLogger", "ReduceLROnPlateau", "SwapEMAWeights", "TensorBoard", "TerminateOnNaN",
]  # fmt: skip


_EVENTS = [name for name in vars(Callback) if name.startswith("on_") and not name.startswith("on_batch")]


class CallbackList(Callback):
    """Several callbacks as one.

    >>> import graphrt as tf
    >>> calls = tf.keras.callbacks.CallbackList([tf.keras.callbacks.History()])
    >>> calls.on_train_begin()
    """

    def __init__(
        self, callbacks: list[Any] | None = None, add_history: bool = False, add_progbar: bool = False,
        model: object = None, **params: object
    ) -> None:  # fmt: skip
        self.callbacks: list[Callback] = _flat(callbacks)
        for callback in self.callbacks:
            if not hasattr(callback, "set_params"):
                raise errors.unexpected(callback, "callbacks", "a tf.keras.callbacks.Callback, or a list of them")
        if add_history and not any(isinstance(c, History) for c in self.callbacks):
            self.callbacks.append(History())
        if add_progbar and not any(isinstance(c, ProgbarLogger) for c in self.callbacks):
            self.callbacks.append(ProgbarLogger())
        if model is not None:
            self.set_model(model)
        self.set_params(params)

    def append(self, callback: Callback) -> None:
        """One callback more."""
        self.callbacks.append(callback)

    def set_model(self, model: Any) -> None:
        """Tells all which model is meant."""
        super().set_model(model)
        for callback in self.callbacks:
            if isinstance(callback, History):
                model.history = callback
            callback.set_model(model)

    def set_params(self, params: dict[str, Any]) -> None:
        """Tells all the number of epochs and steps."""
        super().set_params(params)
        for callback in self.callbacks:
            callback.set_params(params)

    def set_steps(self, steps: int | None) -> None:
        """Tells all how many steps an epoch has, once it is known."""
        assert self.params is not None
        self.params["steps"] = steps


def _forwarded(name: str) -> Callable[..., None]:
    places = len(inspect.signature(getattr(Callback, name)).parameters) - 2  # before the logs

    def call(self: CallbackList, *args: Any, logs: Any = None) -> None:
        logs = args[places] if len(args) > places else logs
        for callback in self.callbacks:
            getattr(callback, name)(*args[:places], {} if logs is None else logs)  # users take it that there are some

    call.__name__ = name
    call.__doc__ = f"`{name}` of all callbacks."
    return call


for _event in _EVENTS:
    setattr(CallbackList, _event, _forwarded(_event))


def _flat(callbacks: Any) -> list[Callback]:
    if isinstance(callbacks, (list, tuple)):
        return [c for part in callbacks for c in _flat(part)]
    return [] if callbacks is None else [callbacks]


def as_callback_list(
    callbacks: Any, model: Any, verbose: Any, epochs: int, steps: int | None, history: bool = False
) -> CallbackList:
    """The callbacks of a loop, with the progress bar and the history that it needs."""
    if isinstance(callbacks, CallbackList):
        return callbacks
    if verbose == "auto":
        verbose = 1 if hasattr(sys.stdout, "isatty") and sys.stdout.isatty() else 2
    return CallbackList(
        callbacks, add_history=history, add_progbar=bool(verbose), model=model, verbose=int(verbose), epochs=epochs,
        steps=steps,
    )  # fmt: skip


class History(Callback):
    """The metrics of each epoch: `history` by name, `epoch` their numbers. `fit` gives one.

    >>> import graphrt as tf
    >>> model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    >>> model.compile(loss="mse")
    >>> model.fit(tf.ones([2, 2]), tf.ones([2, 1]), epochs=3, verbose=0).epoch
    [0, 1, 2]
    """

    def __init__(self) -> None:
        self.history: dict[str, list[Any]] = {}
        self.epoch: list[int] = []

    def on_train_begin(self, logs: dict[str, Any] | None = None) -> None:
        """Begins anew."""
        self.epoch = []
        self.history = {}

    def on_epoch_end(self, epoch: int, logs: dict[str, Any] | None = None) -> None:
        """Notes the metrics."""
        self.epoch.append(epoch)
        for name, value in (logs or {}).items():
            self.history.setdefault(name, []).append(value)


class ProgbarLogger(Callback):
    """Shows the progress of epochs with a `Progbar`.

    >>> import graphrt as tf
    >>> isinstance(tf.keras.callbacks.ProgbarLogger(), tf.keras.callbacks.Callback)
    True
    """

    def __init__(self) -> None:
        self._bar: Progbar | None = None
        self._in_fit = False
        self._seen = 0

    @property
    def _verbose(self) -> int:
        return int((self.params or {}).get("verbose", 1) or 0)

    def _begin(self) -> None:
        self._bar, self._seen = None, 0

    def _step(self, batch: int, logs: dict[str, Any] | None) -> None:
        if self._bar is None:
            names = [m.name for m in self.model.metrics] if self.model is not None else []
            self._bar = Progbar(
                (self.params or {}).get("steps"), verbose=self._verbose, stateful_metrics={*names, *(logs or {})}
            )
        self._seen = batch + 1
        if self._verbose == 1:
            self._bar.update(self._seen, list((logs or {}).items()), finalize=False)

    def _end(self, logs: dict[str, Any] | None) -> None:
        if self._bar is None:
            return
        self._bar.target = self._seen if self._bar.target is None else self._bar.target
        self._bar.stateful_metrics |= set(logs or {})
        self._bar.update(self._bar.target, list((logs or {}).items()), finalize=True)

    def on_train_begin(self, logs: dict[str, Any] | None = None) -> None:
        """Notes that validations belong to epochs."""
        self._in_fit = True

    def on_train_end(self, logs: dict[str, Any] | None = None) -> None:
        """Notes the end."""
        self._in_fit = False

    def on_epoch_begin(self, epoch: int, logs: dict[str, Any] | None = None) -> None:
        """Names the epoch."""
        self._begin()
        epochs = (self.params or {}).get("epochs", 1)
        if self._verbose and epochs > 1:
            builtins.print(f"Epoch {epoch + 1}/{epochs}")

    def on_train_batch_begin(self, batch: int, logs: dict[str, Any] | None = None) -> None:
        """Begins to measure."""
        if self._bar is None:
            self._bar = Progbar((self.params or {}).get("steps"), verbose=self._verbose)

    def on_train_batch_end(self, batch: int, logs: dict[str, Any] | None = None) -> None:
        """Shows the step."""
        assert self._bar is not None
        self._bar.stateful_metrics |= set(logs or {})
        self._step(batch, logs)

    def on_epoch_end(self, epoch: int, logs: dict[str, Any] | None = None) -> None:
        """Ends the line."""
        self._end(logs)

    def on_test_begin(self, logs: dict[str, Any] | None = None) -> None:
        """Begins a line, unless it is a validation."""
        if not self._in_fit:
            self._begin()
            self._bar = Progbar((self.params or {}).get("steps"), verbose=self._verbose)

    def on_test_batch_end(self, batch: int, logs: dict[str, Any] | None = None) -> None:
        """Shows the step."""
        if not self._in_fit and self._bar is not None:
            self._bar.stateful_metrics |= set(logs or {})
            self._step(batch, logs)

    def on_test_end(self, logs: dict[str, Any] | None = None) -> None:
        """Ends the line."""
        if not self._in_fit:
            self._end(logs)

    def on_predict_begin(self, logs: dict[str, Any] | None = None) -> None:
        """Begins a line."""
        self._begin()
        self._bar = Progbar((self.params or {}).get("steps"), verbose=self._verbose)

    def on_predict_batch_end(self, batch: int, logs: dict[str, Any] | None = None) -> None:
        """Shows the step."""
        self._step(batch, None)

    def on_predict_end(self, logs: dict[str, Any] | None = None) -> None:
        """Ends the line."""
        self._end(None)


class LambdaCallback(Callback):
    """A callback of functions.

    >>> import graphrt as tf
    >>> tf.keras.callbacks.LambdaCallback(on_train_end=lambda logs: print("done")).on_train_end({})
    done
    """

    def __init__(
        self, on_epoch_begin: Any = None, on_epoch_end: Callable[..., Any] | None = None, on_train_begin: Any = None,
        on_train_end: Callable[..., Any] | None = None, on_train_batch_begin: Any = None,
        on_train_batch_end: Any = None, **kwargs: object
    ) -> None:  # fmt: skip
        given = {
            "on_epoch_begin": on_epoch_begin, "on_epoch_end": on_epoch_end, "on_train_begin": on_train_begin,
            "on_train_end": on_train_end, "on_train_batch_begin": on_train_batch_begin,
            "on_train_batch_end": on_train_batch_end, **kwargs,
        }  # fmt: skip
        self.__dict__.update({name: function for name, function in given.items() if function is not None})


def _direction(mode: str, monitor: str, owner: str) -> bool:
    """Whether more is better.

    Raises:
      ValueError: with 'auto', the name does not tell.
    """
    if mode in ("min", "max"):
        return mode == "max"
    if mode != "auto":
        errors.warn(f"{owner} mode {mode} is unknown, fallback to auto mode.")
    errors.expect(monitor, str, "monitor", "the name of a quantity, such as 'val_loss'")
    name = monitor.removeprefix("val_")
    upwards = ("acc", "auc", "precision", "recall", "f1", "fbeta", "iou", "r2", "correlation", "true_", "similarity")
    return any(part in name for part in upwards)


class EarlyStopping(Callback):
    """Ends training when `monitor` has not improved by `min_delta` for `patience` epochs.

    >>> import graphrt as tf
    >>> tf.keras.callbacks.EarlyStopping(monitor="loss", patience=2).patience
    2
    """

    def __init__(
        self, monitor: str = "val_loss", min_delta: float = 0, patience: int = 0, verbose: int = 0, mode: str = "auto",
        baseline: float | None = None, restore_best_weights: bool = False, start_from_epoch: int = 0,
    ) -> None:  # fmt: skip
        self.monitor, self.min_delta, self.patience, self.verbose = monitor, abs(walkable(min_delta)), patience, verbose
        self.mode, self.baseline, self.restore_best_weights = mode, baseline, restore_best_weights
        self.start_from_epoch, self._upwards = start_from_epoch, _direction(mode, monitor, "EarlyStopping")
        self._begin()

    def _begin(self) -> None:
        self.wait = self.stopped_epoch = self.best_epoch = 0
        self.best: float | None = None
        self.best_weights: Any = None

    def on_train_begin(self, logs: dict[str, Any] | None = None) -> None:
        """Begins anew."""
        self._begin()

    def _better(self, value: float, reference: float) -> bool:
        return value - self.min_delta > reference if self._upwards else value + self.min_delta < reference

    def on_epoch_end(self, epoch: int, logs: dict[str, Any] | None = None) -> None:
        """Looks whether the metric improved."""
        value = (logs or {}).get(self.monitor)
        if value is None:
            errors.warn(
                f"Early stopping conditioned on metric `{self.monitor}` which is not available. Available metrics are: "
                f"{','.join(logs or {})}"
            )
        if value is None or epoch < self.start_from_epoch:
            return
        if self.restore_best_weights and self.best_weights is None:
            self.best_weights, self.best_epoch = self.model.get_weights(), epoch
        self.wait += 1
        if self.best is None or self._better(value, self.best):
            self.best, self.best_epoch = value, epoch
            if self.restore_best_weights:
                self.best_weights = self.model.get_weights()
            if self.baseline is None or self._better(value, self.baseline):
                self.wait = 0
            return
        if self.wait >= self.patience and epoch > 0:
            self.stopped_epoch = epoch
            self.model.stop_training = True

    def on_train_end(self, logs: dict[str, Any] | None = None) -> None:
        """Brings back the best weights, if wanted."""
        if self.stopped_epoch > 0 and self.verbose > 0:
            builtins.print(f"Epoch {self.stopped_epoch + 1}: early stopping")
        if self.restore_best_weights and self.best_weights is not None:
            if self.verbose > 0:
                builtins.print(f"Restoring model weights from the end of the best epoch: {self.best_epoch + 1}.")
            self.model.set_weights(self.best_weights)


class ReduceLROnPlateau(Callback):
    """Multiplies the learning rate by `factor` when `monitor` has not improved for `patience` epochs.

    >>> import graphrt as tf
    >>> tf.keras.callbacks.ReduceLROnPlateau(factor=0.5).factor
    0.5

    Raises:
      ValueError: `factor` is not below 1.
    """

    def __init__(
        self, monitor: str = "val_loss", factor: float = 0.1, patience: int = 10, verbose: int = 0, mode: str = "auto",
        min_delta: float = 0.0001, cooldown: int = 0, min_lr: float = 0.0,
    ) -> None:  # fmt: skip
        if factor >= 1.0:
            raise ValueError(f"ReduceLROnPlateau does not support a factor >= 1.0. Received factor={factor}")
        self.monitor, self.factor, self.patience, self.verbose = monitor, factor, patience, verbose
        self.mode, self.min_delta, self.cooldown, self.min_lr = mode, min_delta, cooldown, min_lr
        self._upwards = _direction(mode, monitor, "ReduceLROnPlateau")
        self._begin()

    def _begin(self) -> None:
        self.best: float | None = None
        self.wait = self.cooldown_counter = 0

    def on_train_begin(self, logs: dict[str, Any] | None = None) -> None:
        """Begins anew."""
        self._begin()

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Looks whether the metric improved, and lowers the rate if not."""
        rate = float(np.asarray(self.model.optimizer.learning_rate))
        logs["learning_rate"] = rate
        value = logs.get(self.monitor)
        if value is None:
            errors.warn(
                f"Learning rate reduction is conditioned on metric `{self.monitor}` which is not available. "
                f"Available metrics are: {','.join(logs)}."
            )
            return
        if self.cooldown_counter > 0:
            self.cooldown_counter -= 1
            self.wait = 0
        step = self.min_delta if self._upwards else -self.min_delta
        if self.best is None or (value > self.best + step if self._upwards else value < self.best + step):
            self.best, self.wait = value, 0
        elif self.cooldown_counter <= 0:
            self.wait += 1
            if self.wait >= self.patience:
                if rate > np.float32(self.min_lr):
                    lower = max(rate * self.factor, self.min_lr)
                    self.model.optimizer.learning_rate = lower
                    if self.verbose > 0:
                        builtins.print(f"\nEpoch {epoch + 1}: ReduceLROnPlateau reducing learning rate to {lower}.")
                    self.cooldown_counter = self.cooldown
                self.wait = 0


class LearningRateScheduler(Callback):
    """Sets the learning rate before each epoch to `schedule(epoch, learning_rate)`.

    >>> import graphrt as tf
    >>> halved = tf.keras.callbacks.LearningRateScheduler(lambda epoch, rate: rate / 2)
    >>> model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    >>> model.compile(tf.keras.optimizers.SGD(0.5), loss="mse")
    >>> history = model.fit(tf.ones([2, 2]), tf.ones([2, 1]), epochs=2, callbacks=[halved], verbose=0)
    >>> history.history["learning_rate"]
    [0.25, 0.125]
    """

    def __init__(self, schedule: Callable[..., Any], verbose: int = 0) -> None:
        self.schedule, self.verbose = schedule, verbose

    def on_epoch_begin(self, epoch: int, logs: dict[str, Any] | None = None) -> None:
        """Sets the rate."""
        now = float(np.asarray(self.model.optimizer.learning_rate))
        try:
            rate = self.schedule(epoch, now)
        except TypeError:  # a schedule of the epoch alone
            rate = self.schedule(epoch)
        rate = np.asarray(rate)
        if rate.dtype.kind != "f" or rate.ndim:
            raise ValueError(f"The output of the `schedule` function should be a float. Got: {rate}")
        self.model.optimizer.learning_rate = float(rate)
        if self.verbose > 0:
            builtins.print(f"\nEpoch {epoch + 1}: LearningRateScheduler setting learning rate to {float(rate)}.")

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Notes the rate."""
        logs["learning_rate"] = float(np.asarray(self.model.optimizer.learning_rate))


class ModelCheckpoint(Callback):
    """Saves the model, or its weights, after epochs; with `save_best_only`, when `monitor` improved.

    The name may have `{epoch}` and metrics in it: `"w-{epoch:02d}-{val_loss:.2f}.npz"`.

    >>> import graphrt as tf
    >>> tf.keras.callbacks.ModelCheckpoint("w-{epoch}.npz", save_weights_only=True).filepath
    'w-{epoch}.npz'

    Raises:
      ValueError: `save_freq` is no 'epoch' and no number; models are to be saved under a name without '.keras' at its end.
    """

    def __init__(
        self, filepath: str | os.PathLike[str], monitor: str = "val_loss", verbose: int = 0, save_best_only: bool = False,
        save_weights_only: bool = False, mode: str = "auto", save_freq: Any = "epoch",
        initial_value_threshold: float | None = None,
    ) -> None:  # fmt: skip
        if save_freq != "epoch" and not isinstance(save_freq, int):
            raise ValueError(f"Unrecognized save_freq: {save_freq}. Expected save_freq are 'epoch' or integer values")
        if not save_weights_only and not os.fspath(filepath).endswith(".keras"):
            raise ValueError(
                f"The filepath provided must end in `.keras` (Keras model format), or `save_weights_only` be True. "
                f"Received: filepath={os.fspath(filepath)}"
            )
        self.filepath, self.monitor, self.verbose = os.fspath(filepath), monitor, verbose
        self.save_best_only, self.save_weights_only, self.save_freq = save_best_only, save_weights_only, save_freq
        self.best = initial_value_threshold
        self._upwards = _direction(mode, monitor, "ModelCheckpoint")
        self._epoch = self._batches = 0

    def on_epoch_begin(self, epoch: int, logs: dict[str, Any] | None = None) -> None:
        """Notes the epoch."""
        self._epoch = epoch

    def on_train_batch_end(self, batch: int, logs: dict[str, Any] | None = None) -> None:
        """Saves every `save_freq` batches."""
        self._batches += 1
        if isinstance(self.save_freq, int) and self._batches % self.save_freq == 0:
            self._save(self._epoch, logs or {})

    def on_epoch_end(self, epoch: int, logs: dict[str, Any] | None = None) -> None:
        """Saves, if it is time."""
        if self.save_freq == "epoch":
            self._save(epoch, logs or {})

    def _save(self, epoch: int, logs: dict[str, Any]) -> None:
        if self.save_best_only:
            value = logs.get(self.monitor)
            if value is None:
                errors.warn(f"Can save best model only with {self.monitor} available.")
                return
            if self.best is not None and not (value > self.best if self._upwards else value < self.best):
                return
            if self.verbose > 0:
                builtins.print(f"\nEpoch {epoch + 1}: {self.monitor} improved to {value:.5f}, saving model")
            self.best = value
        path = self.filepath.format(epoch=epoch + 1, **logs)
        folder = os.path.dirname(path)
        if folder:
            os.makedirs(folder, exist_ok=True)
        if self.save_weights_only:
            self.model.save_weights(path, overwrite=True)
        else:
            self.model.save(path, overwrite=True)


class CSVLogger(Callback):
    """Writes the metrics of each epoch into a file of comma separated values.

    >>> import graphrt as tf
    >>> tf.keras.callbacks.CSVLogger("log.csv").filename
    'log.csv'
    """

    def __init__(self, filename: PathLike, separator: str = ",", append: bool = False) -> None:
        self.filename, self.separator, self.append = os.fspath(filename), separator, append
        self._file: Any = None
        self._names: list[str] | None = None

    def on_train_begin(self, logs: dict[str, Any] | None = None) -> None:
        """Opens the file."""
        goes_on = self.append and os.path.exists(self.filename) and os.path.getsize(self.filename) > 0
        self._header = not goes_on
        path, mode = local_path(self.filename), "a" if self.append else "w"
        self._file = telling(path, lambda: open(path, mode, newline=""))  # noqa: SIM115  # closed at the end
        self._names = None

    def on_epoch_end(self, epoch: int, logs: dict[str, Any] | None = None) -> None:
        """Writes a line."""
        logs = logs or {}
        if self._names is None:
            self._names = sorted(logs)
            if not any(name.startswith("val_") for name in self._names):  # they may come in a later epoch
                self._names += [f"val_{name}" for name in self._names]
            if self._header:
                csv.writer(self._file, delimiter=self.separator).writerow(["epoch", *self._names])
        row = [epoch, *(logs.get(name, "NA") for name in self._names)]
        csv.writer(self._file, delimiter=self.separator).writerow(row)
        self._file.flush()

    def on_train_end(self, logs: dict[str, Any] | None = None) -> None:
        """Closes the file."""
        self._file.close()


class TerminateOnNaN(Callback):
    """Ends training when the loss is no finite number, with `raise_error` by a RuntimeError.

    >>> import graphrt as tf
    >>> tf.keras.callbacks.TerminateOnNaN().raise_error
    False
    """

    def __init__(self, raise_error: bool = False) -> None:
        super().__init__()
        self.raise_error = raise_error

    def on_train_batch_end(self, batch: int, logs: dict[str, Any] | None = None) -> None:
        """Looks at the loss."""
        loss = (logs or {}).get("loss")
        if loss is not None and not np.isfinite(loss):
            if self.raise_error:
                raise RuntimeError(f"NaN or Inf loss encountered at batch {batch}: the loss is {loss}, training ends.")
            builtins.print(f"Batch {batch}: Invalid loss, terminating training")
            self.model.stop_training = True


class SwapEMAWeights(Callback):
    """Evaluates with the moving averages of the weights that an optimizer with `use_ema` keeps.

    >>> import graphrt as tf
    >>> tf.keras.callbacks.SwapEMAWeights().swap_on_epoch
    False
    """

    def __init__(self, swap_on_epoch: bool = False) -> None:
        self.swap_on_epoch = swap_on_epoch
        self._swapped = False

    def _swap(self) -> None:
        optimizer = self.model.optimizer
        if not getattr(optimizer, "use_ema", False):
            raise ValueError("SwapEMAWeights must be used when `use_ema=True` is set on the optimizer.")
        for variable, average in averages_of(optimizer):
            value = variable.numpy()
            variable.assign(average.numpy())
            average.assign(value)
        self._swapped = not self._swapped

    def on_epoch_begin(self, epoch: int, logs: dict[str, Any] | None = None) -> None:
        """Brings the weights back."""
        if self._swapped:
            self._swap()

    def on_epoch_end(self, epoch: int, logs: dict[str, Any] | None = None) -> None:
        """Puts the averages in, for other callbacks to save."""
        if self.swap_on_epoch and not self._swapped:
            self._swap()

    def on_test_begin(self, logs: dict[str, Any] | None = None) -> None:
        """Puts the averages in."""
        if not self._swapped:
            self._swap()

    def on_test_end(self, logs: dict[str, Any] | None = None) -> None:
        """Brings the weights back."""
        if self._swapped:
            self._swap()
