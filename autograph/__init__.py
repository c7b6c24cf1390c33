"""AutoGraph as a library: Python functions whose control flow also works on staged values.

@autograph.convert
def relu(x):
    if x > 0:          # `x` may be a number, or a staged value of a registered backend
        return x
    return x * 0

Errors and warnings stand in `autograph.errors`, what a backend needs in `autograph.backends`.
"""

from autograph.doors import door as _door

_NAMES = {
    "autograph.api": "convert do_not_convert set_loop_options set_verbosity to_code to_graph trace",
    "autograph.backends": ".",
    "autograph.checking": "check",
    "autograph.conversion.policy": ". explain",
    "autograph.conversion.strictness": "set_strictness strictness",
    "autograph.errors": ". AutoGraphError",
    "autograph.options": "Feature",
}

__all__, __getattr__, __dir__ = _door(__name__, _NAMES, old=("autograph.errors", "autograph.backends"))
