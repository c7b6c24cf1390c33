"""Programs that say `import tensorflow as tf` run on graphrt, where somebody asks for it: `graphrt.as_tensorflow()`.

    python -m graphrt.as_tensorflow script.py            runs a program so, `-m module` a module
    python -m pytest -p graphrt.as_tensorflow            runs tests so

From then on, in this process, `tensorflow` is graphrt under TensorFlow's name, with the version whose behaviour graphrt
follows, and the classes that libraries test by the name of their module say `tensorflow`. NumPy's functions, other than
ufuncs, read eager tensors and variables that no tape follows, and give arrays, as they do of TensorFlow's
(`words[np.argmax(x)]`). Nothing of this happens on import. What lives on TensorFlow's private modules is out of scope.
`import keras`, which comes with TensorFlow, gives `tensorflow.keras` then, unless a program has imported a package of that
name before.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from importlib.abc import Loader
from importlib.machinery import ModuleSpec
from importlib.metadata import Distribution, DistributionFinder
from os import PathLike
from types import FunctionType, ModuleType
from typing import Any, NamedTuple

import graphrt
from graphrt.api.loader import NAMESPACES, View
from graphrt.numpy_api.functions import array_function
from graphrt.numpy_api.operands import any_symbolic
from graphrt.numpy_api.ufuncs import to_arrays
from graphrt.state.operators import ActsAsTensor
from graphrt.tensor.context import recorders
from graphrt.tensor.tensor import EagerTensor
from graphrt.types.likes import TensorLike
from graphrt.types.missing import why_missing
from graphrt.types.nesting import shown

VERSION = "2.20.0"
_NAME, _KERAS = "tensorflow", "keras"

# the classes whose modules libraries look at, by TensorFlow's private module; nothing else of those modules is there
_CLASSES = {
    "python.framework.dtypes": {"DType": "graphrt.types.dtype"},
    "python.framework.indexed_slices": {"IndexedSlices": "graphrt.ops.array.indexed_slices"},
    "python.framework.ops": {"EagerTensor": "graphrt.tensor.tensor", "SymbolicTensor": "graphrt.tensor.tensor"},
    "python.framework.sparse_tensor": {"SparseTensor": "graphrt.ops.sparse.tensor"},
    "python.framework.tensor": {"Tensor": "graphrt.tensor.tensor"},
    "python.framework.tensor_shape": {"TensorShape": "graphrt.types.shape"},
    "python.ops.ragged.ragged_tensor": {"RaggedTensor": "graphrt.ops.ragged.tensor"},
    "python.ops.variables": {"Variable": "graphrt.state.variable"},
}
_CONTEXT = "python.eager.context"
_lock = threading.Lock()


class _Root(ModuleType):
    """`tensorflow`: the names of graphrt."""

    __version__ = VERSION

    def __init__(self) -> None:
        super().__init__(_NAME, graphrt.__doc__)
        self.__path__: list[str] = []

    def __getattr__(self, name: str) -> Any:
        try:
            value = getattr(graphrt, name)
        except AttributeError as error:
            raise AttributeError(str(error).replace("'graphrt'", f"{shown(_NAME)}"), name=name, obj=self) from None
        if not name.startswith("__") and not isinstance(value, FunctionType):  # handlers may be registered for these
            setattr(self, name, value)
        return value

    def __dir__(self) -> list[str]:
        return dir(graphrt)


class _Distribution(Distribution):
    """What `importlib.metadata.version("tensorflow")` reads."""

    def read_text(self, filename: str) -> str | None:
        return f"Metadata-Version: 2.1\nName: {_NAME}\nVersion: {VERSION}\n" if filename == "METADATA" else None

    def locate_file(self, path: str | PathLike[str]) -> Any:
        return path


class _Finder(DistributionFinder, Loader):
    """Imports `tensorflow.X` as the very module that `graphrt.X` is, and `keras.X` as `graphrt.keras.X`."""

    def find_spec(self, fullname: str, path: Sequence[str] | None = None, target: Any = None) -> ModuleSpec | None:
        root, _, name = fullname.partition(".")
        if root not in (_NAME, _KERAS) or fullname == _NAME:
            return None
        if root == _KERAS:
            return None if _module(fullname) is None else ModuleSpec(fullname, self)
        if _module(name) is not None:
            return ModuleSpec(fullname, self)
        if name.split(".")[0] in ("python", "core", "_api", "compiler", "tsl"):
            raise ModuleNotFoundError(
                f"{fullname} is private to TensorFlow; graphrt has its public modules", name=fullname
            )
        outer, _, last = fullname.rpartition(".")
        reason = why_missing(outer, last)
        if reason:
            raise ModuleNotFoundError(f"No module named {shown(fullname)}{reason}", name=fullname)
        return None

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        root, _, name = spec.name.partition(".")
        found = _module(spec.name if root == _KERAS else name)
        spec.loader_state = None if found is None else found.__spec__
        return found

    def exec_module(self, module: ModuleType) -> None:
        spec = module.__spec__
        if spec is not None and spec.loader_state is not None:
            module.__spec__ = spec.loader_state  # the module is graphrt's own

    def find_distributions(self, context: Any = None) -> Iterable[Distribution]:
        """TensorFlow's, where that or everything is asked for."""
        name = getattr(context, "name", None)
        return [_Distribution()] if name in (None, _NAME, f"{_NAME}-cpu") else []


