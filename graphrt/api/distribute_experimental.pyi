# Written by tests/stubs.py from graphrt/api/exports.py.
from graphrt.api.distribute import (
    MultiWorkerMirroredStrategy as MultiWorkerMirroredStrategy, ParameterServerStrategy as ParameterServerStrategy,
    TPUStrategy as TPUStrategy
)
