"""The declaration of an op, and the table of all ops.

An op is declared once, with everything there is to know of it:

    Sum = define(
        "Sum", "input: T, reduction_indices: Tidx -> output: T",
        attrs="keep_dims: bool = False; Tidx: type = int32",
        allowed={"T": NUMERIC, "Tidx": INDEX},
        infer=_reduced_dims, kernel=_sum_kernel, vjp=_sum_vjp,
    )

The schema is that of the TensorFlow op of the same name. An argument is `name: type` where type is a type attribute
(`T`), a dtype (`int32`), a repeated one (`N * T`) or a list of types (`Tin...`), of an input also with the ranks that it
may have: `T[2]`, `T[1+]`, `T[0..1]`. Type attributes need no declaration unless they have a default or cannot be learned
from an input. Attributes are written as TensorFlow writes them:
`N: int >= 1`, `strides: list(int) >= 4` (the length), `padding: {'SAME', 'VALID'} = 'SAME'`; graphs that come from
outside are held to that.

The object that `define` returns is callable: `Sum(x, axis, keep_dims=True, name="total")` runs the op on concrete
tensors, or records a node while a graph is being traced (see `graphrt.tensor.apply`).
"""

from __future__ import annotations

import ast
import functools
import importlib
import inspect
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import FunctionType
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import numpy as np

from graphrt.ir.code import Code, Template, sign
from graphrt.ir.homes import HOMES
from graphrt.ir.ranks import Ranks, held, parsed
from graphrt.ir.tracebacks import shorten
from graphrt.types import dtype as dtypes
from graphrt.types.dtype import DType
from graphrt.types.nesting import shown

if TYPE_CHECKING:
    from graphrt.ir.graph import InferContext, Node

NodeRule: TypeAlias = "Callable[[Node], bool]"
ScalarEmit: TypeAlias = "Callable[[Any, Node, list[Code]], Code | None]"

# --- traits: properties that passes and the executor rely on ---------------------------------------------------------
ELEMENTWISE = "elementwise"  # output element i depends on input elements i only (after broadcasting)
COMMUTATIVE = "commutative"  # op(a, b) == op(b, a)
STATEFUL = "stateful"  # has an effect, or its result may differ from call to call: kept, never merged, never reordered
SETS = "sets"  # stateful, but only stores a value in its resource: nobody can tell when, as long as nobody reads it
READS = "reads"  # stateful, but only reads its resource: dropped when nobody needs the value
OPAQUE = "opaque"  # never evaluated while tracing (placeholders, functions of the user)
ALIASES = "aliases"  # an output may share memory with an input
KEEPS_KIND = "keeps kind"  # what it makes of Python numbers is a number of their kind (so do all elementwise ops)
FRESH = "fresh"  # nothing that it gives or changes shares memory with its inputs, its first output not with the others
MATRIX_PRODUCT = "matrix product"  # takes the time of a product of its two inputs
SHOWS = "shows"  # makes nothing but text of inputs that may have any dtype
INTERNAL = "internal"  # an op of our own, for graphs of this process: no file may hold it; its name begins with `_`
FORWARDS = "forwards"  # each output is the input of the same position, unchanged
QUIET = "quiet"  # its kernel never makes NumPy warn
CALLS_PYTHON = "calls python"  # runs a Python function of this process, which its attribute `token` names
CONSTANT = "constant"  # its output is its attribute `value`
PARAMETER = "parameter"  # its output is an input of the graph, or an argument of the function
INVOLUTION = "involution"  # op(op(x)) is x
IDEMPOTENT = "idempotent"  # op(op(x)) is op(x)
RISING = "rising"  # element by element, the greater the input, the greater the output, or they are the same
MASKS = "masks"  # keeps elements of its first input where the second is in some range, and multiplies the others by 0
TAKES_MAXIMA = "takes maxima"  # gives the greatest element of each window
GIVES_TO_MAXIMA = "gives to maxima"  # takes what an op that takes maxima took and gave, and puts its third input there
BY_IMAGE = "by image"  # what it makes of an image of a batch does not depend on the others: see `executor.batches`
OVER_IMAGES = "over images"  # gives the sum of what it makes of each image of a batch
LINEAR_TIME = "linear time"  # its kernel looks at each element a few times
MEASURES = "measures"  # looks at nothing but the shape of its input
PER_ELEMENT = "per element"  # makes something of each element of its first input by itself; the others tell how
PRESERVES_ZERO = (
    "preserves zero"  # of a sparse tensor it is taken of the stored elements: of 0 it makes 0, or as good as 0
)
DRAWS = "draws"  # its result is random, and another one at each call
INDEXES = "indexes"  # its text takes scalar whole numbers, which are indices or are stored, as numbers of Python, too
READS_ROWS = (
    "reads rows"  # gives the row of its first input that its second one counts, as iterating over the first does
)
UNORDERED = "unordered"  # stateful, yet free to move among effects: it makes a fresh value or handle, or does nothing

