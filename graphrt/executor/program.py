"""A graph compiled into one Python function.

>>> from graphrt.ir.parser import parse_graph
>>> graph = parse_graph('''
... graph f(%0: i32[], %1: i32[]) -> (%0)
...   %0: i32[] = Placeholder(shape=[]) as x
...   %1: i32[] = Placeholder(shape=[]) as y
... ''')
>>> program = compile_graph(graph)
>>> print(program.source, end="")
def f(x, y):
    return (x,)
>>> program(np.int32(1), np.int32(2))
(np.int32(1),)
"""

from __future__ import annotations

import contextlib
import itertools
import linecache
import os
import weakref
from collections.abc import Callable
from types import TracebackType
from typing import Any, NoReturn

import numpy as np

from graphrt import errors
from graphrt.executor import metering
from graphrt.executor.emit import Emitter
from graphrt.executor.walk import CALLS, Table, table_of
from graphrt.ir.code import file_name
from graphrt.ir.graph import Graph, InferContext, Node, Value, given_value
from graphrt.ir.handles import let_go, told_of_other
from graphrt.ir.op import CALLS_PYTHON, OPAQUE, STATEFUL
from graphrt.tensor import changes
from graphrt.tensor.tensor import operation_of
from graphrt.types import float_warnings
from graphrt.types.dtype import DType, from_numpy

Prepare = Callable[[Graph], Graph]

_LONGEST_NAME = 80
_numbers = itertools.count(1)
# state: bounded: numbers are taken again; single appends and pops
_free: list[int] = []  # numbers of programs that are gone: Python keeps the name of each file it compiled for ever
# How TensorFlow classifies what a Python function raised.
_CLASSES: tuple[tuple[type[Exception], type[errors.OpError]], ...] = (
    (StopIteration, errors.OutOfRangeError),
    (MemoryError, errors.ResourceExhaustedError),
    (NotImplementedError, errors.UnimplementedError),
    (ValueError, errors.InvalidArgumentError),
    (TypeError, errors.InvalidArgumentError),
)


class Program:
    """A graph that can be called: with the raw values of its inputs, giving a tuple of those of its outputs.

    Raw values are arrays, NumPy scalars (for most 0-d values), and whatever object a handle is.

    Attributes:
      name: the name of the graph.
      function: the generated function, or what walks a table until that pays, see `walk.py`; calling it directly saves a
        call.
      has_effects: whether a call does more than give results.
    """

    __slots__ = ("__weakref__", "_text", "_untold", "function", "has_effects", "name")

    def __init__(self, graph: Graph, name: str, prepare: Prepare | None, may_walk: bool = False) -> None:
        self.name = name
        self._text: _Text | None = None
        self._untold: tuple[Graph, Prepare | None, int] | None = None
        self.function: Callable[..., tuple[Any, ...]]
        table = table_of(graph) if may_walk else None
        if table is None:
            ready = graph if prepare is None else prepare(graph)
            self._text = _Text(ready, name, prepare)
            self.function = self._text.function
        else:
            self._untold = graph, prepare, graph.version
            self.function = self._walked(table)
            ready = graph
        self.has_effects = bool(ready.effects())

    def _walked(self, table: Table) -> Callable[..., tuple[Any, ...]]:
        def walk(*inputs: Any) -> tuple[Any, ...]:
            if next(table.runs) == CALLS:
                self._told()
            function = self.function
            return table.run(inputs, _meant) if function is walk else function(*inputs)

        return walk

    def _told(self) -> _Text:
        """The text; it is written now if it was not yet."""
        untold = self._untold
        if self._text is None and untold is not None:
            graph, prepare, version = untold
            is_changed = graph.version != version  # since it was traced: the table tells what is called
            text = _Text(graph if prepare is None else prepare(graph), self.name, prepare)
            if not is_changed:
                self.function = text.function
            self._text = text
            self._untold = None
        assert self._text is not None
        return self._text

    @property
    def source(self) -> str:
        """The generated text. That of a long program is written when it is asked for, or when it pays."""
        return self._told().source

    @property
    def filename(self) -> str:
        """Under which tracebacks and `linecache` know the text."""
        return self._told().filename

    @property
    def is_told(self) -> bool:
        """Whether the text is written."""
        return self._text is not None

    def __call__(self, *inputs: Any) -> tuple[Any, ...]:
        """Runs the program.

        Raises:
          OpError: an op failed; the message names the node, the op, and the user's line that made it.
        """
        return self.function(*inputs)

    def nodes_of_lines(self) -> list[Node | None]:
        """For each line of the source, the node that it runs; None for those that belong to no node."""
        return [None if entry is None else entry[0] for entry in self._told().table]

    def __repr__(self) -> str:
        return f"<program {self.name}: {len(self._told().table)} lines>"


