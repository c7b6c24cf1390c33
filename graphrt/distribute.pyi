# Written by tests/stubs.py from graphrt/api/exports.py.
"""The default strategy: one replica."""
from graphrt.api.distribute import (
    InputContext as InputContext, MirroredStrategy as MirroredStrategy,
    MultiWorkerMirroredStrategy as MultiWorkerMirroredStrategy, OneDeviceStrategy as OneDeviceStrategy,
    ParameterServerStrategy as ParameterServerStrategy, ReduceOp as ReduceOp, ReplicaContext as ReplicaContext,
    Strategy as Strategy, StrategyExtended as StrategyExtended, TPUStrategy as TPUStrategy,
    get_replica_context as get_replica_context, get_strategy as get_strategy, has_strategy as has_strategy,
    in_cross_replica_context as in_cross_replica_context
)
from graphrt.api import distribute_experimental as distribute_experimental
experimental = distribute_experimental