# --- traits of gradient rules ----------------------------------------------------------------------------------------
GROWS = "grows"  # a node gets further inputs and outputs when a gradient needs values from inside of it
TYPED = "typed"  # what it reads or writes (`dtype` or `T`) are elements of the variable behind its handle
TAKES_SLICES = "takes slices"  # the rule takes slices of a gradient (`IndexedSlices`) as they are
TAKES_NONE = "takes none"  # the rule takes None for the gradient of an output that nothing depends on

# --- structure: how the graphs that a node holds belong to the graph it stands in -------------------------------------
BRANCH = "branch"  # its first input chooses which of its graphs runs in place; the others are what that is given
LOOP = "loop"  # runs `cond` and `body` in place, again and again
CALL = "call"  # runs a graph that is a program of its own


@dataclass(frozen=True, slots=True)
class FileAccess:
    """Says that an op opens files, or that it does when `when` holds for one of its uses.

    Attributes:
      does: what messages say: "reads files".
      when: asked at a use; None if every use does. What is not known then counts as that it does.
    """

    does: str
    when: Callable[[InferContext], bool] | None = None


@dataclass(frozen=True, slots=True)
class Neutral:
    """The number that changes nothing as an operand, to the last bit: `x * 1`, `x + -0.0`, `x - 0.0`.

    Attributes:
      value: the number, with its sign if it is a zero: `x + 0.0` makes 0.0 of -0.0.
      kinds: the kinds of dtypes that this holds for.
      left: whether it holds for the first operand, too: not so for `x / 1`.
    """

    value: float | bool
    kinds: str = "fiu"
    left: bool = True


READS_FILES = FileAccess("reads files")
WRITES_FILES = FileAccess("writes files")


class _Required:
    def __repr__(self) -> str:
        return "REQUIRED"


REQUIRED = _Required()


@dataclass(frozen=True, slots=True)
class ArgDef:
    """An input or output: one tensor, `number_attr` tensors of one type, or tensors of the types in `list_attr`.

    `ranks` are those that an input may have, where the schema says it.
    """

    name: str
    dtype: DType | None = None
    type_attr: str | None = None
    number_attr: str | None = None
    list_attr: str | None = None
    ranks: Ranks | None = None

    @property
    def is_list(self) -> bool:
        """Whether this argument is a sequence of tensors."""
        return self.number_attr is not None or self.list_attr is not None


@dataclass(frozen=True, slots=True)
class AttrDef:
    """A static attribute.

    Attributes:
      kind: GraphDef's word: type, int, float, bool, string, shape, tensor, func, list(...).
      allowed: the dtypes that it may be (or hold, if a list).
      choices: the strings that it may be.
      minimum: of an int, or of the length of a list.
    """

    name: str
    kind: str
    default: Any = REQUIRED
    allowed: tuple[DType, ...] | None = None
    choices: tuple[str, ...] | None = None
    minimum: int | None = None


