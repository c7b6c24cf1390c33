"""Options of datasets: what `with_options` sets.

They are kept and given back as TensorFlow's; `deterministic` and the sizes of the thread pool are obeyed, the others
direct machinery that is not there: graph rewrites, distribution, services.
"""

from __future__ import annotations

import enum
from typing import Any

from graphrt import errors
from graphrt.types.nesting import Choices


class AutoShardPolicy(enum.IntEnum, metaclass=Choices):
    """How a dataset would be split among workers.

    >>> import graphrt as tf
    >>> options = tf.data.Options()
    >>> options.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.OFF
    >>> options.experimental_distribute.auto_shard_policy.name
    'OFF'
    """

    OFF = -1
    AUTO = 0
    FILE = 1
    DATA = 2
    HINT = 3


class ExternalStatePolicy(enum.Enum, metaclass=Choices):
    """What to do about state outside of a dataset.

    >>> import graphrt as tf
    >>> tf.data.experimental.ExternalStatePolicy.IGNORE.value
    1
    """

    WARN = 0
    IGNORE = 1
    FAIL = 2


class AutotuneAlgorithm(enum.Enum, metaclass=Choices):
    """How buffers and parallel calls would be tuned.

    >>> import graphrt as tf
    >>> tf.data.experimental.AutotuneAlgorithm.HILL_CLIMB.value
    1
    """

    DEFAULT = 0
    HILL_CLIMB = 1
    GRADIENT_DESCENT = 2
    MAX_PARALLELISM = 3
    STAGE_BASED = 4


class _Record:
    """A record of settings: each is None until it is set, and only names that exist can be set."""

    _fields: dict[str, tuple[type, ...]] = {}

    def __init__(self) -> None:
        object.__setattr__(self, "_set", {})

    def __getattr__(self, name: str) -> Any:
        if name in type(self)._fields:
            return self._set.get(name)
        raise AttributeError(f"{type(self).__name__} has no option {name!r}: there are {', '.join(type(self)._fields)}")

    def __setattr__(self, name: str, value: AutoShardPolicy | int) -> None:
        fields = type(self)._fields
        if name not in fields:
            raise AttributeError(f"Cannot set the property {name} on {type(self).__name__}.")
        if value is not None and (
            not isinstance(value, fields[name]) or isinstance(value, bool) > (bool in fields[name])
        ):
            wanted = " or ".join(t.__name__ for t in fields[name])
            raise TypeError(
                errors.at_user_line(f'Property "{name}" must be of type {wanted}, got: {value!r} (type: {type(value)})')
            )
        if value is not None and fields[name] == (int,) and not -(2**31) <= value < 2**31:
            raise ValueError(errors.at_user_line(f'Property "{name}" must be a number of 32 bits, got: {value}'))
        self._set[name] = value

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and all(getattr(self, k) == getattr(other, k) for k in type(self)._fields)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        shown = ", ".join(f"{k}={v!r}" for k, v in self._set.items())
        return f"{type(self).__name__}({shown})"


class ThreadingOptions(_Record):
    """How many threads a dataset uses: `private_threadpool_size` bounds each parallel transformation.

    >>> import graphrt as tf
    >>> options = tf.data.Options()
    >>> options.threading.private_threadpool_size = 4
    >>> options.threading.private_threadpool_size
    4
    """

    _fields = {"max_intra_op_parallelism": (int,), "private_threadpool_size": (int,)}


class AutotuneOptions(_Record):
    """How parallelism and buffers are tuned.

    >>> import graphrt as tf
    >>> options = tf.data.Options()
    >>> options.autotune.enabled = False
    >>> options.autotune.enabled
    False
    """

    _fields = {
        "autotune_algorithm": (AutotuneAlgorithm,), "cpu_budget": (int,), "enabled": (bool,),
        "initial_parallelism": (int,), "min_parallelism": (int,), "ram_budget": (int,),
    }  # fmt: skip


class DistributeOptions(_Record):
    """How a dataset is split among workers.

    >>> import graphrt as tf
    >>> options = tf.data.Options()
    >>> options.experimental_distribute.num_devices = 2
    >>> options.experimental_distribute.num_devices
    2
    """

    _fields = {"auto_shard_policy": (AutoShardPolicy,), "num_devices": (int,)}


class OptimizationOptions(_Record):
    """Which rewrites of the pipeline are made.

    >>> import graphrt as tf
    >>> options = tf.data.Options()
    >>> options.experimental_optimization.map_fusion = True
    >>> options.experimental_optimization.map_fusion
    True
    """

    _fields = dict.fromkeys(
        ("apply_default_optimizations", "filter_fusion", "filter_parallelization", "inject_prefetch",
         "map_and_batch_fusion", "map_and_filter_fusion", "map_fusion", "map_parallelization", "noop_elimination",
         "parallel_batch", "seq_interleave_prefetch", "shuffle_and_repeat_fusion"),
        (bool,),
    )  # fmt: skip


_NESTED = {
    "autotune": AutotuneOptions,
    "experimental_distribute": DistributeOptions,
    "experimental_optimization": OptimizationOptions,
    "threading": ThreadingOptions,
}


class Options(_Record):
    """Options for a dataset and all it is made of; see `Dataset.with_options`.

    >>> import graphrt as tf
    >>> options = tf.data.Options()
    >>> options.deterministic = False
    >>> tf.data.Dataset.range(3).with_options(options).options().deterministic
    False

    Raises:
      AttributeError: there is no option of that name.
      TypeError: the value is of another type.
    """

    _fields = {
        "autotune": (AutotuneOptions,), "dataset_name": (str,), "deterministic": (bool,),
        "experimental_deterministic": (bool,), "experimental_distribute": (DistributeOptions,),
        "experimental_external_state_policy": (ExternalStatePolicy,),
        "experimental_optimization": (OptimizationOptions,), "experimental_slack": (bool,),
        "experimental_symbolic_checkpoint": (bool,), "experimental_threading": (ThreadingOptions,),
        "experimental_warm_start": (bool,), "framework_type": (list,), "threading": (ThreadingOptions,),
    }  # fmt: skip

    def __getattr__(self, name: str) -> Any:
        name = {"experimental_threading": "threading", "experimental_deterministic": "deterministic"}.get(name, name)
        if name in _NESTED and name not in self._set:
            self._set[name] = _NESTED[name]()
        return super().__getattr__(name)

    def __setattr__(self, name: str, value: Any) -> None:
        name = {"experimental_threading": "threading", "experimental_deterministic": "deterministic"}.get(name, name)
        super().__setattr__(name, value)

    def merge(self, options: Options) -> Options:
        """New options: these, and over them those that `options` sets."""
        merged = Options()
        for given in (self, options):
            for key, value in given._set.items():
                if isinstance(value, _Record):
                    getattr(merged, key)._set.update(value._set)
                elif value is not None:
                    merged._set[key] = value
        return merged

    def for_run(self) -> dict[str, Any]:
        """The options that a run obeys, as plain values."""
        found: dict[str, Any] = {}
        if self.deterministic is not None:
            found["deterministic"] = self.deterministic
        if self.threading.private_threadpool_size is not None:
            found["threads"] = self.threading.private_threadpool_size
        return found
