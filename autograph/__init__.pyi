# Written by tests/stubs.py.

from autograph import backends as backends
from autograph import errors as errors
from autograph.api import convert as convert
from autograph.api import do_not_convert as do_not_convert
from autograph.api import set_loop_options as set_loop_options
from autograph.api import set_verbosity as set_verbosity
from autograph.api import to_code as to_code
from autograph.api import to_graph as to_graph
from autograph.api import trace as trace
from autograph.checking import check as check
from autograph.conversion import policy as policy
from autograph.conversion.policy import explain as explain
from autograph.conversion.strictness import set_strictness as set_strictness
from autograph.conversion.strictness import strictness as strictness
from autograph.errors import AutoGraphError as AutoGraphError
from autograph.options import Feature as Feature

__all__ = [
    "AutoGraphError",
    "Feature",
    "backends",
    "check",
    "convert",
    "do_not_convert",
    "errors",
    "explain",
    "policy",
    "set_loop_options",
    "set_strictness",
    "set_verbosity",
    "strictness",
    "to_code",
    "to_graph",
    "trace",
]