class OpDef:
    """Everything known of one op. Call it to apply it.

    Attributes:
      type: TensorFlow's name, such as "AddV2".
      inputs, outputs: the `ArgDef`s.
      attrs: name -> `AttrDef`, in the order of the schema.
      infer: `InferContext` -> dims of the output (a list of dims when there are several outputs).
      kernel: NumPy function: input arrays in, output array out (a tuple when there are several outputs). Keyword-only
        parameters name the attributes it wants. A list argument arrives as a list.
      vjp: gradient rule `(node_or_call, *output_gradients) -> list of input gradients`, written in ops.
      emit: optional rule for the executor, `(emitter, node, inputs: list[Code]) -> list[Code] | None`: an
        expression for each output; None leaves it to a call of the kernel. See `graphrt.executor.emit` and `infix` below.
      home: the module that declared it.
      file_access: how it gets at files, if it does: graphs from outside must be allowed to.
      structure: BRANCH, LOOP or CALL for ops that run graphs, else None.
      never_fails: whether the kernel accepts every value of the static types at a node; None leaves it to the traits:
        element-wise ops accept whatever broadcasts.
      ufunc: what the expression of `emit` computes on arrays: the executor may call it to write over a dying array.
      over: as the kernel of an element-wise op, into an array `out` that may be one of its inputs; where `ufunc` is none.
      scalar_emit: as `emit`, asked when that gives nothing: one expression for static rank 0, to the last bit the kernel's.
      neutral: of two operands, the one that gives the other back.
      partial: for ops on shapes, `InferContext -> list[int | None] | int | None`, what is known of the output's value.
    """

    __slots__ = (
        "_only", "_wants_list", "attrs", "counts", "emit", "file_access", "gives", "home", "in_place", "infer", "inputs",
        "is_elementwise", "is_pure", "is_quick", "kernel", "kernel_attrs", "neutral", "never_fails", "numpy_allowed",
        "only_allowed", "only_type", "outputs", "over", "partial", "same_type", "scalar_emit", "simple", "sized_by_values",
        "structure", "traits", "type", "ufunc", "vjp",
    )  # fmt: skip

    def __init__(
        self,
        type_: str,
        inputs: tuple[ArgDef, ...],
        outputs: tuple[ArgDef, ...],
        attrs: dict[str, AttrDef],
        infer: Callable[[InferContext], Any],
        kernel: Callable[..., Any] | None,
        vjp: Callable[..., Any] | None,
        emit: Callable[..., list[Code] | None] | None,
        partial: Callable[[InferContext], Any] | None,
        traits: frozenset[str],
        file_access: FileAccess | None = None,
        home: str = "",
        structure: str | None = None,
        never_fails: NodeRule | None = None,
        ufunc: np.ufunc | None = None,
        scalar_emit: ScalarEmit | None = None,
        neutral: Neutral | None = None,
        over: Callable[..., Any] | None = None,
    ) -> None:
        self.type = type_
        self.inputs = inputs
        self.outputs = outputs
        self.attrs = attrs
        self.infer = held(inputs, infer)
        self.kernel = kernel
        self.vjp = vjp
        self.emit = emit
        self.partial = partial
        self.traits = traits
        self.file_access = file_access
        self.home = home
        self.structure = structure
        # whether a node runs graphs that are part of the graph it stands in
        self.in_place = structure in (BRANCH, LOOP)
        self.never_fails = never_fails
        self.ufunc = ufunc
        self.scalar_emit = scalar_emit
        self.neutral = neutral
        self.over = over
        self.sized_by_values: bool | None = None  # see `ir.growth`, which finds out when it is asked
        self.kernel_attrs = _keyword_only(kernel)
        self._wants_list = any(a.is_list for a in inputs)
        # one output, tensors in, no attribute read by the kernel: the eager path can skip all bookkeeping
        self.simple = not self._wants_list and len(outputs) == 1 and not outputs[0].is_list and not self.kernel_attrs
        self._only = outputs[0] if len(outputs) == 1 and not outputs[0].is_list else None
        # what the eager fast path checks: all inputs share one type attribute, whose NumPy dtypes are these
        first = inputs[0].type_attr if inputs else None
        self.same_type = first is not None and all(a.type_attr == first for a in inputs)
        allowed = attrs[first].allowed if self.same_type and first else None
        # what the path for recording checks: the dtype of the inputs is the one attribute
        self.only_type = attrs[first] if self.simple and self.same_type and first and len(attrs) == 1 else None
        self.is_elementwise = ELEMENTWISE in traits
        self.only_allowed = None if allowed is None else frozenset(allowed)
        # whether the path for recording is open, and what the output is of, if not of the dtype of the inputs
        self.is_quick = self.only_type is not None and STATEFUL not in traits and structure is None
        self.gives = outputs[0].dtype if self.is_quick else None
        # attributes: how many outputs there are
        self.counts = frozenset(o.number_attr for o in outputs if o.number_attr)
        # whether a node gives the same outputs whenever it gets the same inputs; graphs among its attributes may not
        self.is_pure = traits.isdisjoint((STATEFUL, READS, OPAQUE))
        self.numpy_allowed = dtypes.numpy_dtypes(allowed or dtypes.ALL, dtypes.numpy_type(dtypes.bfloat16))

    def __call__(self, *args: Any, name: str | None = None, **attrs: Any) -> Any:
        """Applies the op: `args` are tensors or values to convert, `attrs` the static attributes.

        Returns one Tensor, a list of Tensors when there are several outputs (or a list output), or None.
        """
        try:
            return apply_op(self, args, attrs, name)
        except BaseException as error:
            shorten(error)
            raise

    def compute(self, *values: Any, **attrs: Any) -> Any:
        """What the kernel makes of arrays, for kernels of other ops that are told in terms of this one."""
        assert self.kernel is not None, f"{self.type} has no kernel"
        return self.kernel(*values, **attrs)

    @property
    def schema(self) -> tuple[tuple[ArgDef, ...], tuple[ArgDef, ...], dict[str, AttrDef]]:
        """What it takes and gives, and its attributes."""
        return self.inputs, self.outputs, self.attrs

    def become(self, other: OpDef) -> None:
        """Takes over all that is known of `other`."""
        for slot in self.__slots__:
            setattr(self, slot, getattr(other, slot))

    @property
    def stateful(self) -> bool:
        """Whether a node of this op must be kept and keep its place in the order."""
        return STATEFUL in self.traits

    def opens_files(self, use: InferContext) -> str | None:
        """What a use of the op does with files, in words; None when it opens none."""
        access = self.file_access
        return None if access is None or (access.when is not None and not access.when(use)) else access.does

    def has(self, trait: str) -> bool:
        """Whether the op has `trait`."""
        return trait in self.traits

    def group(self, flat: Sequence[Any], attrs: dict[str, Any]) -> list[Any]:
        """`flat` inputs as the kernel wants them: list arguments gathered into lists."""
        if not self._wants_list:
            return list(flat)
        grouped: list[Any] = []
        at = 0
        for arg in self.inputs:
            if arg.is_list:
                size = attrs[arg.number_attr] if arg.number_attr else len(attrs[str(arg.list_attr)])
                grouped.append(list(flat[at : at + size]))
                at += size
            else:
                grouped.append(flat[at])
                at += 1
        return grouped

    def output_dtypes(self, attrs: dict[str, Any]) -> list[DType]:
        """The dtype of each output, flat."""
        only = self._only
        if only is not None:
            return [only.dtype if only.dtype is not None else attrs[only.type_attr]]  # type: ignore[index]
        found: list[DType] = []
        for arg in self.outputs:
            if arg.list_attr:
                found += attrs[arg.list_attr]
            else:
                one = arg.dtype if arg.dtype is not None else attrs[str(arg.type_attr)]
                found += [one] * (attrs[arg.number_attr] if arg.number_attr else 1)
        return found

    def __repr__(self) -> str:
        return f"<op {self.type}>"


