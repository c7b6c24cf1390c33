"""`tf.train.CheckpointManager`: the latest checkpoints of a directory are kept, older ones go."""

from __future__ import annotations

import contextlib
import glob
import os
import time
from collections.abc import Callable, Iterator
from typing import Any

from graphrt import errors
from graphrt.ops.io.files import local_path
from graphrt.saving.checkpoint import Checkpoint, CheckpointOptions
from graphrt.saving.checkpoint_state import get_checkpoint_state, latest_checkpoint, update_checkpoint_state
from graphrt.state.variable import Variable
from graphrt.types.nesting import walkable

__all__ = ["CheckpointManager", "checkpoints_iterator"]


class CheckpointManager:
    """Saves checkpoints of one `tf.train.Checkpoint` in one directory, and deletes old ones.

    `max_to_keep` are kept (None: all), and one for each `keep_checkpoint_every_n_hours`. With a `step_counter` and a
    `checkpoint_interval`, `save` does nothing until so many steps have passed since the last one.

    >>> import graphrt as tf, os, tempfile
    >>> w = tf.Variable(0)
    >>> manager = tf.train.CheckpointManager(tf.train.Checkpoint(w=w), tempfile.mkdtemp(), max_to_keep=2)
    >>> for _ in range(3):
    ...     _ = w.assign_add(1)
    ...     _ = manager.save()
    >>> [os.path.basename(p) for p in manager.checkpoints]
    ['ckpt-2', 'ckpt-3']
    >>> _ = w.assign(0)
    >>> os.path.basename(manager.restore_or_initialize()), w.numpy().item()
    ('ckpt-3', 3)

    Raises:
      ValueError: `max_to_keep` is not positive, or one of `step_counter` and `checkpoint_interval` is missing.
    """

    def __init__(
        self, checkpoint: Checkpoint, directory: Any, max_to_keep: int | None,
        keep_checkpoint_every_n_hours: float | None = None, checkpoint_name: str = "ckpt",
        step_counter: Variable | None = None, checkpoint_interval: int | None = None,
        init_fn: Callable[[], Any] | None = None,
    ) -> None:  # fmt: skip
        if max_to_keep is not None and max_to_keep <= 0:
            raise ValueError(
                errors.at_user_line(f"Expected a positive integer or `None` for `max_to_keep`, got {max_to_keep}.")
            )
        if checkpoint_interval is not None and step_counter is None:
            raise ValueError(
                errors.at_user_line(
                    "`step_counter` should be passed with a not-None value if `checkpoint_interval` is set."
                )
            )
        self._checkpoint = checkpoint
        self._directory = local_path(directory)
        self._max_to_keep = max_to_keep
        self._every = keep_checkpoint_every_n_hours
        self._name = checkpoint_name
        self._step_counter = step_counter
        self._interval = checkpoint_interval
        self._init_fn = init_fn
        self._last_step: int | None = None
        self._kept: dict[str, float] = {}
        self._preserved = time.time()
        state = get_checkpoint_state(self._directory)
        if state is not None:
            times = list(state.all_model_checkpoint_timestamps)
            paths = list(state.all_model_checkpoint_paths)
            if len(times) != len(paths):
                times = [self._preserved] * len(paths)
            self._kept = {p: t for p, t in zip(paths, times) if os.path.exists(f"{p}.index")}
            if state.last_preserved_timestamp:
                self._preserved = state.last_preserved_timestamp

    @property
    def directory(self) -> str:
        """Where the checkpoints are."""
        return self._directory

    @property
    def checkpoint(self) -> Checkpoint:
        """What is saved."""
        return self._checkpoint

    @property
    def checkpoint_interval(self) -> int | None:
        """How many steps pass from one checkpoint to the next at least."""
        return self._interval

    @property
    def checkpoints(self) -> list[str]:
        """The names of the checkpoints that are kept, the oldest first."""
        return list(self._kept)

    @property
    def latest_checkpoint(self) -> str | None:
        """The name of the latest checkpoint; None without one."""
        return next(reversed(self._kept), None)

    def _step(self) -> int | None:
        return None if self._step_counter is None else int(self._step_counter.numpy())

    def save(
        self, checkpoint_number: Any = None, check_interval: bool = True, options: CheckpointOptions | None = None
    ) -> str | None:
        """Writes a checkpoint and deletes those that are too many; returns its name, None where it is not due.

        `checkpoint_number` stands in the name; if not given, the number of calls.
        """
        step = self._step()
        if check_interval and self._interval is not None and step is not None and self._last_step is not None and (
            step - self._last_step < self._interval
        ):  # fmt: skip
            return None
        prefix = os.path.join(self._directory, self._name)
        if checkpoint_number is None:
            with self._checkpoint.counted() as number:
                path = self._checkpoint.write(f"{prefix}-{number}", options)
        else:
            path = self._checkpoint.write(f"{prefix}-{int(checkpoint_number)}", options)
        self._last_step = step
        self._kept.pop(path, None)
        self._kept[path] = time.time()
        gone = self._swept()
        update_checkpoint_state(self._directory, path, list(self._kept), list(self._kept.values()), self._preserved)
        for old in filter(self._is_within, gone):  # only now that no file names them
            for file in glob.glob(f"{glob.escape(old)}.data-*") + [f"{old}.index"]:
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(file)
        return path

    def _is_within(self, path: str) -> bool:
        """Whether a checkpoint stands in the directory: a file of state that is read may name any other."""
        folder = os.path.realpath(self._directory)
        return os.path.commonpath([folder, os.path.realpath(os.path.dirname(path))]) == folder

    def _swept(self) -> list[str]:
        gone = []
        while self._max_to_keep is not None and len(self._kept) > self._max_to_keep:
            path, made = next(iter(self._kept.items()))
            del self._kept[path]
            if self._every is not None and made - self._preserved >= self._every * 3600:
                self._preserved = made  # kept for good
            else:
                gone.append(path)
        return gone

    def restore_or_initialize(self) -> str | None:
        """Restores the latest checkpoint and returns its name; without one calls `init_fn`, and returns None."""
        latest = self.latest_checkpoint
        if latest is not None:
            self._checkpoint.restore(latest)
            self._last_step = self._step()
        elif self._init_fn is not None:
            self._init_fn()
        return latest


def checkpoints_iterator(
    checkpoint_dir: Any, min_interval_secs: float = 0, timeout: float | None = None,
    timeout_fn: Callable[[], bool] | None = None,
) -> Iterator[str]:  # fmt: skip
    """Gives the name of each new checkpoint in a directory as it appears.

    After `timeout` seconds without one it ends, unless `timeout_fn` is given and returns false.

    >>> import graphrt as tf, os, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> _ = tf.train.Checkpoint(w=tf.Variable(3)).save(os.path.join(folder, "ckpt"))
    >>> [os.path.basename(p) for p in tf.train.checkpoints_iterator(folder, timeout=0)]
    ['ckpt-1']
    """
    min_interval_secs, timeout = walkable(min_interval_secs), walkable(timeout)
    last = None
    while True:
        begun = time.monotonic()
        while (found := latest_checkpoint(checkpoint_dir)) is None or found == last:
            if timeout is not None and time.monotonic() - begun >= timeout:
                if timeout_fn is None or timeout_fn():
                    return
                begun = time.monotonic()
            time.sleep(min(1.0, 0.05 if timeout is None else max(0.01, timeout / 20)))
        last = found
        told = time.monotonic()
        yield found
        time.sleep(max(0.0, min_interval_secs - (time.monotonic() - told)))