class _Text:
    """A graph as generated text, compiled.

    Attributes:
      table: for each line its node, and the names of the inputs of that; None for those that belong to no node.
    """

    __slots__ = ("filename", "function", "source", "table")

    def __init__(self, graph: Graph, name: str, prepare: Prepare | None) -> None:
        def callee(inner: Graph, namespace: dict[str, Any], key: str) -> Callable[..., Any]:
            def first_call(*inputs: Any) -> Any:
                # From now on the generated code finds the compiled function itself.
                function = namespace[key] = program_of(inner, prepare).function
                return function(*inputs)

            return first_call

        emitter = Emitter(callee)
        function = emitter.program(graph, name)
        _drop_texts()
        try:
            number = _free.pop()
        except IndexError:
            number = next(_numbers)
        self.filename = file_name("", f"{name[:_LONGEST_NAME].rstrip('_0123456789')} {number}")
        self.source = "\n".join(emitter.text) + "\n"
        self.table = emitter.table
        namespace = emitter.namespace
        namespace.update(
            explain=self._explain, get_error_mode=float_warnings.get_mode, set_error_mode=float_warnings.set_mode,
            reset_error_mode=float_warnings.reset_mode, IGNORE=float_warnings.IGNORE, running_meter=metering.running,
            begin_meter=metering.begin, restore_meter=metering.restore, running_change=changes.running,
            begin_change=changes.begin, undo_change=changes.undo, leave_change=changes.leave, let_go=let_go,
        )  # fmt: skip
        code = compile(self.source, self.filename, "exec", dont_inherit=True)
        exec(code, namespace)
        self.function: Callable[..., tuple[Any, ...]] = namespace[function]
        lines = self.source.splitlines(keepends=True)
        linecache.cache[self.filename] = (len(self.source), None, lines, self.filename)
        weakref.finalize(self.function, _forget, self.filename, number).atexit = False

    # --- failures ---
    def _explain(self, error: Exception) -> NoReturn:
        """Raises what `error`, caught by the generated code, means to the user."""
        try:
            where = self._where(error.__traceback__)
            raise error if where is None else _meant(error, *where)
        finally:
            del error  # its traceback holds this frame

    def _where(self, trace: TracebackType | None) -> tuple[Node, list[Any]] | None:
        """The node whose line failed, and what its inputs were."""
        found = None
        while trace is not None:
            if trace.tb_frame.f_code.co_filename == self.filename:
                found = trace
            trace = trace.tb_next
        if found is None:
            return None
        entry = self.table[found.tb_lineno - 1]
        if entry is None:
            return None
        node, *names = entry
        local, shared = found.tb_frame.f_locals, found.tb_frame.f_globals
        values = [
            _of_numpy(local[n] if n in local else shared.get(n, _ABSENT), value) for n, value in zip(names, node.inputs)
        ]
        if type(local) is dict:  # a copy that stays with the frame: the error must not hold itself through it
            local.pop("error", None)
        return node, values


def _meant(error: Exception, node: Node, values: list[Any]) -> Exception:
    """What `error`, which `node` raised for `values`, means to the user."""
    if errors.is_located(error) or isinstance(error, RecursionError):
        return error
    better = error if isinstance(error, errors.OpError) else _translate(error, node, values)
    _locate(better, node, str(better))
    if better is not error:
        better.__cause__ = error
    return better


# state: bounded: emptied with the next program; single appends and pops
_unused: list[tuple[str, int]] = []


def _forget(filename: str, number: int) -> None:
    # Not dropped here and now: garbage is collected at any time, and `linecache.checkcache()` wants its entries to stay.
    _unused.append((filename, number))


def _drop_texts() -> None:
    with contextlib.suppress(IndexError):  # none are left
        while True:
            filename, number = _unused.pop()
            linecache.cache.pop(filename, None)
            _free.append(number)


_ABSENT = object()


def _of_numpy(found: Any, value: Value) -> Any:
    """`found`, which stood for `value`, as kernels know it: in loops it may be a number of Python."""
    return value.dtype.as_numpy_dtype(found) if type(found) in (int, bool) else found