def _apply_first(op: OpDef, args: tuple[Any, ...], attrs: dict[str, Any], name: str | None) -> Any:
    importlib.import_module("graphrt.tensor.apply")  # late: start-up, programs that import graphrt may never compute
    return apply_op(op, args, attrs, name)


def _not_recording(*_: Any) -> Any:
    return None


# state: registry, set once by an import
apply_op: Callable[[OpDef, tuple[Any, ...], dict[str, Any], str | None], Any] = _apply_first
# state: registry, set once by an import
record_quickly: Callable[[OpDef, tuple[Any, ...], str | None, int], Any] = _not_recording


def set_apply(
    apply: Callable[[OpDef, tuple[Any, ...], dict[str, Any], str | None], Any],
    record: Callable[[OpDef, tuple[Any, ...], str | None, int], Any],
) -> None:
    """Says how an op is applied; called once, by `graphrt.tensor.apply`, which is a higher layer.

    `record(op, args, name, depth)` is the short way into a graph, for operators of Python: None where it is closed.
    """
    global apply_op, record_quickly
    apply_op, record_quickly = apply, record


def _keyword_only(kernel: Any) -> tuple[str, ...]:
    if kernel is None or isinstance(kernel, np.ufunc):
        return ()
    function = kernel
    while not hasattr(function, "__signature__") and hasattr(function, "__wrapped__"):
        function = function.__wrapped__
    if type(function) is FunctionType and not hasattr(function, "__signature__"):
        code = function.__code__  # as `inspect` finds it, which would be a tenth of an import
        return code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
    try:
        parameters = inspect.signature(kernel).parameters.values()
    except (TypeError, ValueError):
        return ()
    return tuple(p.name for p in parameters if p.kind is p.KEYWORD_ONLY)


