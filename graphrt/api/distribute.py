"""`tf.distribute` with its default strategy: one replica, on this CPU. Other strategies are refused when they are made."""

from __future__ import annotations

import contextlib
import enum
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from graphrt import errors
from graphrt.ops.math.reduction import reduce_mean, reduce_sum
from graphrt.types.likes import AxisLike
from graphrt.types.nesting import Choices

__all__ = [
    "InputContext", "MirroredStrategy", "MultiWorkerMirroredStrategy", "OneDeviceStrategy", "ParameterServerStrategy",
    "ReduceOp", "ReplicaContext", "Strategy", "StrategyExtended", "TPUStrategy", "get_replica_context", "get_strategy",
    "has_strategy", "in_cross_replica_context",
]  # fmt: skip

_T = TypeVar("_T")


class ReduceOp(enum.Enum, metaclass=Choices):
    """How the values of replicas become one.

    >>> import graphrt as tf
    >>> tf.distribute.ReduceOp("SUM")
    <ReduceOp.SUM: 'SUM'>
    """

    SUM = "SUM"
    MEAN = "MEAN"


class InputContext:
    """Which part of the input a pipeline is to read: all of it.

    >>> import graphrt as tf
    >>> tf.distribute.InputContext().get_per_replica_batch_size(8)
    8
    """

    num_input_pipelines = 1
    input_pipeline_id = 0
    num_replicas_in_sync = 1

    def get_per_replica_batch_size(self, global_batch_size: int) -> int:
        """The size of the batches."""
        return global_batch_size


class ReplicaContext:
    """Where the code of a replica runs: the only one.

    >>> import graphrt as tf
    >>> context = tf.distribute.get_replica_context()
    >>> context.num_replicas_in_sync, context.all_reduce("SUM", tf.constant(2)).numpy().item()
    (1, 2)
    """

    num_replicas_in_sync = 1
    replica_id_in_sync_group = 0

    @property
    def strategy(self) -> Strategy:
        """The strategy of one replica."""
        return _STRATEGY

    def all_reduce(self, reduce_op: ReduceOp | str, value: _T, options: object = None) -> _T:
        """`value`: there is no other."""
        return value

    def all_gather(self, value: _T, axis: int, options: object = None) -> _T:
        """`value`: there is no other."""
        return value

    def merge_call(
        self, merge_fn: Callable[..., _T], args: Sequence[object] = (), kwargs: dict[str, object] | None = None
    ) -> Any:
        """`merge_fn(strategy, *args, **kwargs)`."""
        return merge_fn(_STRATEGY, *args, **(kwargs or {}))

    def __enter__(self) -> ReplicaContext:
        return self

    def __exit__(self, *error: object) -> None:
        return None


class StrategyExtended:
    """What libraries ask of a strategy.

    >>> import graphrt as tf
    >>> tf.distribute.get_strategy().extended.worker_devices
    ('/job:localhost/replica:0/task:0/device:CPU:0',)
    """

    worker_devices = parameter_devices = ("/job:localhost/replica:0/task:0/device:CPU:0",)

    def colocate_vars_with(self, colocate_with_variable: object) -> contextlib.AbstractContextManager[None]:
        """Nothing to do."""
        return contextlib.nullcontext()

    def reduce_to(
        self, reduce_op: ReduceOp | str, value: _T, destinations: object = None, options: object = None
    ) -> _T:
        """`value`: there is no other."""
        return value

    def update(
        self,
        var: object,
        fn: Callable[..., _T],
        args: Sequence[object] = (),
        kwargs: dict[str, object] | None = None,
        group: bool = True,
    ) -> Any:
        """`fn(var, *args, **kwargs)`."""
        return fn(var, *args, **(kwargs or {}))

    def variable_created_in_scope(self, v: object) -> bool:
        """True: there is one scope."""
        return True


