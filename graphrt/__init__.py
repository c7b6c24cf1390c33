"""A light graph runtime on NumPy with TensorFlow 2's public names: `import graphrt as tf`.

>>> import graphrt as tf
>>> @tf.function
... def relu(x):
...     if x > 0:
...         return x
...     else:
...         return 0
>>> relu(tf.constant(3)).numpy(), relu(tf.constant(-3)).numpy()
(np.int32(3), np.int32(0))

The public names stand in `graphrt/api/exports.py`; each is imported when it is asked for.
"""

from __future__ import annotations

from typing import Any as _Any

from graphrt import errors, function, graphdef  # noqa: F401  # graphdef provides ops.graph_def
from graphrt.api.loader import make_namespaces as _make_namespaces
from graphrt.staging.start import start as _start
from graphrt.types.missing import missing_attribute as _missing_attribute
from graphrt.version import __version__ as __version__

del function  # the folder, which is imported by now: the name is that of the decorator
_exports = _make_namespaces(__name__)
_start()


def __getattr__(name: str) -> _Any:
    if name == "__all__":
        return sorted(name for name in _exports if not name.startswith("__"))
    try:
        value = _exports.find(name)
    except KeyError:
        raise _missing_attribute(__name__, name) from None
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*_exports, *(name for name in globals() if name.startswith("__"))})