# --- the table -------------------------------------------------------------------------------------------------------
class _Table(dict[str, Any]):
    """Names and what is declared under them; the module that declares a name is imported when it is looked up."""

    def __missing__(self, name: str) -> Any:
        if name not in _LATER:
            raise KeyError(name)
        importlib.import_module(_LATER[name])
        found = dict.get(self, name)
        if found is None:
            raise KeyError(name)
        return found

    def get(self, name: str, default: Any = None) -> Any:
        try:
            return self[name]
        except KeyError:
            return default

    def __contains__(self, name: object) -> bool:
        return dict.__contains__(self, name) or (name in _LATER and self is _home(str(name)))


REGISTRY: dict[str, OpDef] = _Table()
FUNCTIONS: dict[str, Callable[..., Any]] = _Table()
_LATER = {name: module for module, names in HOMES.items() for name in names.split()}


def _home(name: str) -> dict[str, Any]:
    return REGISTRY if name[:1].isupper() else FUNCTIONS


def declare_all() -> None:
    """Imports every module that declares ops, so that `REGISTRY` lists all of them."""
    for module in HOMES:
        importlib.import_module(module)


class _Ops:
    """Late-bound access to every op by its type, and to provided functions, for code below the family declaring it."""

    def __getattr__(self, name: str) -> Any:
        found = REGISTRY.get(name) or FUNCTIONS.get(name)
        if found is None:
            raise AttributeError(f"no op named {name!r} is declared")
        setattr(self, name, found)
        return found


if TYPE_CHECKING:
    from graphrt.ir import namespace as ops  # generated: every name with the type of its declaration
else:
    ops = _Ops()

_F = TypeVar("_F", bound=Callable[..., Any])


def provide(function: _F) -> _F:
    """Makes a public function (one that composes ops) reachable as `ops.<name>` from lower layers.

    Raises:
      ValueError: another function, or an op, has the name. The same place may provide it again: imports may be
        interrupted, and repeated.
    """
    name = function.__name__
    known = dict.get(FUNCTIONS, name, function)
    if dict.__contains__(REGISTRY, name) or _place(known) != _place(function):
        raise ValueError(f"ops.{name} is declared twice")
    FUNCTIONS[name] = function
    vars(ops).pop(name, None)
    return function


def _place(function: Callable[..., object]) -> tuple[str, str]:
    return function.__module__, function.__qualname__


_ARG = re.compile(
    r"\s*(?P<name>\w+)\s*:\s*(?:(?P<number>\w+)\s*\*\s*)?(?P<type>\w+)(?:\[(?P<ranks>\d[\d.+]*)\])?(?P<list>\.\.\.)?\s*$"
)


# state: bounded: one entry for each list of arguments in our source
@functools.cache
def _arguments(text: str) -> tuple[ArgDef, ...]:
    found = []
    for part in text.split(","):
        if not part.strip():
            continue
        match = _ARG.match(part)
        if match is None:
            raise ValueError(f"not an op argument: {shown(part)}")
        name, number, type_, is_list = match["name"], match["number"], match["type"], match["list"]
        if is_list:
            found.append(ArgDef(name, list_attr=type_))
        elif type_ in dtypes.BY_NAME:
            found.append(ArgDef(name, dtype=dtypes.BY_NAME[type_], number_attr=number, ranks=parsed(match["ranks"])))
        else:
            found.append(ArgDef(name, type_attr=type_, number_attr=number, ranks=parsed(match["ranks"])))
    return tuple(found)


_ATTR = re.compile(
    r"\s*(?P<name>\w+)\s*:\s*(?:(?P<kind>[\w()]+)|\{(?P<choices>[^{}]*)\})\s*(?:>=\s*(?P<minimum>-?\d+)\s*)?"
    r"(?:=\s*(?P<default>.*\S)\s*)?"
)


