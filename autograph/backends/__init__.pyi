# Written by tests/stubs.py.

from autograph.api import converted_call as converted_call
from autograph.api import remember_source as remember_source
from autograph.api import source_text as source_text
from autograph.api import to_lines as to_lines
from autograph.api import to_spans as to_spans
from autograph.backends.blocks import block as block
from autograph.backends.blocks import ending as ending
from autograph.backends.blocks import setting as setting
from autograph.backends.progress import Progress as Progress
from autograph.backends.protocol import Handles as Handles
from autograph.backends.protocol import StagingBackend as StagingBackend
from autograph.backends.recursion import calls_of as calls_of
from autograph.backends.recursion import is_called_otherwise as is_called_otherwise
from autograph.backends.registry import backend_of as backend_of
from autograph.backends.registry import register_backend as register_backend
from autograph.backends.registry import registered_backends as registered_backends
from autograph.backends.registry import unregister_backend as unregister_backend
from autograph.backends.threads import of_its_thread as of_its_thread
from autograph.conversion.diagnosis import recursion_error as recursion_error
from autograph.conversion.diagnosis import truth_error as truth_error
from autograph.conversion.diagnosis import why_python as why_python
from autograph.conversion.tracebacks import annotate as annotate
from autograph.operators.calls import register_counterpart as register_counterpart
from autograph.operators.contents import equal as equal
from autograph.operators.effects import register_mutating as register_mutating
from autograph.operators.lists import Popped as Popped
from autograph.operators.variables import Undefined as Undefined
from autograph.operators.variables import UndefinedReturnValue as UndefinedReturnValue
from autograph.options import ConversionOptions as ConversionOptions
from autograph.pyct.quiet import parse as parse
from autograph.pyct.texts import lines_of as lines_of

__all__ = [
    "ConversionOptions",
    "Handles",
    "Popped",
    "Progress",
    "StagingBackend",
    "Undefined",
    "UndefinedReturnValue",
    "annotate",
    "backend_of",
    "block",
    "calls_of",
    "converted_call",
    "ending",
    "equal",
    "is_called_otherwise",
    "lines_of",
    "of_its_thread",
    "parse",
    "recursion_error",
    "register_backend",
    "register_counterpart",
    "register_mutating",
    "registered_backends",
    "remember_source",
    "setting",
    "source_text",
    "to_lines",
    "to_spans",
    "truth_error",
    "unregister_backend",
    "why_python",
]
