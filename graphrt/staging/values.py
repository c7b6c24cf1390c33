"""The variables of converted code as flat tensors, and back.

A variable of the user holds tensors, numbers, nested structures of them, or Python objects that no graph can carry.
`Slot` says which, for one variable at one point of the program; `unify` says what a conditional makes of two of them.
"""

from __future__ import annotations

import collections
import enum
import numbers
from typing import Any

import numpy as np

from autograph.backends import Popped, Undefined, UndefinedReturnValue
from autograph.backends.state import fields_of
from graphrt import errors
from graphrt.ir.op import ops  # late: start-up, `import graphrt` reads this file
from graphrt.staging.lists import StagedList
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.func_graph import FuncGraph, Placeholder
from graphrt.tensor.tensor import SymbolicTensor, Tensor
from graphrt.tensor.weak import as_number, copied_type, is_flexible, weak_tensor, weak_type, weakened
from graphrt.types import structure
from graphrt.types.likes import TensorLike
from graphrt.types.shape import TensorShape

_PLAIN = (bool, int, float, complex, str, bytes, np.ndarray, np.generic)


def is_undefined(value: object) -> bool:
    """Whether a variable has no value yet."""
    return isinstance(value, Undefined) and not isinstance(value, structure.Composite)


def is_undefined_return(value: object) -> bool:
    """Whether the function has not returned yet."""
    return isinstance(value, UndefinedReturnValue)


def lacks_value(value: object) -> bool:
    """Whether a variable, or the return value, has no value yet, or none that anybody will read."""
    return is_undefined(value) or isinstance(value, (UndefinedReturnValue, Popped))


def is_variable(value: object) -> bool:
    """Whether `value` is no tensor itself, but has a tensor for its value."""
    return hasattr(value, "__tf_tensor__") and not isinstance(value, (Tensor, structure.Composite))


def variable_as_tensor(value: Any) -> Any:
    """The value of a variable; anything else as it is."""
    return convert_to_tensor(value) if is_variable(value) else value


def is_leaf(value: object) -> bool:
    """Whether a graph can carry `value` as one tensor."""
    return isinstance(value, (Tensor, *_PLAIN, numbers.Number, TensorShape))


def is_stageable(value: object) -> bool:
    """Whether a graph can carry `value`: a tensor, a number, a string, or a non-empty structure of them."""
    if isinstance(value, structure.Composite):
        return True
    if type(value) is Popped:
        return False
    if not structure.is_nested(value):
        return is_leaf(value)
    try:
        leaves = structure.flatten(value)
    except TypeError:  # a dict whose keys have no order is a Python object to us
        return False
    return bool(leaves) and all(is_leaf(v) or isinstance(v, structure.Composite) for v in leaves)


def is_empty(value: object) -> bool:
    """Whether `value` is a structure without elements, which a graph returns as it is."""
    if isinstance(value, structure.Composite) or not structure.is_nested(value):
        return False
    return not value or (
        isinstance(value, (list, tuple, dict)) and all(is_empty(v) for _, v in structure.children(value))
    )


def has_mutable(value: object) -> bool:
    """Whether `value` is, or holds, a list or dictionary, or a staged list: objects that change in place."""
    if isinstance(value, StagedList):
        return True
    if isinstance(value, structure.Nullable):
        return value.is_mutable
    if isinstance(value, (structure.Composite, *_PLAIN)) or not structure.is_nested(value):
        return False
    return not isinstance(value, tuple) or any(map(has_mutable, value))


def leaves_of(value: object) -> list[Any]:
    """The tensors and plain values a stageable `value` is made of."""
    return structure.flatten(value, expand_composites=True)


def rebuilt(like: object, leaves: list[Any]) -> Any:
    """A value structured like `like` with other leaves."""
    return structure.pack_like(like, leaves, expand_composites=True)


def tensors_of(value: Any) -> list[Any]:
    """The leaves of `value` as tensors of the graph being traced."""
    return [convert_to_tensor(v) for v in leaves_of(value)]