def _attribute(text: str, allowed: dict[str, tuple[DType, ...]]) -> AttrDef:
    match = _ATTR.fullmatch(text)
    if match is None:
        raise ValueError(f"not an op attribute: {text!r}")
    name, kind, choices = match["name"], match["kind"] or "string", None
    if match["choices"] is not None:
        choices = tuple(ast.literal_eval(f"[{match['choices']}]"))
    value = REQUIRED if match["default"] is None else _default(kind, match["default"])
    minimum = None if match["minimum"] is None else int(match["minimum"])
    return AttrDef(name, kind, value, allowed.get(name), choices, minimum)


# without a parser, for a hundred ops are declared before a first call
_READ: dict[str, Callable[[str], Any]] = {
    "type": dtypes.as_dtype, "float": float, "int": int, "bool": "True".__eq__, "string": lambda text: text.strip("'\""),
}  # fmt: skip


def _default(kind: str, text: str) -> Any:
    return ast.literal_eval(text) if kind not in _READ or text == "None" or "\\" in text else _READ[kind](text)


def define(
    type_: str,
    schema: str,
    *,
    infer: Callable[[InferContext], Any],
    kernel: Callable[..., Any] | None = None,
    attrs: str = "",
    allowed: dict[str, tuple[DType, ...]] | None = None,
    vjp: Callable[..., Any] | None = None,
    emit: Callable[..., list[Code] | None] | None = None,
    partial: Callable[[InferContext], Any] | None = None,
    traits: tuple[str, ...] = (),
    file_access: FileAccess | None = None,
    structure: str | None = None,
    never_fails: NodeRule | None = None,
    ufunc: np.ufunc | None = None,
    scalar_emit: ScalarEmit | None = None,
    neutral: Neutral | None = None,
    over: Callable[..., Any] | None = None,
) -> OpDef:
    """Declares an op and enters it in `REGISTRY`. See the module's docstring for the schema.

    Raises:
      ValueError: another module has declared the type, or this one with another schema; the type is no name for such
        an op; the schema cannot be read.
    """
    if (INTERNAL in traits) != type_.startswith("_"):
        raise ValueError(f"the name of op {type_} must begin with '_' if it is {INTERNAL}, and only then")
    left, _, right = schema.partition("->")
    inputs, outputs = _arguments(left), _arguments(right)
    table: dict[str, AttrDef] = {}
    for part in attrs.split(";"):
        if part.strip():
            attr = _attribute(part, allowed or {})
            table[attr.name] = attr
    for arg in inputs + outputs:
        for implied, kind in ((arg.type_attr, "type"), (arg.number_attr, "int"), (arg.list_attr, "list(type)")):
            if implied and implied not in table:
                table[implied] = AttrDef(implied, kind, REQUIRED, (allowed or {}).get(implied))
    home = sys._getframe(1).f_globals.get("__name__", "")
    made = OpDef(
        type_, inputs, outputs, table, infer, kernel, vjp, emit, partial, frozenset(traits), file_access, home,
        structure, never_fails, ufunc, scalar_emit, neutral, over,
    )  # fmt: skip
    known = dict.setdefault(REGISTRY, type_, made)
    if known is made:
        return made
    if known.home != home or known.schema != made.schema:
        raise ValueError(f"op {type_} is declared twice, in {known.home} and in {home}")
    known.become(made)  # the import that declared it was interrupted, and is repeated: others may hold the op
    return known


_PREFIX = Template("({}{})")
_INFIX = Template("({} {} {})")


class Infix:
    """An emit rule that writes a binary (or, with one input, prefix) Python operator."""

    __slots__ = ("symbol",)

    def __init__(self, symbol: str) -> None:
        self.symbol = sign(symbol)

    def __call__(self, emitter: Any, node: Any, inputs: list[Code]) -> list[Code] | None:
        """The expression of a node, as `emit` rules give it."""
        for value in node.inputs:
            if value.dtype.kind in "SO":
                return None
        if len(inputs) == 1:
            return [_PREFIX(self.symbol, inputs[0])]
        return [_INFIX(inputs[0], self.symbol, inputs[1])]


def infix(symbol: str) -> Infix:
    """An emit rule that writes a binary (or, with one input, prefix) Python operator: far faster on NumPy scalars."""
    return Infix(symbol)
