"""AutoGraph as a library: Python functions whose control flow also works on staged values.

@autograph.convert
def relu(x):
    if x > 0:          # `x` may be a number, or a staged value of a registered backend
        return x
    return x * 0
"""

from typing import TYPE_CHECKING

from autograph.api import (
    convert,
    converted_call,
    do_not_convert,
    remember_source,
    set_loop_options,
    set_verbosity,
    to_code,
    to_graph,
    trace,
)
from autograph.backends import StagingBackend, backend_of, register_backend, registered_backends, unregister_backend
from autograph.conversion import policy
from autograph.conversion.policy import explain
from autograph.conversion.strictness import set_strictness, strictness
from autograph.conversion.tracebacks import annotate
from autograph.errors import (
    AmbiguousSourceError,
    AmbiguousSourceWarning,
    AutoGraphError,
    BackendError,
    BranchMismatchError,
    ConversionError,
    ConversionWarning,
    ConverterFailureWarning,
    InstrumentedCodeWarning,
    LoopMismatchError,
    PythonOnlyConstructError,
    SideEffectError,
    SourceChangedError,
    SourceChangedWarning,
    SourceNotFoundError,
    SourceNotFoundWarning,
    StagedRecursionError,
    StagingError,
    UnrollLimitError,
    UnsupportedByBackendError,
    UnsupportedCodeWarning,
    UsageError,
)
from autograph.operators.variables import Undefined, UndefinedReturnValue
from autograph.options import ConversionOptions, Feature

if TYPE_CHECKING:
    from autograph.checking import check
    from autograph.conversion.diagnosis import recursion_error, truth_error, why_python


def __getattr__(name: str) -> object:
    # Of use in errors and tools only; looking at source needs modules that would show in the time of each import.
    if name == "check":
        from autograph.checking import check

        return check
    if name in ("recursion_error", "truth_error", "why_python"):
        from autograph.conversion import diagnosis

        return getattr(diagnosis, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
    "AmbiguousSourceError",
    "AmbiguousSourceWarning",
    "AutoGraphError",
    "BackendError",
    "BranchMismatchError",
    "ConversionError",
    "ConversionOptions",
    "ConversionWarning",
    "ConverterFailureWarning",
    "Feature",
    "InstrumentedCodeWarning",
    "LoopMismatchError",
    "PythonOnlyConstructError",
    "SideEffectError",
    "SourceChangedError",
    "SourceChangedWarning",
    "SourceNotFoundError",
    "SourceNotFoundWarning",
    "StagedRecursionError",
    "StagingBackend",
    "StagingError",
    "Undefined",
    "UndefinedReturnValue",
    "UnrollLimitError",
    "UnsupportedByBackendError",
    "UnsupportedCodeWarning",
    "UsageError",
    "annotate",
    "backend_of",
    "check",
    "convert",
    "converted_call",
    "do_not_convert",
    "explain",
    "policy",
    "recursion_error",
    "register_backend",
    "registered_backends",
    "remember_source",
    "set_loop_options",
    "set_strictness",
    "set_verbosity",
    "strictness",
    "to_code",
    "to_graph",
    "trace",
    "truth_error",
    "unregister_backend",
    "why_python",
]
