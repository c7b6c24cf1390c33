"""LLVM's linker for machine code that is there already: llvmlite's library in C, without the Python around it.

That Python takes longer to import than all else that the first function from the disk needs, most of it for what builds and
compiles programs. Its library is the same that Numba's compiler uses: what either tells the linker, both know. Each engine
has an LLVM context of its own, so that this and a compiler in another thread do not meet.
"""

from __future__ import annotations

import ctypes
import functools
import importlib.util
import os
import platform
import sys
from collections.abc import Callable
from ctypes import POINTER, c_bool, c_char_p, c_int, c_size_t, c_uint, c_uint64, c_void_p
from pathlib import Path
from typing import TypeAlias

_Type: TypeAlias = "type[object] | None"

_TEXT = POINTER(c_char_p)  # where a text is put
# What is called: what each gives, and what it takes. llvmlite has not changed one of these from 0.43 to 0.50.
FUNCTIONS: dict[str, tuple[_Type, tuple[_Type, ...]]] = {
    "AddSymbol": (None, (c_char_p, c_void_p)),
    "ContextCreate": (c_void_p, ()),
    "ContextDispose": (None, (c_void_p,)),
    "CreateMCJITCompiler": (c_void_p, (c_void_p, c_void_p, c_bool, _TEXT)),
    "CreateObjectFile": (c_void_p, (c_char_p, c_size_t)),
    "CreateTargetMachine": (
        c_void_p, (c_void_p, c_char_p, c_char_p, c_char_p, c_int, c_char_p, c_char_p, c_int, c_int, c_char_p),
    ),
    "DisposeExecutionEngine": (None, (c_void_p,)),
    "DisposeObjectFile": (None, (c_void_p,)),
    "DisposeString": (None, (c_char_p,)),
    "FinalizeObject": (None, (c_void_p,)),
    "GetDefaultTargetTriple": (None, (_TEXT,)),
    "GetFunctionAddress": (c_uint64, (c_void_p, c_char_p)),
    "GetGlobalValueAddress": (c_uint64, (c_void_p, c_char_p)),
    "GetHostCPUFeatures": (c_int, (_TEXT,)),
    "GetHostCPUName": (None, (_TEXT,)),
    "GetTargetFromTriple": (c_void_p, (c_char_p, _TEXT)),
    "GetVersionInfo": (c_uint, ()),
    "InitializeNativeAsmPrinter": (None, ()),
    "InitializeNativeTarget": (None, ()),
    "MCJITAddObjectFile": (None, (c_void_p, c_void_p)),
    "ParseAssembly": (c_void_p, (c_void_p, c_char_p, _TEXT)),
    "SearchAddressOfSymbol": (c_void_p, (c_char_p,)),
}  # fmt: skip
_KNOWN = range(43, 51)  # versions 0.n of llvmlite; others are asked what their functions take
_NAMES = {"darwin": "libllvmlite.dylib", "win32": "llvmlite.dll"}


class Engine:
    """Machine code that is linked, for as long as this is there.

    Raises:
      OSError: LLVM makes no engine here.
    """

    __slots__ = ("_context", "_engine", "_give_back")

    def __init__(self) -> None:
        self._engine: int | None = None
        self._give_back = _called("DisposeExecutionEngine"), _called("ContextDispose")
        self._context = _called("ContextCreate")()
        target, triple = _target()
        module = _made("ParseAssembly", self._context, b"")
        machine = _called("CreateTargetMachine")(target, triple, b"", b"", 3, b"default", b"jitdefault", 0, 1, b"")
        own_memory = platform.machine().lower() in ("arm64", "aarch64")  # as llvmlite chooses
        self._engine = _made("CreateMCJITCompiler", module, machine, own_memory)  # it owns both

    def add(self, binary: bytes) -> None:
        """Links an object file; an unknown symbol ends the process, so ask for all of them before."""
        file = _called("CreateObjectFile")(binary, len(binary))
        _called("MCJITAddObjectFile")(self._engine, file)
        _called("DisposeObjectFile")(file)
        _called("FinalizeObject")(self._engine)

    def function(self, name: str) -> int:
        """The address of a function."""
        return _called("GetFunctionAddress")(self._engine, name.encode())

    def variable(self, name: str) -> int:
        """The address of a global variable."""
        return _called("GetGlobalValueAddress")(self._engine, name.encode())

    def __del__(self) -> None:
        if sys.is_finalizing():  # the process gives all of it back, and a thread may still run there
            return
        for given, give_back in zip((self._engine, self._context), self._give_back):
            if given:
                give_back(given)


