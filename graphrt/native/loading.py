"""Machine code from the disk, without Numba: LLVM links it, and it finds what it calls under the names that Numba gives.

To import Numba takes half a second, and machine code that is there already needs little of it: three libraries in C, which
are loaded here by themselves. `numba_unpickle` is all that these would ask of Numba's Python.
"""

from __future__ import annotations

import builtins
import ctypes
import functools
import hashlib
import importlib.machinery
import importlib.util
import json
import pickle
import sys
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import llvmlite.binding as llvm
import numpy as np

if TYPE_CHECKING:
    from graphrt.native.text import Loop

_LETTERS = {"float32": "f", "float64": "d", "complex64": "F", "complex128": "D"}
_lock = threading.Lock()


class MachineCode(NamedTuple):
    """A compiled program.

    Attributes:
      wrapper: the function that Python calls.
      environment: the variable that holds Numba's record of a function.
      dtypes: the objects in this record.
      symbols: what the code asks of others, by name.
      binary: an object file.
    """

    wrapper: str
    environment: str
    dtypes: tuple[str, ...]
    symbols: tuple[str, ...]
    binary: bytes

    def packed(self) -> bytes:
        """The content of a file."""
        head = [self.wrapper, self.environment, self.dtypes, self.symbols, hashlib.sha256(self.binary).hexdigest()]
        return json.dumps(head).encode() + b"\n" + self.binary


def loaded(path: Path, loops: Iterable[Loop]) -> Callable[..., Any] | None:
    """The program in a file; None if there is none, or it asks for what is not here."""
    try:
        head, _, binary = path.read_bytes().partition(b"\n")
        wrapper, environment, dtypes, symbols, digest = json.loads(head)
    except (OSError, ValueError):
        return None
    if hashlib.sha256(binary).hexdigest() != digest:
        return None  # it was cut off
    for loop in loops:
        symbols_of(loop.ufunc, loop.dtype)
    with _lock:
        libraries = _libraries()
        if libraries is None:
            return None
        engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _target().create_target_machine(opt=3, jit=True))
        if not all(map(llvm.address_of_symbol, symbols)):  # asked with an engine there, which knows the process's own
            return None
        engine.add_object_file(llvm.ObjectFileRef.from_data(binary))
        engine.finalize_object()
    record = libraries.Environment({"__name__": __name__})
    record.consts.extend(map(np.dtype, dtypes))
    ctypes.c_void_p.from_address(engine.get_global_value_address(environment)).value = id(record)
    address = engine.get_function_address(wrapper)
    made: Callable[..., Any] = libraries.make_function(sys.modules[__name__], "native", "", address, record, (engine,))
    return made


# state: constant: the processor
@functools.cache
def _target() -> Any:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm.Target.from_default_triple()


# state: constant: which libraries there are
@functools.cache
def _libraries() -> Any:
    """Numba's library that makes functions, with the names of all three told to the linker; None if they are elsewhere.

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
    for name, address in memory.c_helpers.items():
        llvm.add_symbol(name if name.startswith("_") else f"NRT_{name}", address)
    for name, address in (*helpers.c_helpers.items(), *functions.c_helpers.items()):
        llvm.add_symbol(f"numba_{name}", address)
    if "numba.core.serialize" not in sys.modules:
        llvm.add_symbol("numba_unpickle", ctypes.cast(_unpickle, ctypes.c_void_p).value)
    llvm.add_symbol("_Py_NoneStruct", id(None))
    for kind in vars(builtins).values():
        if isinstance(kind, type) and issubclass(kind, BaseException):
            llvm.add_symbol(f"PyExc_{kind.__name__}", id(kind))
    return functions


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
    llvm.add_symbol(name, inside.functions[at])
    data = inside.data[at] if inside.data else None
    if not data:
        return name, None
    llvm.add_symbol(f"{name}_data", data)
    return name, f"{name}_data"
