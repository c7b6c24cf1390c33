"""Machine code of native programs, by Numba; or the same programs as the plain Python that they are.

Two things are called by native programs that are not written in them: the functions of `machine.py`, and NumPy's own inner
loops, which Numba finds under names that are told to the linker. So `tanh` of an array is NumPy's `tanh`, bit by bit.
"""

from __future__ import annotations

import functools
import importlib.util
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from autograph.backends import Progress
from graphrt.errors import MissingExtraError
from graphrt.native import machine
from graphrt.native.text import Loop
from graphrt.types.float_warnings import silently

if TYPE_CHECKING:
    from graphrt.native.region import Source

Signature: TypeAlias = "tuple[tuple[str, int], ...]"  # dtype and rank of each


def build(source: Source) -> Callable[..., Any]:
    """Takes the machine code of a program from the disk, or compiles it with Numba.

    Raises:
      MissingExtraError: Numba is not installed.
    """
    require_numba()
    from graphrt.native import disk, loading  # lazy: only compiled functions need LLVM

    place = disk.place(source)
    found = None if place is None else loading.loaded(*place, source.loops.values())
    if found is not None:
        return found
    compiler = numba_compiler()
    with Progress("compiling", after=2.0, beat=True):
        function, code = compiler.compiled(source, dict(machine.NAMES))
    if place is not None and code is not None:
        path, key = place
        disk.write(path, code.packed(key))
    made: Callable[..., Any] = function
    return made


def is_installed() -> bool:
    """Whether there is a compiler."""
    return importlib.util.find_spec("numba") is not None


def require_numba() -> None:
    """Asks whether there is a compiler, without importing it.

    Raises:
      MissingExtraError: Numba is not installed.
    """
    if not is_installed():
        numba_compiler()


@functools.cache
def numba_compiler() -> Any:
    """The module that uses Numba.

    Raises:
      MissingExtraError: Numba is not installed.
    """
    try:
        from graphrt.native import with_numba  # lazy: only compiled functions need Numba
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in ("numba", "llvmlite"):
            raise
        raise MissingExtraError(
            "tf.function(jit_compile=True) compiles functions with the package numba, which is not installed: "
            "pip install graphrt[native]"
        ) from error
    return with_numba


# --- without Numba ---------------------------------------------------------------------------------------------------
def run_plainly(source: Source) -> Callable[..., Any]:
    """The program as the Python function that it is, for seeing what it means where Numba is not installed."""
    names = dict(machine.NAMES)
    names.update({f.__name__: f for f in machine.FUNCTIONS})
    names.update({name: plain_loop(loop) for name, loop in source.loops.items()})
    exec(compile(source.text, "<graphrt native>", "exec", dont_inherit=True), names)
    function: Callable[..., Any] = names["native"]

    @functools.wraps(function)
    def quiet(*values: Any) -> Any:
        return silently(function, *values)

    return quiet


def plain_loop(loop: Loop) -> Callable[..., Any]:
    """What a loop of NumPy does, by NumPy."""
    ufunc = getattr(np, loop.ufunc)
    if loop.form == "scalar":
        return lambda *numbers: ufunc(*numbers)
    if loop.form == "fold":
        return lambda start, array, first, count: ufunc.reduce(array[first : first + count], initial=start)
    if loop.form == "vector":
        return lambda *arrays: ufunc(*arrays[:-1], out=arrays[-1])
    return lambda a, b, out, ta, tb: np.matmul(a.T if ta else a, b.T if tb else b, out=out)