def is_there() -> bool:
    """Whether llvmlite is installed, and its library is one that can be called from here."""
    return bool(_functions())


def add_symbol(name: str, address: int) -> None:
    """Tells the linker where a symbol is."""
    if is_there():
        _called("AddSymbol")(name.encode(), address)
        return
    import llvmlite.binding  # lazy: only where its library is not called from here

    llvmlite.binding.add_symbol(name, address)


def knows(symbol: str) -> bool:
    """Whether the linker finds a symbol. It finds those of Python once there has been an engine."""
    return bool(_called("SearchAddressOfSymbol")(symbol.encode()))


def description() -> str:
    """The processor, LLVM, and llvmlite: what machine code depends on."""
    features = sorted(_told("GetHostCPUFeatures").split(b","))
    return f"{_told('GetHostCPUName')!r} {features} {_called('GetVersionInfo')()} {_version()}"


# state: constant: the processor
@functools.cache
def _target() -> tuple[int, bytes]:
    _called("InitializeNativeTarget")()
    _called("InitializeNativeAsmPrinter")()
    triple = _told("GetDefaultTargetTriple")
    target = _made("GetTargetFromTriple", triple)
    return target, triple + (b"-elf" if os.name == "nt" else b"")  # of Windows' own files MCJIT knows nothing


def _called(name: str) -> Callable[..., int]:
    return _functions()[name]


def _made(name: str, *given: object) -> int:
    """What a function makes; where it makes nothing it says why."""
    why = c_char_p()
    made = _called(name)(*given, ctypes.byref(why))
    text = why.value
    if text is not None:
        _called("DisposeString")(why)
    if not made:
        raise OSError(f"LLVM: {name}: {(text or b'').decode(errors='replace')}")
    return made


def _told(name: str) -> bytes:
    """The text that a function gives."""
    text = c_char_p()
    _called(name)(ctypes.byref(text))
    found = text.value or b""
    _called("DisposeString")(text)
    return found


# --- the library -----------------------------------------------------------------------------------------------------
def _top() -> Path | None:
    found = importlib.util.find_spec("llvmlite")
    return None if found is None or found.origin is None else Path(found.origin).parent


def _version() -> str:
    import llvmlite  # lazy: nobody needs it who compiles nothing

    return str(llvmlite.__version__)


# state: constant: which libraries there are
@functools.cache
def _functions() -> dict[str, Callable[..., int]]:
    """The library's functions; none where it is not there, or they are not what we know."""
    top = _top()
    if top is None:
        return {}
    try:
        major, minor = _version().split(".")[:2]
        if (major != "0" or int(minor) not in _KNOWN) and not as_declared():
            return {}
        library = ctypes.CDLL(str(top / "binding" / _NAMES.get(sys.platform, "libllvmlite.so")))
        functions = {name: getattr(library, f"LLVMPY_{name}") for name in FUNCTIONS}
    except (OSError, ValueError, AttributeError):
        return {}
    for name, function in functions.items():
        function.restype, function.argtypes = FUNCTIONS[name]
    return functions


def as_declared() -> bool:
    """Whether llvmlite's Python says the same of the functions' types."""
    import llvmlite.binding  # lazy: only versions that we do not know are asked

    library = llvmlite.binding.ffi.lib
    for name, (gives, takes) in FUNCTIONS.items():
        theirs = getattr(library, f"LLVMPY_{name}")
        if theirs.argtypes is not None and [*map(_kind, theirs.argtypes)] != [*map(_kind, takes)]:
            return False
        if theirs.restype is not c_int and _kind(theirs.restype) != _kind(gives):  # int stands for nothing, too
            return False
    return True


def _kind(type_: _Type) -> object:
    """A type of C, one for all pointers."""
    return c_void_p if type_ in (c_char_p, c_void_p) or hasattr(type_, "contents") else type_