def type_text(value: Any) -> str:
    """What a value is, for messages: dtype and shape of a tensor, else its Python type."""
    if isinstance(value, Tensor):
        return f"{'an' if value.dtype.name.startswith('int') else 'a'} {value.dtype.name} tensor of shape {value.shape}"
    if value is None:
        return "None"
    if isinstance(value, structure.Nullable):
        return f"None or {type_text(value.value)}"
    if isinstance(value, StagedList):
        return "a list that grew in a staged loop"
    if isinstance(value, _PLAIN):
        return f"the Python {type(value).__name__} {value!r}" if len(repr(value)) < 60 else f"a {type(value).__name__}"
    if structure.is_nested(value):
        return f"a {type(value).__name__} of {len(structure.children(value))} elements"
    if isinstance(value, enum.Enum):
        return str(value)
    if type(value) is collections.deque:
        return f"a deque of {len(value)} elements" + ("" if value.maxlen is None else f", at most {value.maxlen}")
    return f"a Python object of type {type(value).__name__}"


def instead_of(*values: object) -> str:
    """What to write in place of a Python object that no graph carries, for messages."""
    for value in values:
        if isinstance(value, enum.Enum):
            return "Give its number (`.value`) in both branches, and ask for that."
        if isinstance(value, (set, frozenset)):
            return "Use a list, which may grow and shrink in a graph, or a tensor of flags."
        if isinstance(value, collections.deque):
            return "Make both with one `maxlen`, of tensors of one dtype."
    return "Use what you need of it in the branches, or keep its index in a tuple that is made before."


def same_object(a: Any, b: Any) -> bool:
    """Whether two Python values that no graph carries may be taken for one."""
    if a is b:
        return True
    if type(a) is not type(b):
        return False
    if structure.is_nested(a):
        parts_a, parts_b = structure.children(a), structure.children(b)
        return len(parts_a) == len(parts_b) and all(
            ka == kb and same_object(va, vb) for (ka, va), (kb, vb) in zip(parts_a, parts_b)
        )
    if isinstance(a, (Tensor, StagedList)):
        return False
    if any(isinstance(part, structure.Nullable) for side in (a, b) for part in (fields_of(side) or {}).values()):
        return False  # to compare what may be None asserts that it is not
    try:
        return bool(a == b)
    except Exception:  # an object that cannot be compared is only ever itself
        return False


def zeros_for(leaf: TensorLike) -> Tensor:
    """A tensor that stands for a value which will never be read: zeros like `leaf` (unknown dimensions become 0)."""
    tensor = leaf if isinstance(leaf, Tensor) else convert_to_tensor(leaf)
    if tensor.dtype.kind == "O":
        if tensor.dtype.name != "variant":
            return tensor
        weak = weak_type(tensor)
        empty = ops.EmptyTensorList(-1, 0, element_dtype="float32" if weak is None else weak.dtype)
        return empty if weak is None else weakened(empty, dtype=weak.dtype)
    dims = () if tensor.dims is None else tuple(0 if d is None else d for d in tensor.dims)
    zeros = ops.zeros(dims, tensor.dtype)
    return as_number(zeros, tensor.dtype.as_numpy_dtype(0).item()) if is_flexible(leaf) and dims == () else zeros


def stand_in(graph: FuncGraph, leaf: TensorLike, is_number: bool = False) -> SymbolicTensor:
    """A placeholder of `graph` of the type of `leaf`; weak where that is, or `is_number`."""
    tensor = weak_tensor(leaf)
    found = graph.placeholder(tensor.dtype, tensor.dims, Placeholder.type)
    if (weak := copied_type(tensor)) is not None:
        weak.enter(found.value)
    elif is_number:
        weakened(found)
    if isinstance(tensor, SymbolicTensor):
        found.value.info = tensor.value.info
    return found


def mismatch(name: str, what: str) -> Exception:
    """The error for a variable whose value differs between branches."""
    return errors.BranchMismatchError(errors.at_user_line(f"{name!r} {what}"))