class Strategy:
    """How a computation is spread: it is not. Made by `tf.distribute.get_strategy()`.

    >>> import graphrt as tf
    >>> strategy = tf.distribute.get_strategy()
    >>> with strategy.scope():
    ...     v = tf.Variable(1.0)
    >>> strategy.run(lambda x: v + x, args=(2.0,)).numpy().item()
    3.0
    >>> strategy.reduce("SUM", tf.constant([1, 2]), axis=0).numpy().item()
    3
    """

    num_replicas_in_sync = 1

    @property
    def extended(self) -> StrategyExtended:
        """What libraries ask of it."""
        return _EXTENDED

    @contextlib.contextmanager
    def scope(self) -> Iterator[Strategy]:
        """Variables are made in here as they are made elsewhere."""
        yield self

    def run(
        self,
        fn: Callable[..., _T],
        args: Sequence[object] = (),
        kwargs: dict[str, object] | None = None,
        options: object = None,
    ) -> Any:
        """`fn(*args, **kwargs)`."""
        return fn(*args, **(kwargs or {}))

    def reduce(self, reduce_op: ReduceOp | str, value: Any, axis: AxisLike = None) -> Any:
        """`value`, summed or averaged along `axis`, if one is given."""
        kind = ReduceOp(reduce_op.upper()) if isinstance(reduce_op, str) else reduce_op
        if axis is None:
            return value
        return (reduce_sum if kind is ReduceOp.SUM else reduce_mean)(value, axis)

    def gather(self, value: _T, axis: int) -> _T:
        """`value`: there is no other."""
        return value

    def experimental_local_results(self, value: _T) -> tuple[_T, ...]:
        """The values of all replicas: one."""
        return (value,)

    def experimental_distribute_dataset(self, dataset: _T, options: object = None) -> _T:
        """The dataset."""
        return dataset

    def distribute_datasets_from_function(self, dataset_fn: Callable[..., _T], options: object = None) -> _T:
        """The dataset that the function makes."""
        return dataset_fn(InputContext())


class _Refused(Strategy):
    """A strategy for hardware that graphrt does not run on; it can be subclassed and tested for, and not be made.

    >>> import graphrt as tf
    >>> tf.distribute.MirroredStrategy()
    Traceback (most recent call last):
    ...
    graphrt.errors.UnimplementedError: MirroredStrategy is refused: ...

    Raises:
      UnimplementedError: always.
    """

    def __init__(self, *args: object, **kwargs: object) -> None:
        text = (
            f"{type(self).__name__} is refused: graphrt runs on one CPU, and has the default strategy only, which "
            "tf.distribute.get_strategy() gives (docs/missing.md)"
        )
        raise errors.UnimplementedError(None, None, errors.at_user_line(text))


class MirroredStrategy(_Refused):
    __doc__ = _Refused.__doc__


class MultiWorkerMirroredStrategy(_Refused):
    __doc__ = (_Refused.__doc__ or "").replace("MirroredStrategy", "MultiWorkerMirroredStrategy")


class OneDeviceStrategy(_Refused):
    __doc__ = (_Refused.__doc__ or "").replace("MirroredStrategy", "OneDeviceStrategy")


class ParameterServerStrategy(_Refused):
    __doc__ = (_Refused.__doc__ or "").replace("MirroredStrategy", "ParameterServerStrategy")


class TPUStrategy(_Refused):
    __doc__ = (_Refused.__doc__ or "").replace("MirroredStrategy", "TPUStrategy")


_EXTENDED, _STRATEGY, _REPLICA = StrategyExtended(), Strategy(), ReplicaContext()


def get_strategy() -> Strategy:
    """The strategy of one replica.

    >>> import graphrt as tf
    >>> tf.distribute.get_strategy().num_replicas_in_sync
    1
    """
    return _STRATEGY


def has_strategy() -> bool:
    """Whether there is another strategy than the default one: no.

    >>> import graphrt as tf
    >>> tf.distribute.has_strategy()
    False
    """
    return False


def in_cross_replica_context() -> bool:
    """Whether the code that runs is that of no replica: no.

    >>> import graphrt as tf
    >>> tf.distribute.in_cross_replica_context()
    False
    """
    return False


def get_replica_context() -> ReplicaContext:
    """Where the code of the only replica runs.

    >>> import graphrt as tf
    >>> tf.distribute.get_replica_context().replica_id_in_sync_group
    0
    """
    return _REPLICA
