"""What `jit_compile` of `tf.function` chooses: the backend that runs a trace in the place of its NumPy program.

A backend is a module with a function `compile`. It is imported when the first function that asks for it is called, so
that nobody else pays for it, and raises `MissingExtraError` when the package that it stands on is not installed.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, cast

from autograph.backends import Progress
from graphrt import errors
from graphrt.types import native_cache
from graphrt.types.nesting import shown

if TYPE_CHECKING:
    from graphrt.function.concrete import ConcreteFunction
    from graphrt.native.explanation import NativeExplanation

Executable: TypeAlias = "Callable[..., tuple[Any, ...]]"  # raw values of a graph's inputs -> those of its outputs

# `jit_compile` -> the module of its backend
BACKENDS: dict[bool | str, str] = {
    True: "graphrt.native", "auto": "graphrt.native.auto", "xla": "graphrt.export.jax.backend",
}  # fmt: skip


class Backend(Protocol):
    """What a module in `BACKENDS` provides."""

    def compile(self, concrete: ConcreteFunction) -> Executable:
        """What runs `concrete`: takes the raw values of `concrete.graph.inputs` (captures last), as its program does.

        Called once for each trace, before its first call, by any thread. Raw values are arrays, NumPy scalars for rank
        0, and the objects behind handles; the results have the dtypes of `concrete.graph.outputs`.

        Raises:
          MissingExtraError: a package is not installed; the message names the extra.
        """


def jit_compile_of(given: object) -> bool | str | None:
    """`given` as a value of the option `jit_compile`.

    >>> jit_compile_of(True), jit_compile_of(None)
    (True, None)

    Raises:
      ValueError: there is no such backend.
    """
    if given is None or isinstance(given, bool):
        return given
    if isinstance(given, str) and given in BACKENDS:
        return given
    known = ", ".join(repr(name) for name in (True, False, None, *(b for b in BACKENDS if isinstance(b, str))))
    raise ValueError(errors.at_user_line(f"jit_compile must be one of {known}, found {shown(given)}"))


def executable_of(concrete: ConcreteFunction) -> Executable:
    """What runs when `concrete` is called: its NumPy program, or what the backend it asks for makes of it."""
    chosen = concrete.jit_compile
    if chosen is None and native_cache.is_automatic():
        chosen = "auto"
    home = None if chosen is None else BACKENDS.get(chosen)
    if home is None:
        return concrete.program.function
    backend = cast(Backend, importlib.import_module(home))
    with Progress(f"compiling {concrete.function_name}", after=2.0, beat=True):
        return backend.compile(concrete)


def native_source(concrete: ConcreteFunction) -> str:
    """The native program of a trace, whether it runs or not."""
    from graphrt.native import program_for  # lazy: nobody pays for it who does not compile

    return program_for(concrete).source


def explain_native(concrete: ConcreteFunction) -> NativeExplanation:
    """What of a trace can be compiled."""
    from graphrt.native import program_for  # lazy: nobody pays for it who does not compile
    from graphrt.native.explanation import explained  # lazy: the same

    return explained(concrete.function_name, program_for(concrete))
