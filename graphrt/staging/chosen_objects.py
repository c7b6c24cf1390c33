"""Objects of the user's that only the running graph chooses between: what is done to one is done to the chosen one.

particles[i].x += 1         the attribute of each is set in a conditional on the index
experts[i](x)               so are calls, and what methods do
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from enum import Enum
from types import ModuleType
from typing import Any, NoReturn

import numpy as np

from autograph.backends import converted_call
from autograph.backends.state import OneOfSeveral
from graphrt import errors
from graphrt.ir.op import ops  # late: start-up, the backend is registered by `import graphrt`
from graphrt.staging.chosen_functions import ChosenFunction, Functions
from graphrt.tensor.tensor import Tensor
from graphrt.types import structure

_NO_OBJECTS = (
    Tensor, np.ndarray, np.generic, bool, int, float, complex, str, bytes, type(None), type, Enum, ModuleType, list, tuple,
    dict, set, frozenset, structure.Composite,
)  # fmt: skip


def is_user_object(value: Any) -> bool:
    """Whether `value` is known by its attributes and methods alone."""
    return not isinstance(value, _NO_OBJECTS) and not hasattr(value, "__tf_tensor__") and _has_attributes(type(value))


def _has_attributes(kind: type) -> bool:
    return bool(kind.__dictoffset__) or any("__slots__" in vars(base) for base in kind.__mro__)


class ChosenObject(OneOfSeveral):
    """One of several objects, of the graph that is being traced."""

    __slots__ = ("_at", "_objects")
    _at: Tensor
    _objects: tuple[Any, ...]

    def __init__(self, objects: tuple[Any, ...], at: Tensor) -> None:
        object.__setattr__(self, "_objects", objects)
        object.__setattr__(self, "_at", at)

    @property
    def may_be(self) -> tuple[Any, ...]:
        """The objects of which it is one."""
        return self._objects

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        kinds = {type(o) for o in self.may_be}
        if len(kinds) == 1:
            return kinds.pop()
        names = ", ".join(sorted(kind.__name__ for kind in kinds))
        text = f"which class this is of only the running graph knows: it is one of several objects, of {names}"
        raise errors.OperatorNotAllowedInGraphError(errors.at_user_line(text))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):  # Python's business with objects, and not the program's
            raise AttributeError(name)
        if any(isinstance(getattr(type(o), name, None), property) for o in self.may_be):
            return self._in_branches(lambda o: functools.partial(getattr, o, name))()
        return ops.item_at([converted_call(getattr, (o, name), None) for o in self.may_be], self._at)

    def __setattr__(self, name: str, value: object) -> None:
        if not all(hasattr(type(o), name) or name in getattr(o, "__dict__", ()) for o in self.may_be):
            text = f"{name!r} is set of one of several objects, not all of which have it: set it of each of them first"
            raise errors.SideEffectError(errors.at_user_line(text))
        self._in_branches(lambda o: functools.partial(setattr, o, name))(value)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """What the chosen one gives for these arguments."""
        return self._in_branches(lambda o: o)(*args, **kwargs)

    def _in_branches(self, function: Callable[[Any], Callable[..., Any]]) -> ChosenFunction:
        return ChosenFunction(Functions([*map(function, self.may_be)]), self._at)

    def __repr__(self) -> str:
        return f"<one of {len(self.may_be)} objects>"

    def _refuse(self, *args: object) -> NoReturn:
        text = f"which object this is only the running graph knows: {self!r}. Its attributes and methods may be used"
        raise errors.OperatorNotAllowedInGraphError(errors.at_user_line(text))

    __eq__ = __ne__ = __hash__ = __bool__ = __str__ = __format__ = _refuse
    __len__ = __iter__ = __getitem__ = __setitem__ = __delattr__ = _refuse
    __copy__ = __deepcopy__ = __reduce_ex__ = _refuse
