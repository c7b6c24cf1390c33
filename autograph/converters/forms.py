"""The nodes that converters make: what a construct means, with the parts of the user's as their children.

    if c: ...       StagedIf(body, orelse, test, state)       printed as functions and a call of `ag__.if_stmt`
    f(x, *a)        ConvertedCall(func, args, keywords, ...)  ag__.converted_call(f, (x,) + tuple(a), None, fscope)
    x               Read(value)                               ag__.ld(x)

`emit/text.py` prints them, `emit/code.py` compiles them. The fields stand in the order in which the text has the parts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import gast

from autograph.pyct.names import QN
from autograph.pyct.nodes import Form, Scoped
from autograph.pyct.origin import NOWHERE, Position

# Functions


class FunctionScope(Scoped):
    """The body of a function: `with ag__.FunctionScope(title, label, options) as label: body`.

    `in_full` says whether all options are printed, whatever they are.
    """

    _fields = ("title", "label", "options", "in_full", "body")


class LambdaScope(Form, gast.expr):
    """The body of a lambda: `ag__.with_function_scope(lambda label: body, label, options)`."""

    _fields = ("label", "body", "options", "in_full")


class Result(Form, gast.expr):
    """What a function returns: `scope.ret(value, done)`."""

    _fields = ("scope", "value", "done")


class LoweredReturn(gast.Try):
    """A `return` that became a flag and a value: `try: done = True; result = value; except: done = False; raise`."""


class TakenBack(gast.Try):
    """A statement that jumps may leave, and may still fail: `try: statement; except: flag = False; raise`."""


# Calls and variables


class ConvertedCall(Form, gast.expr):
    """`ag__.converted_call(func, args, keywords, scope)`.

    `hidden` names the builtins `tuple` and `dict` where they mean something else to the user's function.
    """

    _fields = ("func", "args", "keywords", "scope", "hidden")

    def consumed(self) -> list[gast.GeneratorExp]:
        """The generator expressions that have run to their end when the function is called."""
        if "tuple" in self.hidden:
            return []
        stars = [arg.value for arg in self.args if isinstance(arg, gast.Starred)]
        return [value for value in stars if isinstance(value, gast.GeneratorExp)]


class Read(Form, gast.expr):
    """A read of a variable that may have no value: `ag__.ld(value)`."""

    _fields = ("value",)


class Reload(Form, gast.stmt):
    """Ahead of `x += y`: `x = ag__.ld(x)`."""

    _fields = ("name",)


class Mention(Form, gast.stmt):
    """A flag that the loop around tests: `(flag,)`, for analyses."""

    _fields = ("value",)


class Unset(Form, gast.stmt):
    """A variable that has no value from here on: `x = ag__.Undefined('x')`; for `del x`, if it is one of the user's."""

    _fields = ("name", "deletes")


class TogetherDeleted(Scoped):
    """`del (x, y)`: a list or tuple of targets, which the text leaves to Python; `shown` is that statement."""

    def __init__(self, body: list[gast.stmt], shown: gast.stmt) -> None:
        super().__init__(body)
        self.shown = shown


class PerhapsUnset(Form, gast.stmt):
    """A variable that may have no value gets one of some kind: `x = ag__.ldu(lambda: x, 'x')`."""

    _fields = ("name",)


class Holds(Form, gast.expr):
    """What is left by a pattern that Python has found to hold: `True`."""

    _fields = ("subject",)


class StagedAssert(Form, gast.stmt):
    """`ag__.assert_stmt(test, message)`; `message` is a thunk, or None where the user says nothing."""

    _fields = ("test", "message")


# Branches and loops


@dataclass
class State:
    """The variables of one branch or loop.

    Attributes:
      symbols: the state, those used afterwards first.
      outputs: how many are used afterwards.
      shared: the names that its bodies share with the function around.
      assigned: the simple names among the symbols, in order of appearance.
      undefined: those that surely have no value yet.
      uncertain: those that may have none.
      examples: for a composite symbol, an expression that reads it.
      unshown: of the shared names those that the text does not share.
      module_level: the names that the function declares `global`.
      whole: where the statement stands, while its form stands where it tests or iterates.
    """

    symbols: list[QN]
    outputs: int
    shared: list[str]
    assigned: list[str]
    undefined: list[str]
    uncertain: list[str] = field(default_factory=list)
    examples: dict[str, gast.expr] = field(default_factory=dict)
    unshown: frozenset[str] = frozenset()
    module_level: frozenset[str] = frozenset()
    whole: Position = NOWHERE


class StagedIf(Form, gast.stmt):
    """`if test: body else: orelse`, with a `State`."""

    _fields = ("body", "orelse", "test", "state")


class StagedWhile(Form, gast.stmt):
    """`while test: body`; `options` are those of `set_loop_options`, `set_by_test` the shared names that the test sets.

    The text also tests `shown_flag`, which says that the function has returned: never here, as the loop is guarded by it.
    """

    _fields = ("body", "test", "options", "state", "set_by_test")

    shown_flag = ""


class StagedFor(Form, gast.stmt):
    """`for target in iter: body`, which goes on only while `extra_test` holds; `shown` is the target as it is named.

    `shown_flag` is as that of a `StagedWhile`.
    """

    _fields = ("target", "body", "extra_test", "iter", "options", "state")

    shown: gast.expr
    shown_flag = ""


# Expressions


class StagedIfExp(gast.IfExp):
    """`ag__.if_exp(test, lambda: body, lambda: orelse, text)`; `shown` is the test as the text has it.

    No lambda can set what its operands `sets` with `:=`: the text leaves it to Python, and compiled code makes a `StagedIf`
    of it where it turns out to be staged. The same holds for the other expressions.

    `negated` says that it stands for `not (x if c else y)`: both operands are `not` of one of those, as of the whole only
    the truth is asked for.
    """

    shown: gast.expr
    negated = False
    sets: Sequence[str] = ()
    operator: str = "if_exp"


class StagedBoolOp(gast.BoolOp):
    """`ag__.and_(lambda: a, lambda: b)`, or the same with `or_`."""

    sets: Sequence[str] = ()


class StagedNot(gast.UnaryOp):
    """`ag__.not_(operand)`."""


class StagedChain(gast.Compare):
    """A comparison of more than two operands: pairs, joined by `ag__.and_`."""

    sets: Sequence[str] = ()
