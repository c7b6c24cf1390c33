"""For those who write a staging backend: what one is, who stages a value, and what a backend tells its users.

class Intervals(autograph.backends.StagingBackend): ...

autograph.backends.register_backend(Intervals())
"""

from autograph.doors import door as _door

# The room is a low one, which operators stand on; its front door shows what stands higher, too.
_NAMES = {
    "autograph.api": "converted_call remember_source source_text to_lines to_spans",
    "autograph.backends.blocks": "block ending setting",
    "autograph.backends.threads": "of_its_thread",
    "autograph.backends.progress": "Progress",
    "autograph.backends.protocol": "Handles StagingBackend",
    "autograph.backends.recursion": "calls_of is_called_otherwise",
    "autograph.backends.registry": "backend_of register_backend registered_backends unregister_backend",
    "autograph.conversion.diagnosis": "recursion_error truth_error why_python",
    "autograph.conversion.tracebacks": "annotate",
    "autograph.operators.calls": "register_counterpart",
    "autograph.operators.contents": "equal",
    "autograph.operators.effects": "register_mutating",
    "autograph.operators.lists": "Popped",
    "autograph.operators.variables": "Undefined UndefinedReturnValue",
    "autograph.options": "ConversionOptions",
    "autograph.pyct.quiet": "parse",
    "autograph.pyct.texts": "lines_of",
}

__all__, __getattr__, __dir__ = _door(__name__, _NAMES)