def _translate(error: Exception, node: Node, values: list[Any]) -> errors.OpError:
    """The OpError for an exception that is none."""
    if node.op.has(CALLS_PYTHON):
        kind: type[errors.OpError] = next((k for c, k in _CLASSES if isinstance(error, c)), errors.UnknownError)
        return kind(None, None, f"{type(error).__name__}: {error}")
    if isinstance(error, MemoryError):
        return errors.ResourceExhaustedError(None, None, f"out of memory: {error}")
    if isinstance(error, (ValueError, IndexError, TypeError, ArithmeticError, np.linalg.LinAlgError)):
        return errors.InvalidArgumentError(None, None, _better_message(error, node, values))
    told = told_of_other(node.op, values, error) if isinstance(error, AttributeError) else None
    if told is not None:
        return errors.InvalidArgumentError(None, None, told)
    return errors.UnknownError(None, None, f"{type(error).__name__}: {error}")


def _better_message(error: Exception, node: Node, values: list[Any]) -> str:
    return _shape_message(node, values) or _kernel_message(node, values) or _plain_message(error, values)


def _kernel_message(node: Node, arrays: list[Any]) -> str | None:
    """What the kernel says of these inputs, where the program had something faster than the kernel."""
    op = node.op
    if op.kernel is None or op.emit is None or op.traits & {STATEFUL, OPAQUE} or any(a is _ABSENT for a in arrays):
        return None
    try:
        op.kernel(*op.group(arrays, node.attrs), **{k: node.attrs[k] for k in op.kernel_attrs})
    except errors.OpError as refused:
        return str(refused)
    except Exception:  # the kernel has nothing better to say
        return None
    return None


def _shape_message(node: Node, arrays: list[Any]) -> str | None:
    """What the op's shape rule says against these very inputs."""
    values = [
        value if value.dtype.kind == "O" or array is _ABSENT else given_value(array, value.dtype)
        for value, array in zip(node.inputs, arrays)
    ]
    try:
        node.op.infer(InferContext(node.op, values, node.attrs))
    except errors.OpError as refused:
        return str(refused)
    except Exception:  # the rule has nothing better to say
        return None
    return None


def _plain_message(error: Exception, arrays: list[Any]) -> str:
    shown = ", ".join(_describe(a) for a in arrays if a is not _ABSENT)
    return f"{error} (inputs: {shown})" if shown else str(error)


def _describe(array: Any) -> str:
    if not isinstance(array, (np.ndarray, np.generic)):
        return type(array).__name__
    try:
        dtype: DType | Any = from_numpy(array.dtype)
    except TypeError:
        dtype = array.dtype
    return f"{dtype.name}{list(array.shape)}"


def _locate(error: errors.OpError, node: Node, message: str) -> None:
    """Writes into `error` which node failed and which line of the user made it."""
    if "[Op:" in message:
        message = message[: message.rindex("[Op:")].rstrip()
    text = f"{message}\n\t [[{{{{node {node.name}}}}}]] [Op:{node.type.lstrip('_')}]"
    if node.location is not None:
        text += f"\n  at {errors.shown_place(*node.location)}"
    errors.retell(error, text, operation_of(node), located=True)


# --- compiling -------------------------------------------------------------------------------------------------------
def compile_graph(
    graph: Graph, name: str | None = None, prepare: Prepare | None = None, may_walk: bool = False
) -> Program:
    """Compiles a finished graph.

    Args:
      graph: is not changed. `graph.inputs` are the parameters, `graph.outputs` the results, in order.
      name: of the generated function; the graph's by default.
      prepare: applied to the graph, and to each called graph when it is first called: `passes.run_passes`.
      may_walk: whether `prepare` changes no result, so that the graph may run as it is until compiling it pays.

    Raises:
      ValueError: a node that has to run has no kernel.
    """
    return Program(graph, name or _short(graph.name), prepare, may_walk)


def program_of(graph: Graph, prepare: Prepare | None = None, may_walk: bool = False) -> Program:
    """The program of `graph`, compiled at most once for each state of the graph."""
    found = graph.compiled
    if found is not None and found[0] == graph.version and found[1] is prepare:
        program: Program = found[2]
        return program
    program = compile_graph(graph, prepare=prepare, may_walk=may_walk)
    graph.compiled = (graph.version, prepare, program)
    return program


def _short(name: str) -> str:
    return os.path.basename(name) or "graph"
