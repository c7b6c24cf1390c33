"""AutoGraph as a library: Python functions whose control flow also works on staged values.

    @autograph.convert
    def relu(x):
        if x > 0:          # `x` may be a number, or a staged value of a registered backend
            return x
        return x * 0
"""

from autograph.api import (
    convert,
    converted_call,
    do_not_convert,
    set_loop_options,
    set_verbosity,
    to_code,
    to_graph,
    trace,
)
from autograph.backends import StagingBackend, backend_of, register_backend, registered_backends, unregister_backend
from autograph.conversion.policy import explain
from autograph.conversion.tracebacks import annotate
from autograph.errors import (
    AutoGraphError,
    BackendError,
    BranchMismatchError,
    ConversionError,
    ConversionWarning,
    LoopMismatchError,
    PythonOnlyConstructError,
    SourceNotFoundError,
    SourceNotFoundWarning,
    StagingError,
    UnrollLimitError,
    UnsupportedByBackendError,
    UsageError,
)
from autograph.operators.variables import Undefined, UndefinedReturnValue
from autograph.options import ConversionOptions, Feature


def __getattr__(name: str) -> object:
    # Of use in errors only; looking at source needs modules that would show in the time of each import.
    if name in ("truth_error", "why_python"):
        from autograph.conversion import diagnosis

        return getattr(diagnosis, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
    "AutoGraphError",
    "BackendError",
    "BranchMismatchError",
    "ConversionError",
    "ConversionOptions",
    "ConversionWarning",
    "Feature",
    "LoopMismatchError",
    "PythonOnlyConstructError",
    "SourceNotFoundError",
    "SourceNotFoundWarning",
    "StagingBackend",
    "StagingError",
    "Undefined",
    "UndefinedReturnValue",
    "UnrollLimitError",
    "UnsupportedByBackendError",
    "UsageError",
    "annotate",
    "backend_of",
    "convert",
    "converted_call",
    "do_not_convert",
    "explain",
    "register_backend",
    "registered_backends",
    "set_loop_options",
    "set_verbosity",
    "to_code",
    "to_graph",
    "trace",
    "truth_error",
    "unregister_backend",
    "why_python",
]
