"""Functions in the formats of others: nothing here is imported until it is asked for.

to_onnx(concrete, "model.onnx")         ONNX Runtime and others run it
from_onnx("model.onnx")                 a concrete function again
to_program(concrete, "model.py")        a Python file that needs NumPy alone
to_jax(concrete)                        a pure function of JAX, to differentiate, compile and shard
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from graphrt.export.jax.function import to_jax
    from graphrt.export.onnx.reading import from_onnx
    from graphrt.export.onnx.text import onnx_text
    from graphrt.export.onnx.writing import to_onnx
    from graphrt.export.program import to_program

_HOMES = {
    "from_onnx": "graphrt.export.onnx.reading",
    "onnx_text": "graphrt.export.onnx.text",
    "to_jax": "graphrt.export.jax.function",
    "to_onnx": "graphrt.export.onnx.writing",
    "to_program": "graphrt.export.program",
}
__all__ = ["from_onnx", "onnx_text", "to_jax", "to_onnx", "to_program"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}; there are {', '.join(__all__)}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
