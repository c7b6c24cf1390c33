"""`keras.callbacks.TensorBoard`: metrics and weights of training as event files.

log_dir/train        epoch_loss, epoch_accuracy, ..., epoch_learning_rate; batch_loss where batches are asked for
log_dir/validation   epoch_loss, ...; evaluation_loss_vs_iterations
"""

from __future__ import annotations

import os
import time
from contextlib import AbstractContextManager
from typing import Any

import numpy as np

import graphrt as tf
from graphrt.keras.callback import Callback
from graphrt.types.likes import PathLike
from graphrt.types.nesting import shown

# the message SummaryMetadata with plugin_data.plugin_name "graph_keras_model"
_OF_MODELS = b"\x0a\x13\x0a\x11graph_keras_model"


class TensorBoard(Callback):
    """Writes what TensorBoard shows of training: metrics, weights as histograms and pictures, the model.

    >>> import graphrt as tf, os, tempfile
    >>> model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    >>> model.compile(loss="mse")
    >>> folder = tempfile.mkdtemp()
    >>> told = tf.keras.callbacks.TensorBoard(folder, histogram_freq=1)
    >>> data = tf.ones([4, 2]), tf.ones([4, 1])
    >>> _ = model.fit(*data, epochs=2, validation_data=data, callbacks=[told], verbose=0)
    >>> sorted(os.listdir(folder))
    ['train', 'validation']

    Args:
      log_dir: the folder, which is made.
      histogram_freq: after how many epochs weights are written; 0 for never.
      write_graph: whether the layers of a model are written.
      write_images: whether weights are written as pictures, too.
      write_steps_per_second: whether it is told how fast training goes.
      update_freq: `"epoch"`; `"batch"`, or a number of batches, after which metrics are written, too.
      profile_batch: 0: profiles are made by `tf.profile`.
      embeddings_freq: 0: there are no files for the projector.
      embeddings_metadata: as `embeddings_freq`.

    Raises:
      ValueError: `update_freq` is none of these, or a profile or embeddings are asked for.
    """

    def __init__(
        self, log_dir: PathLike = "logs", histogram_freq: int = 0, write_graph: bool = True, write_images: bool = False,
        write_steps_per_second: bool = False, update_freq: str | int = "epoch", profile_batch: Any = 0,
        embeddings_freq: int = 0, embeddings_metadata: Any = None,
    ) -> None:  # fmt: skip
        if update_freq not in ("batch", "epoch") and not (isinstance(update_freq, int) and update_freq > 0):
            raise ValueError(f"`update_freq` is 'batch', 'epoch' or a number of batches, found {shown(update_freq)}")
        if profile_batch:
            raise ValueError("`profile_batch` has to be 0: tf.profile makes profiles, of functions and of their lines")
        if embeddings_freq or embeddings_metadata:
            raise ValueError("`embeddings_freq` has to be 0: no files are written for TensorBoard's projector")
        self.log_dir = os.fsdecode(os.fspath(log_dir))
        self.histogram_freq, self.write_graph, self.write_images = histogram_freq, write_graph, write_images
        self.write_steps_per_second = write_steps_per_second
        self.update_freq = 1 if update_freq == "batch" else update_freq
        self._writers: dict[str, Any] = {}
        self._batches = self._batches_before = 0
        self._epoch_began = self._batch_began = 0.0

    def _to(self, name: str) -> AbstractContextManager[Any]:
        """The writer of a folder, which is made when it is first written to."""
        if name not in self._writers:
            self._writers[name] = tf.summary.create_file_writer(os.path.join(self.log_dir, name))
        return self._writers[name].as_default()

    def _close(self) -> None:
        for writer in self._writers.values():
            writer.close()
        self._writers = {}

    def on_train_begin(self, logs: dict[str, Any] | None = None) -> None:
        """Begins to count, and writes the model."""
        self._batches = 0
        graph = getattr(self.model, "_graph", None)
        if self.write_graph and graph is not None:
            with self._to("train"), tf.summary.record_if(True):
                tf.summary.write("keras", self.model.to_json(), step=0, metadata=_OF_MODELS)

    def on_train_end(self, logs: dict[str, Any] | None = None) -> None:
        """Closes the files."""
        self._close()

    def on_train_batch_begin(self, batch: int, logs: dict[str, Any] | None = None) -> None:
        """Counts."""
        self._batches += 1
        self._batch_began = time.perf_counter()

    def on_train_batch_end(self, batch: int, logs: dict[str, Any] | None = None) -> None:
        """Writes the metrics of a batch, where it is asked for."""
        if not isinstance(self.update_freq, int) or self._batches % self.update_freq:
            return
        told = {f"batch_{name}": value for name, value in (logs or {}).items()}
        if self.write_steps_per_second:
            told = {"batch_steps_per_second": 1.0 / max(time.perf_counter() - self._batch_began, 1e-9), **told}
        self._scalars("train", told, self._batches)

    def on_epoch_begin(self, epoch: int, logs: dict[str, Any] | None = None) -> None:
        """Looks at the clock."""
        self._batches_before, self._epoch_began = self._batches, time.perf_counter()

    def on_epoch_end(self, epoch: int, logs: dict[str, Any] | None = None) -> None:
        """Writes the metrics of an epoch, and the weights where it is asked for."""
        given = logs or {}
        train = {f"epoch_{name}": value for name, value in given.items() if not name.startswith("val_")}
        rate = getattr(self.model.optimizer, "learning_rate", None)
        if rate is not None:
            train["epoch_learning_rate"] = np.asarray(rate)
        if self.write_steps_per_second:
            passed = max(time.perf_counter() - self._epoch_began, 1e-9)
            train["epoch_steps_per_second"] = (self._batches - self._batches_before) / passed
        self._scalars("train", train, epoch)
        own = {f"epoch_{name[4:]}": value for name, value in given.items() if name.startswith("val_")}
        if own:
            self._scalars("validation", own, epoch)
        if self.histogram_freq and epoch % self.histogram_freq == 0:
            self._write_weights(epoch)

    def on_test_end(self, logs: dict[str, Any] | None = None) -> None:
        """Writes the metrics of an evaluation by how often the weights had changed."""
        if self.model.optimizer is not None:
            told = {f"evaluation_{name}_vs_iterations": value for name, value in (logs or {}).items()}
            self._scalars("validation", told, int(np.asarray(self.model.optimizer.iterations)))
            self._writers["validation"].flush()

    def _scalars(self, folder: str, values: dict[str, Any], step: int) -> None:
        with self._to(folder), tf.summary.record_if(True):
            for name, value in values.items():
                tf.summary.scalar(name, value, step=step)

    def _write_weights(self, epoch: int) -> None:
        with self._to("train"), tf.summary.record_if(True):
            for weight in self.model.weights:
                name = weight.path.replace(":", "_")
                tf.summary.histogram(f"{name}/histogram", weight, step=epoch)
                picture = _as_picture(np.asarray(weight)) if self.write_images else None
                if picture is not None:
                    tf.summary.image(f"{name}/image", picture, step=epoch)
        self._writers["train"].flush()


def _as_picture(weight: np.ndarray[Any, Any]) -> np.ndarray[Any, Any] | None:
    """A weight as a batch of pictures, the longer side lying; None where it is none."""
    found = np.squeeze(weight)
    if found.ndim == 1:
        return found.reshape(1, -1, 1, 1)
    if found.ndim == 2:
        return (found.T if found.shape[0] > found.shape[1] else found)[None, :, :, None]
    if found.ndim == 3:
        return found.transpose(2, 0, 1)[..., None]
    return found if found.ndim == 4 and found.shape[-1] in (1, 3, 4) else None