_FINDER = _Finder()
_private: dict[str, ModuleType] = {}  # state: locked by _lock: made once, with what is activated


def _module(name: str) -> ModuleType | None:
    """The module behind `tensorflow.<name>`, if there is one."""
    if name in _private:
        return _private[name]
    if name == "compat.v2":
        return sys.modules[_NAME]
    try:
        return import_module(f"graphrt.{name}")
    except ModuleNotFoundError as error:
        if error.name is not None and f"graphrt.{name}.".startswith(f"{error.name}."):
            return None
        raise  # what is behind it needs an extra


class _Device(NamedTuple):
    device_type: str | None = None


class _EagerContext:
    """What libraries ask of `tensorflow.python.eager.context`: where ops run, and whether at once."""

    device_spec = _Device()

    def executing_eagerly(self) -> bool:
        return graphrt.executing_eagerly()


def _made_private() -> dict[str, ModuleType]:
    """Modules that hold nothing but the classes, which say that they stand there, and the context that libraries ask."""
    made: dict[str, ModuleType] = {}
    for path in (*_CLASSES, _CONTEXT):
        parts = path.split(".")
        for end in range(1, len(parts) + 1):
            inner = ".".join(parts[:end])
            if inner not in made:
                made[inner] = ModuleType(f"{_NAME}.{inner}")
                made[inner].__path__ = []
                if end > 1:
                    setattr(made[".".join(parts[: end - 1])], parts[end - 1], made[inner])
    context = made[_CONTEXT]
    context.context = _EagerContext  # type: ignore[attr-defined]
    context.executing_eagerly = graphrt.executing_eagerly  # type: ignore[attr-defined]
    for path, classes in _CLASSES.items():
        for name, home in classes.items():
            kind = getattr(import_module(home), name)
            kind.__module__ = f"{_NAME}.{path}"
            setattr(made[path], name, kind)
    return made


def _arrays(
    self: object, func: Callable[..., object], types: object, args: TensorLike, kwargs: dict[str, object]
) -> object:
    """What a NumPy function gives of elements; tensors, of symbolic ones, under tapes, and to graphrt itself."""
    ours = sys._getframe(1).f_globals.get("__name__", "").startswith("graphrt.")
    if ours or recorders() or any_symbolic(args) or any_symbolic(kwargs) or not graphrt.executing_eagerly():
        return array_function(func, types, args, kwargs)
    return func(*to_arrays(args), **to_arrays(kwargs))


def activate() -> ModuleType:
    """Makes `tensorflow` mean graphrt in this process; returns that module. Doing it again changes nothing.

    Raises:
      ImportError: TensorFlow itself has been imported already.
    """
    with _lock:
        found = sys.modules.get(_NAME)
        if isinstance(found, _Root):
            return found
        if found is not None:
            raise ImportError("TensorFlow itself is imported already: call graphrt.as_tensorflow() before that")
        root = _Root()
        root.__spec__ = ModuleSpec(_NAME, _FINDER, is_package=True)
        EagerTensor.__array_function__ = ActsAsTensor.__array_function__ = _arrays  # type: ignore[assignment, method-assign]
        _private.update(_made_private())
        sys.modules[_NAME] = root
        for path in NAMESPACES:
            sys.modules[f"{_NAME}.{path}"] = sys.modules[f"graphrt.{path}"]
        compat = View(f"{_NAME}.compat", "graphrt.compat")
        root.compat = sys.modules[compat.__name__] = compat  # type: ignore[attr-defined]
        compat.v2 = sys.modules[f"{_NAME}.compat.v2"] = root  # type: ignore[attr-defined]
        version = View(f"{_NAME}.version", "graphrt.version")
        version.VERSION, version.GIT_VERSION = VERSION, f"v{VERSION}"  # type: ignore[attr-defined]
        root.version = sys.modules[version.__name__] = version  # type: ignore[attr-defined]
        sys.meta_path.insert(0, _FINDER)
        return root


def pytest_load_initial_conftests(early_config: Any, parser: Any, args: list[str]) -> None:
    """Before any test is collected: what `-p graphrt.as_tensorflow` is for."""
    activate()


class _Callable(ModuleType):
    """This module, which is called: `graphrt.as_tensorflow()`."""

    def __call__(self) -> ModuleType:
        """`activate()`."""
        return activate()


sys.modules[__name__].__class__ = _Callable
