"""The methods by which a backend gives converted code a meaning on its own values.

A value is *staged* when a registered backend says so. Each construct then asks that backend, and Python otherwise:

    if x > 0:                 ag__.if_stmt(x > 0, if_body, else_body, get_state, set_state, ('y',), 1)
        y = 1          ->         -> backend_of(x > 0).if_stmt(...) when `x > 0` is staged
    else:                         -> if_body() or else_body() when it is a plain value
        y = 2

State: `get_state()` returns the tuple of the variables named in `symbol_names`, `set_state(values)` puts them back; a
variable without a value is an `Undefined`. Bodies take and return nothing: their effect is on the state.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import Any, NoReturn

from autograph.backends.own_builtins import OWN
from autograph.errors import UnsupportedByBackendError
from autograph.options import Feature

globals()["__builtins__"] = OWN

GetState = Callable[[], tuple[Any, ...]]
SetState = Callable[[tuple[Any, ...]], None]
Thunk = Callable[[], Any]
Thunk1 = Callable[[Any], Any]


class NoValue:
    """Base of what a variable without a value holds."""

    __slots__ = ()


class Handles(enum.Flag):
    """What a backend deals with besides staging single constructs; `autograph check` does not tell of it.

    >>> Handles.RAISES in (Handles.RAISES | Handles.LIST_CHANGES)
    True
    """

    RAISES = enum.auto()  # `raise` in a staged branch becomes an error of the staged program
    UNSET_VARIABLES = enum.auto()  # what one side of a branch sets, and further staged statements read
    NONE_BEFORE_LOOPS = enum.auto()  # a variable that is None before a staged loop, which sets it
    NONE = enum.auto()  # a variable or result that is None on some paths, and has a value on others
    NUMBERS = enum.auto()  # a variable that is a number of one type here and of another there: it takes the wider one
    LIST_CHANGES = enum.auto()  # methods that change lists and dictionaries in staged statements
    RECURSION = enum.auto()  # functions that call themselves until a staged condition holds


class StagingBackend:
    """Base class of backends: every method raises `UnsupportedByBackendError` until it is overridden.

    `staged_types`: values of these types and their subtypes belong to the backend.
    `unconverted_modules`: names of modules whose functions are called as they are (with all their submodules).
    `features`, `handles`, `recursive`: what `autograph check` takes for granted where code is checked for this backend:
    the optional features it turns on, what it deals with, and the decorators whose functions may call themselves.
    """

    name: str = "backend"
    staged_types: tuple[type, ...] = ()
    unconverted_modules: tuple[str, ...] = ()
    features: tuple[Feature, ...] = ()
    handles: Handles = Handles(0)
    recursive: tuple[str, ...] = ()

    def is_staged(self, value: Any) -> bool:
        """Second test, after the match by type: whether this very value is staged."""
        return True

    def is_active(self) -> bool:
        """Whether any value may be staged now; while no backend is active, converted functions run as they were written.

        It is asked at each call of a converted function, so it has to be quick.
        """
        return True

    def unsupported(self, construct: str, remedy: str = "") -> NoReturn:
        """Raises the error that names a construct this backend does not stage."""
        text = f"backend {self.name!r} does not stage {construct}"
        raise UnsupportedByBackendError(f"{text}; {remedy}" if remedy else text)

    def name_scope(self, name: str) -> AbstractContextManager[Any] | None:
        """A context that converted functions run in when `Feature.NAME_SCOPES` is on; None for none."""
        return None

    # A loop's test is tried once, in Python, to see whether it is staged; then the backend stages it again.

    def checkpoint(self) -> object:
        """A mark of what is staged so far, taken before the test of a `while` loop is tried; None when there is nothing."""
        return None

    def checkpoint_before(self, test: Thunk) -> object:
        """The same, for a backend that also wants to undo what `test`, the function about to be tried, does to objects."""
        return self.checkpoint()

    def rollback(self, mark: Any) -> None:
        """Forgets what was staged since `mark` (never None): the test was staged, and will be again by `while_stmt`."""

    def return_value(self, value: Any, did_return: Any) -> object:
        """What a converted function returns, where it is staged whether it returned (`did_return`)."""
        return value

    # Statements: they return None, all effects go through the state.

    def if_stmt(
        self,
        cond: Any,
        body: Thunk,
        orelse: Thunk,
        get_state: GetState,
        set_state: SetState,
        symbol_names: tuple[str, ...],
        nouts: int,
    ) -> None:
        """`if cond`: both branches are traced; the first `nouts` symbols are needed afterwards."""
        self.unsupported("an `if` statement")

    def while_stmt(
        self,
        test: Thunk,
        body: Thunk,
        get_state: GetState,
        set_state: SetState,
        symbol_names: tuple[str, ...],
        opts: Mapping[str, Any],
    ) -> None:
        """`while test()`: may be entered in the middle, after Python has run some iterations.

        `opts` holds the loop options set in the body, and `test_assigns` when the test itself sets variables.
        """
        self.unsupported("a `while` loop")

    def for_stmt(
        self,
        iter_: Any,
        extra_test: Thunk | None,
        body: Callable[[Any], None],
        get_state: GetState,
        set_state: SetState,
        symbol_names: tuple[str, ...],
        opts: Mapping[str, Any],
    ) -> None:
        """`for target in iter_`, left when `extra_test()` is false; `opts['iterate_names']` names the target."""
        self.unsupported("a `for` loop")

    def assert_stmt(self, test: Any, message_thunk: Thunk) -> None:
        """`assert test, message`."""
        self.unsupported("an `assert` statement")

    # Expressions.

    def if_exp(self, cond: Any, if_true: Thunk, if_false: Thunk, expr_repr: str) -> object:
        """`if_true() if cond else if_false()`."""
        self.unsupported(f"the conditional expression on `{expr_repr}`")

    def and_(self, a_value: Any, b_thunk: Thunk) -> object:
        """`a and b`, where `a` is staged."""
        self.unsupported("`and`")

    def or_(self, a_value: Any, b_thunk: Thunk) -> object:
        """`a or b`, where `a` is staged."""
        self.unsupported("`or`")

    def not_(self, a: Any) -> object:
        """`not a`."""
        self.unsupported("`not`")

    def eq(self, a: Any, b: Any) -> object:
        """`a == b`, where at least one is staged."""
        self.unsupported("`==`")

    def not_eq(self, a: Any, b: Any) -> object:
        """`a != b`, where at least one is staged."""
        self.unsupported("`!=`")

    def contains(self, x: Any, container: Any) -> object:
        """`x in container`, where at least one is staged."""
        self.unsupported("`in`")

    # Built-in functions, called when an argument is staged.

    def abs_(self, x: Any) -> object:
        """`abs(x)`."""
        self.unsupported("`abs`")

    def all_(self, iterable: Any) -> object:
        """`all(iterable)`."""
        self.unsupported("`all`")

    def any_(self, iterable: Any) -> object:
        """`any(iterable)`."""
        self.unsupported("`any`")

    def bool_(self, x: Any) -> object:
        """`bool(x)`."""
        self.unsupported("`bool`")

    def enumerate_(self, iterable: Any, start: Any = 0) -> object:
        """`enumerate(iterable, start)`."""
        self.unsupported("`enumerate`")

    def filter_(self, function: Any, iterable: Any) -> object:
        """`filter(function, iterable)`; the function is converted already."""
        self.unsupported("`filter`")

    def float_(self, x: Any = 0.0) -> object:
        """`float(x)`."""
        self.unsupported("`float`")

    def int_(self, x: Any = 0, *base: Any) -> object:
        """`int(x)` or `int(x, base)`."""
        self.unsupported("`int`")

    def isinstance_(self, x: Any, kinds: Any) -> object:
        """`isinstance(x, kinds)`."""
        return isinstance(x, kinds)

    def iter_(self, iterable: Any, *sentinel: Any) -> object:
        """`iter(iterable)`."""
        self.unsupported("`iter`")

    def len_(self, x: Any) -> object:
        """`len(x)`."""
        self.unsupported("`len`")

    def map_(self, function: Any, *iterables: Any) -> object:
        """`map(function, *iterables)`; the function is converted already."""
        self.unsupported("`map`")

    def max_(self, *args: Any, **kwargs: Any) -> object:
        """`max(iterable)` or `max(a, b, ...)`."""
        self.unsupported("`max`")

    def min_(self, *args: Any, **kwargs: Any) -> object:
        """`min(iterable)` or `min(a, b, ...)`."""
        self.unsupported("`min`")

    def next_(self, iterator: Any, *default: Any) -> object:
        """`next(iterator)` or `next(iterator, default)`."""
        self.unsupported("`next`")

    def print_(self, *objects: Any, **kwargs: Any) -> object:
        """`print(*objects, sep=, end=, file=, flush=)`."""
        self.unsupported("`print`")

    def range_(self, *args: Any) -> object:
        """`range(stop)`, `range(start, stop)` or `range(start, stop, step)`."""
        self.unsupported("`range`")

    def reversed_(self, sequence: Any) -> object:
        """`reversed(sequence)`."""
        self.unsupported("`reversed`")

    def round_(self, x: Any, *ndigits: Any) -> object:
        """`round(x)` or `round(x, ndigits)`."""
        self.unsupported("`round`")

    def sorted_(self, iterable: Any, *, key: Any = None, reverse: Any = False) -> object:
        """`sorted(iterable, key=, reverse=)`."""
        self.unsupported("`sorted`")

    def sum_(self, iterable: Any, start: Any = 0) -> object:
        """`sum(iterable, start)`."""
        self.unsupported("`sum`")

    def addend(self, value: Any) -> object:
        """What `sum` adds for a staged element: of truths, numbers."""
        return value

    def type_(self, x: Any) -> type:
        """`type(x)`."""
        return type(x)

    def zip_(self, *iterables: Any, strict: bool = False) -> object:
        """`zip(*iterables, strict=)`."""
        self.unsupported("`zip`")

    def is_none(self, value: Any) -> object:
        """`value is None`, which may be staged where the backend has told the trace that it makes such values."""
        return False

    def settled(self, value: object) -> object:
        """`value`, or what it is, None or not, where the backend knows which it is at this place."""
        return value

    def there(self, value: Any) -> object:
        """`value` for code that is not converted, which cannot ask whether it is None: it is not, where the graph runs."""
        return value

    # Containers.

    def get_item(self, target: Any, key: Any) -> object:
        """`target[key]`, where target or key is staged."""
        self.unsupported("`target[key]`")

    def set_item(self, target: Any, key: Any, value: Any) -> object:
        """`target[key] = value`; returns the updated container."""
        self.unsupported("`target[key] = value`")

    def list_comp(self, iterable: Any, plain: Thunk1, element: Any, condition: Any) -> object:
        """`[element(item) for item in iterable if condition(item)]`; `plain(iterable)` is the comprehension as written.

        `condition` is None when there is none. A target of several names makes functions of several arguments.
        NotImplemented has staged statements, `for` and `if`, make the list.
        """
        return plain(iterable)

    def generated(self, elements: Any, iterable: Any, text: str = "(... for ...)") -> object:
        """What `text` over `iterable` gives, an iterator whose elements are staged: they are in `elements`."""
        return elements

    def new_list(self, elements: Any) -> object:
        """A staged list; only asked when the elements are staged."""
        self.unsupported("`list`")

    def list_extend(self, list_: list[Any], x: Any) -> object:
        """`list_ += x` and `list_.extend(x)` on Python's list, which is returned; NotImplemented leaves it to Python."""
        return NotImplemented

    def list_spread(self, before: Any, iterable: Any) -> object:
        """`[*before, *iterable]`; NotImplemented leaves it to Python."""
        return NotImplemented

    def list_item(self, list_: list[Any], i: Any) -> object:
        """`list_[i]`, which is about to be changed, of a Python list of lists; NotImplemented refuses that."""
        return NotImplemented

    def rest_of_list(self, list_: list[Any], start: int) -> object:
        """What a staged `for` goes through that Python has begun: a list, which is staged by now, from `start` on."""
        self.unsupported("a `for` loop over a list that has become staged in it")

    def list_append(self, list_: Any, x: Any) -> object:
        """`list_.append(x)` on a staged list; returns the updated list."""
        self.unsupported("`append`")

    def list_pop(self, list_: Any, i: Any, /, *, element_dtype: Any, element_shape: Any) -> tuple[Any, Any]:
        """`list_.pop(i)` on a staged list (`i` None: the last); returns the updated list and the element."""
        self.unsupported("`pop`")

    def list_stack(self, list_: Any, /, *, element_dtype: Any, strict: bool) -> object:
        """One array of the elements of a staged list."""
        self.unsupported("a stack of list elements")
