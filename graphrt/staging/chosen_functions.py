"""Functions that only the running graph chooses between: one that is called calls the one that was chosen.

if x > 0:                f: a `ChosenFunction` of two, and an index, which is an output of the conditional
    f = tf.nn.relu
else:                    f(y)    a conditional on the index, each branch of which calls one of them
    f = tf.nn.tanh
[f, g, h][i](y)          the index is `i`
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any, NoReturn

import numpy as np

from autograph.backends import backend_of, converted_call
from graphrt import errors
from graphrt.ir.op import ops  # late: start-up, the backend is registered by `import graphrt`
from graphrt.staging.closing import Instance
from graphrt.staging.raising import must_hold
from graphrt.tensor.context import building
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.func_graph import FuncGraph
from graphrt.tensor.tensor import Tensor
from graphrt.types.dtype import int32

_FUNCTIONS = (FunctionType, BuiltinFunctionType, MethodType, functools.partial, np.ufunc, type)


class Functions(frozenset[Any]):
    """Several functions in their order; a set, with nothing in it, so that nothing that joins objects looks into it."""

    ordered: tuple[Callable[..., Any], ...]

    def __new__(cls, functions: Sequence[Callable[..., Any]]) -> Functions:
        found = super().__new__(cls)
        found.ordered = tuple(functions)
        return found

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Functions) or len(self.ordered) != len(other.ordered):
            return False
        return all(map(_are_one, self.ordered, other.ordered))

    __hash__ = frozenset.__hash__


class ChosenFunction:
    """One of several functions, of the graph that is being traced.

    Attributes:
      index: which of its functions it is.
    """

    def __init__(self, functions: Functions, index: int | Tensor) -> None:
        self._functions = functions
        self.index = index

    @property
    def functions(self) -> tuple[Callable[..., Any], ...]:
        """What it may be."""
        return self._functions.ordered

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """What the chosen one gives for these arguments."""
        return self._call(0, args, kwargs)

    def _call(self, place: int, args: Any, kwargs: Any) -> Any:
        this = lambda: converted_call(self.functions[place], args, kwargs)
        if place == len(self.functions) - 1:
            return this()
        others = lambda: self._call(place + 1, args, kwargs)
        if not isinstance(self.index, Tensor):
            return this() if self.index == place else others()
        is_this = ops.Equal(self.index, place)
        backend = backend_of(is_this)
        return backend.if_exp(is_this, this, others, f"{self!r}(...)") if backend else this() if is_this else others()

    def __repr__(self) -> str:
        return f"<one of {', '.join(map(_name, self.functions))}>"

    def __eq__(self, other: object) -> bool:
        return self is other or (is_function(other) and self._refuse())

    def __ne__(self, other: object) -> bool:
        return not self == other

    def _refuse(self, *args: object) -> NoReturn:
        text = f"which function this is only the running graph knows: {self!r}. It can be called, and nothing else"
        raise errors.OperatorNotAllowedInGraphError(errors.at_user_line(text))

    __hash__ = _refuse


def _name(function: object) -> str:
    return str(getattr(function, "__qualname__", None) or getattr(function, "__name__", None) or function)


def is_function(value: object) -> bool:
    """Whether `value` is a function, one of Python's or of graphs, and no object that is called."""
    if isinstance(value, _FUNCTIONS):
        return True
    return isinstance(value, ChosenFunction) or hasattr(type(value), "get_concrete_function")


def lone(value: Any) -> Any:
    """A function as the only one that may be chosen; all else as it is."""
    if not is_function(value) or isinstance(value, ChosenFunction):
        return value
    return ChosenFunction(Functions([value]), 0)


def both(a: ChosenFunction, b: ChosenFunction) -> Functions:
    """All that two of them may be, each once."""
    found: list[Any] = []
    for function in (*a.functions, *b.functions):
        if not any(_are_one(function, known) for known in found):
            found.append(function)
    return Functions(found)


def among(functions: Functions, of: ChosenFunction) -> ChosenFunction:
    """The same function as one of more."""
    places = [next(i for i, f in enumerate(functions.ordered) if _are_one(f, own)) for own in of.functions]
    if not isinstance(of.index, Tensor):
        return ChosenFunction(functions, places[of.index])
    same = places == list(range(len(places)))
    return ChosenFunction(functions, of.index if same else ops.gather(convert_to_tensor(places, int32), of.index))


def paired(a: object, b: object, graphs: tuple[FuncGraph, FuncGraph]) -> tuple[Any, Any]:
    """Two functions, each of one of two branches' `graphs`, as ones of the same functions; all else as it is."""
    if not is_function(a) or not is_function(b) or a is b or _are_one(a, b):
        return a, b
    one, other = lone(a), lone(b)
    every = both(one, other)
    with building(graphs[0]):
        one = among(every, one)
    with building(graphs[1]):
        return one, among(every, other)


def at(functions: Sequence[Any], index: object) -> ChosenFunction | None:
    """`functions[index]`; None where these are no functions, or the index is no integer of a graph."""
    if not isinstance(index, Tensor) or index.dims != () or not index.dtype.is_integer:
        return None
    if not functions or not all(map(is_function, functions)):
        return None
    count, place = len(functions), ops.cast(index, int32)
    inside = ops.LogicalAnd(place >= -count, place < count)
    must_hold(inside, IndexError, "list index out of range", "ask before, whether it is inside")
    return ChosenFunction(Functions(functions), ops.SelectV2(place < 0, place + count, place))


def _are_one(a: Any, b: Any) -> bool:
    """Methods that Python binds anew each time are one if they are equal; functions, if they hold nothing."""
    if a is b or (isinstance(a, MethodType) and isinstance(b, MethodType) and a == b):
        return True
    if not isinstance(a, FunctionType) or not isinstance(b, FunctionType) or a.__code__ is not b.__code__:
        return False
    return not (a.__closure__ or a.__defaults__ or a.__kwdefaults__ or b.__defaults__ or b.__kwdefaults__)


def carries(like: Any) -> Functions | None:
    """The functions of which a closed value of a loop's variable is one; None where it is none."""
    return like.parts["_functions"].value if isinstance(like, Instance) and like.kind is ChosenFunction else None


def with_more(functions: ChosenFunction, after: ChosenFunction) -> ChosenFunction:
    """The same function as one of those of `after`, too."""
    found = among(both(functions, after), functions)
    found.index = convert_to_tensor(found.index, int32)
    return found


def is_one_more(known: Functions, function: ChosenFunction) -> bool:
    """Whether a function may be one that is not among those which are known.

    Raises:
      LoopVariableError: such a one is made anew each time.
    """
    more = [f for f in function.functions if not any(_are_one(f, k) for k in known.ordered)]
    codes = {getattr(f, "__code__", None) for f in known.ordered} - {None}
    for f in more:
        if getattr(f, "__code__", None) in codes:
            text = f"{_name(f)} is made anew, with other variables, in each iteration of a staged loop: make it once, ahead"
            raise errors.LoopVariableError(errors.at_user_line(text))
    return bool(more)
