"""Machine code from the disk, without Numba: LLVM links it, and it finds what it calls under the names that Numba gives.

To import Numba takes half a second, and machine code that is there already needs little of it: three libraries in C, which
are loaded here by themselves. `numba_unpickle` is all that these would ask of Numba's Python.
"""

from __future__ import annotations

import builtins
import ctypes
import functools
import importlib.machinery
import importlib.util
import json
import pickle
import sys
import threading
import zlib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from graphrt.native import linker

if TYPE_CHECKING:
    from graphrt.native.text import Loop

_LETTERS = {"float32": "f", "float64": "d", "complex64": "F", "complex128": "D"}
_lock = threading.Lock()


class MachineCode(NamedTuple):
    """A compiled program.

    Attributes:
      wrapper: the function that Python calls.
      environment: the variable that holds Numba's record of a function.
      constants: the objects in this record: dtypes, and "ndarray" for the class of arrays.
      symbols: what the code asks of others, by name.
      binary: an object file.
    """

    wrapper: str
    environment: str
    constants: tuple[str, ...]
    symbols: tuple[str, ...]
    binary: bytes

    def packed(self, key: bytes) -> bytes:
        """The content of a file for what `key` says."""
        head = [self.wrapper, self.environment, self.constants, self.symbols, len(self.binary), zlib.crc32(self.binary)]
        return key + b"\n" + json.dumps(head).encode() + b"\n" + self.binary


def loaded(path: Path, key: bytes, loops: Iterable[Loop]) -> Callable[..., Any] | None:
    """The program in a file; None if there is none for what `key` says, or it asks for what is not here."""
    try:
        content = path.read_bytes()
        if not content.startswith(key + b"\n"):
            return None
        head, _, binary = content[len(key) + 1 :].partition(b"\n")
        wrapper, environment, constants, symbols, size, checksum = json.loads(head)
    except (OSError, ValueError):
        return None
    if (len(binary), zlib.crc32(binary)) != (size, checksum):
        return None  # it was cut off
    for loop in loops:
        symbols_of(loop.ufunc, loop.dtype)
    with _lock:
        libraries = _libraries()
        if libraries is None:
            return None
        _tell(symbols, libraries.addresses)
        engine = linker.Engine()
        if not all(map(linker.knows, symbols)):  # asked with an engine there, which knows the process's own
            return None
        engine.add(binary)
    record = libraries.functions.Environment({"__name__": __name__})
    record.consts.extend(np.ndarray if c == "ndarray" else np.dtype(c) for c in constants)
    ctypes.c_void_p.from_address(engine.variable(environment)).value = id(record)
    address = engine.function(wrapper)
    own = sys.modules[__name__]
    made: Callable[..., Any] = libraries.functions.make_function(own, "native", "", address, record, (engine,))
    return made


def _tell(symbols: Iterable[str], addresses: dict[str, int]) -> None:
    """Tells the linker where the symbols are that it has not been told of: it takes its time for each."""
    for name in symbols:
        address = addresses.pop(name, None)
        if address is not None:
            linker.add_symbol(name, address)


class _Libraries(NamedTuple):
    """Numba's libraries.

    Attributes:
      functions: the one that makes functions.
      addresses: what all three have, and Python, by the names under which machine code asks for it; what the linker knows
        already is taken out.
    """

    functions: Any
    addresses: dict[str, int]


# state: locked by _lock
@functools.cache
def _libraries() -> _Libraries | None:
    """Numba's libraries; None if they are elsewhere.

    Numba tells the linker the same where it compiles, later or before.
    """
    found = importlib.util.find_spec("numba")
    if found is None or not found.submodule_search_locations:
        return None
    top = Path(found.submodule_search_locations[0])
    try:
        helpers, functions = _library("_helperlib", top), _library("_dynfunc", top)
        memory = _library("_nrt_python", top / "core" / "runtime")
    except ImportError:
        return None
    addresses = {n if n.startswith("_") else f"NRT_{n}": at for n, at in memory.c_helpers.items()}
    addresses |= {f"numba_{n}": at for n, at in (*helpers.c_helpers.items(), *functions.c_helpers.items())}
    if "numba.core.serialize" not in sys.modules:
        del addresses["numba_unpickle"]  # ours is told at once: once Numba is there its own must stay
        linker.add_symbol("numba_unpickle", ctypes.cast(_unpickle, ctypes.c_void_p).value or 0)
    addresses["_Py_NoneStruct"] = id(None)
    errors = (e for e in vars(builtins).values() if isinstance(e, type) and issubclass(e, BaseException))
    addresses |= {f"PyExc_{error.__name__}": id(error) for error in errors}
    return _Libraries(functions, addresses)


def _library(name: str, folder: Path) -> Any:
    """A library in C by itself: the package that it belongs to is not imported, and learns nothing of this."""
    spec = importlib.machinery.PathFinder.find_spec(name, [str(folder)])
    if spec is None or spec.loader is None:
        raise ModuleNotFoundError(name)
    before = sys.modules.get(name)
    try:
        library = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(library)
    finally:
        if before is None:
            sys.modules.pop(name, None)
    return library


# state: bounded: few kinds of objects
@functools.lru_cache(maxsize=64)
def _unpickled(content: bytes) -> Any:
    return pickle.loads(content)


@ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)
def _unpickle(content: int, size: int, _: int) -> Any:
    """What machine code has as bytes: the class of arrays, and the exception that it raises."""
    return _unpickled(ctypes.string_at(content, size))


# --- NumPy's loops ---------------------------------------------------------------------------------------------------
class _Ufunc(ctypes.Structure):
    """The part of `PyUFuncObject` that NumPy's headers have shown since its beginnings."""

    _fields_ = [
        ("object", ctypes.c_byte * object.__basicsize__), ("nin", ctypes.c_int), ("nout", ctypes.c_int),
        ("nargs", ctypes.c_int), ("identity", ctypes.c_int), ("functions", ctypes.POINTER(ctypes.c_void_p)),
        ("data", ctypes.POINTER(ctypes.c_void_p)), ("ntypes", ctypes.c_int),
    ]  # fmt: skip


# state: bounded: one entry for each function of NumPy that is called, and dtype
@functools.cache
def symbols_of(ufunc: str, dtype: str) -> tuple[str, str | None]:
    """The names under which the linker finds a loop of NumPy, and the data that belong to it.

    Raises:
      RuntimeError: NumPy looks otherwise than it did.
    """
    function = getattr(np, ufunc)
    letter = _LETTERS[dtype]
    kind = letter * function.nin + "->" + letter
    inside = _Ufunc.from_address(id(function))
    if (inside.nin, inside.nargs, inside.ntypes) != (function.nin, function.nargs, function.ntypes):
        raise RuntimeError(f"the loops of numpy.{ufunc} are not where they were")
    at = function.types.index(kind)
    name = f"graphrt_{ufunc}_{dtype}"
    linker.add_symbol(name, inside.functions[at])
    data = inside.data[at] if inside.data else None
    if not data:
        return name, None
    linker.add_symbol(f"{name}_data", data)
    return name, f"{name}_data"
