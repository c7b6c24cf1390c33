"""One traced graph made callable.

>>> import graphrt as tf
>>> @tf.function
... def double(x):
...     return x * 2
>>> concrete = double.get_concrete_function(tf.TensorSpec([None], tf.int32))
>>> concrete(tf.constant([1, 2, 3])).numpy().tolist()
[2, 4, 6]
"""

from __future__ import annotations

import pickle
import re
from typing import Any, NoReturn

from graphrt import errors
from graphrt.executor.program import Program, program_of
from graphrt.function.atomic import AtomicFunction
from graphrt.function.call import call_graph
from graphrt.function.compiled import Executable, executable_of, native_source
from graphrt.function.fast_dispatch import MISS, entry_for
from graphrt.function.function_type import FunctionType
from graphrt.function.numeric_probe import checking
from graphrt.function.recursion import repack
from graphrt.function.signature import Signature
from graphrt.function.trace_types.arguments import fitting
from graphrt.function.trace_types.base import DtypeMismatch, Mismatch, TraceType
from graphrt.function.trace_types.leaves import convert_to_tensor_now, cxx_name
from graphrt.graphdef import function_def as function_def_
from graphrt.ir.html import folded
from graphrt.ir.op import ops  # late: pickling imports this file
from graphrt.ir.printer import graph_text
from graphrt.ir.tracebacks import shorten
from graphrt.passes import run_passes
from graphrt.state.variable import settle_earlier
from graphrt.tensor.apply import refuse_leaked
from graphrt.tensor.changes import SWITCH, keep
from graphrt.tensor.context import current_graph, recorders
from graphrt.tensor.func_graph import FuncGraph, encloses
from graphrt.tensor.promotion import conversion, weakened
from graphrt.tensor.tensor import EagerTensor, SymbolicTensor, Tensor, raw_of
from graphrt.tensor.weak import numbers_among
from graphrt.types import experimental, structure
from graphrt.types.nesting import shown
from graphrt.types.shape import Dims, TensorShape, compatible


def _as_parameter(name: str) -> str:
    return re.sub(r"\W", "_", name)


class ArgumentType:
    """The types of the arguments of one trace, in the order of the parameters.

    Attributes:
      positional: trace types of the positional arguments.
      keywords: names of the keyword arguments, in order.
      trees: trace types of the keyword arguments.
      dims: shapes of all tensors, in walking order.
      under: what the caller's context asked for about dtypes.
    """

    __slots__ = ("dims", "given_names", "is_open", "keywords", "positional", "trees", "under")

    def __init__(
        self, positional: tuple[TraceType, ...], keywords: tuple[str, ...], trees: tuple[TraceType, ...],
        dims: tuple[Dims, ...],
    ) -> None:  # fmt: skip
        self.positional = positional
        self.keywords = keywords
        self.trees = trees
        self.dims = dims
        self.under = conversion() if SWITCH.promoting else None
        self.given_names: list[str | None] = [None] * len(dims)  # those that declared specs have
        self.is_open = False  # whether a trace for other types may serve, because arguments choose theirs

    @property
    def static(self) -> tuple[object, ...]:
        """What must agree exactly: all but the shapes."""
        return (self.positional, self.keywords, self.trees, self.under)

    def with_dims(self, dims: tuple[Dims, ...]) -> ArgumentType:
        """The same type with other shapes."""
        return self.with_static(self.static, dims)

    def with_static(self, static: tuple[Any, ...], dims: tuple[Dims, ...]) -> ArgumentType:
        """A type of other parts."""
        made = ArgumentType(static[0], static[1], static[2], dims)
        made.under = static[3]
        made.is_open = self.is_open
        return made

    def names(self, signature: Signature, skipped: int) -> list[tuple[str, str]]:
        """For each tensor its `(argument, full name)`."""
        found: list[tuple[str, str]] = []
        for i, tree in enumerate(self.positional):
            base = signature.name_of(i + skipped)
            tree.leaf_names(base, base, found)
        for name, tree in zip(self.keywords, self.trees):
            tree.leaf_names(name, name, found)
        return found

    def leaves_of(self, args: tuple[Any, ...], kwargs: dict[str, Any], signature: Signature, skipped: int) -> list[Any]:
        """The tensors in bound arguments, checked against this type; Mismatch where they do not fit."""
        if len(args) != len(self.positional):
            raise Mismatch(f"expected {len(self.positional)} positional arguments, found {len(args)}")
        if kwargs.keys() != set(self.keywords):
            raise Mismatch(f"expected the keyword arguments {list(self.keywords)}, found {list(kwargs)}")
        into = fitting(self.dims)
        for i, (tree, value) in enumerate(zip(self.positional, args)):
            tree.fit(value, repr(signature.name_of(i + skipped)), into)
        for name, tree in zip(self.keywords, self.trees):
            tree.fit(kwargs[name], repr(name), into)
        return into.leaves


class ConcreteFunction:
    """A traced graph with the way to pass arguments to it and to give its results their structure.

    Made by `Function.get_concrete_function`. Call it as the Python function (its Python arguments are fixed and may be
    repeated or, when they have defaults, left out), or with its tensors only, flat, in the order of `inputs`.

    >>> import graphrt as tf
    >>> double = tf.function(lambda x: 2 * x).get_concrete_function(tf.TensorSpec([None], tf.int32))
    >>> double(tf.constant([3])).numpy().tolist(), double.output_shapes
    ([6], TensorShape([None]))
    """

    __slots__ = (
        "__dict__",
        "__weakref__",
        "_captured",
        "_entries",
        "_executable",
        "_program",
        "argument_type",
        "called",
        "entry_forms",
        "flat_names",
        "function_name",
        "graph",
        "jit_compile",
        "loaded_outputs",
        "native",
        "number",
        "python_function",
        "reads",
        "seconds",
        "signature",
        "skipped",
        "traced_at",
    )  # fmt: skip

    def __init__(
        self, graph: FuncGraph, argument_type: ArgumentType, signature: Signature, function_name: str, skipped: int
    ) -> None:
        self.graph = graph
        self.argument_type = argument_type
        self.signature = signature
        self.function_name = function_name
        self.skipped = skipped  # 1 when the first parameter is bound to an instance
        self.called = False
        self.jit_compile: bool | str | None = None  # which backend runs it, see `compiled.py`
        self.native: Any = None  # what `graphrt.native` made of it
        self.loaded_outputs: Any = None  # of a loaded function: the specs of what it gives
        self.number = 0  # which trace of its function it is
        self.python_function: Any = None  # what was traced: of a method, the function
        self.seconds = 0.0  # that tracing took
        self.traced_at: tuple[str, int] | None = None  # the call that asked for it
        self.reads: Any = None  # what it read of globals and closures, see `stale_captures.py`
        self.entry_forms: dict[Any, Any] = {}  # entries by the form of the call, see `fast_dispatch.py`
        self._entries: tuple[Any, ...] = ()
        self._program: Program | None = None
        self._executable: Executable | None = None
        self._captured: list[Any] | None = None
        self.flat_names = [v.node.name for v in graph.inputs[: len(argument_type.dims)]]

    # --- running ---
    @property
    def program(self) -> Program:
        """The compiled graph; `program.source` is its text."""
        if self._program is None:
            self._program = program_of(self.graph, run_passes, may_walk=True)
        return self._program

    @property
    def executable(self) -> Executable:
        """What runs when it is called: the function of its program, or what the backend of `jit_compile` made."""
        if self._executable is None:
            self._executable = executable_of(self)
        return self._executable

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Runs the graph.

        Raises:
          TypeError: the arguments fit neither the Python function's signature nor the flat list of tensors.
          InvalidArgumentError: a tensor has another dtype than the graph was traced for, or an op fails.
        """
        try:
            eager = current_graph() is None and not recorders() and checking() is None
            if SWITCH.changing and eager:
                keep(self.captured_raw())
            if eager:
                for entry in self._entries:
                    result = entry(args, kwargs)
                    if result is not MISS:
                        return result
            result = self.call_flat(self.leaves_of(args, kwargs))
            if eager:
                entry = entry_for(self, args, kwargs, (None,) * self.skipped, False)
                if entry is not None and entry not in self._entries:
                    self._entries = (entry, *self._entries[:3])
            return result
        except BaseException as error:
            shorten(error)
            raise

    def raw_inputs(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
        """What the program takes for these arguments: the raw values of their tensors, and of what was captured.

        >>> import graphrt as tf
        >>> f = tf.function(lambda x, n: x * n).get_concrete_function(tf.TensorSpec([], tf.int32), 3)
        >>> f.program.function(*f.raw_inputs((tf.constant(2), 3), {}))
        (np.int32(6),)

        Raises:
          TypeError: the arguments are not those of the function.
        """
        raw = []
        for leaf in self.leaves_of(args, kwargs):
            if not isinstance(leaf, EagerTensor):
                self._refuse_symbolic(leaf)
            raw.append(raw_of(leaf))
        return [*raw, *self.captured_raw()]

    def leaves_of(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
        """The tensors among arguments, in the order of the graph's inputs."""
        instance = (None,) * self.skipped
        try:
            positional, keywords = self.signature.bind(*instance, *args, **kwargs)
            return self.argument_type.leaves_of(positional[self.skipped :], keywords, self.signature, self.skipped)
        except DtypeMismatch as error:
            self._refuse_dtype(error)
        except TypeError as error:
            structured = error
        try:
            return self._flat_leaves(args, kwargs)
        except DtypeMismatch as error:
            self._refuse_dtype(error)
        except TypeError as flat:
            why = self.signature.refusal((*instance, *args), kwargs)
            text = f"`{why}`: {structured}" if why else f"`{structured}`"
            raise TypeError(
                errors.at_user_line(
                    f"Binding inputs to tf.function failed due to {text}. Received args: {shown(args)} and kwargs: "
                    f"{shown(kwargs)} for signature: {self.pretty_printed_signature(False)}.\n"
                    f"Fallback to flat signature also failed due to: {flat}"
                )
            ) from None

    def _refuse_dtype(self, error: DtypeMismatch) -> NoReturn:
        raise errors.DTypeMismatchError(
            errors.at_user_line(f"cannot compute {self.graph.name} as {error} [Op:{self.graph.name}]")
        ) from None

    def _flat_leaves(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
        names = self.flat_names
        call = f"{self.function_name}({', '.join(names)})"
        if len(args) > len(names):
            raise TypeError(f"{call} takes {len(names)} tensors, got {len(args)}")
        given = dict(zip(names, args))
        spelled = self._spelled()
        for name in (taken := [spelled.get(k, k) for k in kwargs]):
            if name in given or taken.count(name) > 1:
                raise TypeError(f"{call} got two values for {name!r}")
        kwargs = dict(zip(taken, kwargs.values()))
        unexpected = [n for n in kwargs if n not in names]
        if unexpected:
            raise TypeError(f"{call} got unexpected keyword arguments: {', '.join(unexpected)}")
        given.update(kwargs)
        missing = [n for n in names if n not in given]
        if missing:
            raise TypeError(f"{call} missing required arguments: {', '.join(missing)}")
        return [self._flat_tensor(call, i, given[n]) for i, n in enumerate(names)]

    def _spelled(self) -> dict[str, str]:
        """The names of tensors by all their spellings: as declared (`A/b c`), and as a parameter of Python (`A_b_c`)."""
        known: dict[str, str] = {}
        for name, own in zip(self.flat_names, self.argument_type.given_names):
            plain = _as_parameter(name)
            known[plain] = name
            if own is not None and _as_parameter(own).lower() == plain.lower().removeprefix(
                "arg" if own[:1] == "_" else ""
            ):
                known[own] = known[_as_parameter(own)] = name
        return known | {name: name for name in self.flat_names}

    def _flat_tensor(self, call: str, position: int, value: Any) -> Any:
        wanted = self.graph.inputs[position]
        if not isinstance(value, Tensor):
            if not hasattr(value, "__array__") and not hasattr(value, "__tf_tensor__"):
                raise TypeError(
                    f"{call}: expected argument #{position}(zero-based) to be a Tensor; got {type(value).__name__} "
                    f"({shown(value)})"
                )
            value = convert_to_tensor_now(value)
        if value.dtype is not wanted.dtype:
            text = (
                f"input #{position}(zero-based) was expected to be a {cxx_name(wanted.dtype)} tensor but is a "
                f"{cxx_name(value.dtype)} tensor"
            )
            raise DtypeMismatch(text, text)
        if not compatible(wanted.dims, value.dims):
            raise TypeError(
                f"{call}: expected argument #{position}(zero-based) to have shape {TensorShape(wanted.dims)}, got "
                f"shape {value.shape}"
            )
        return value

    def captured_raw(self) -> list[Any]:
        """The raw values of the captured tensors; InaccessibleTensorError when one is symbolic."""
        if self._captured is None:
            found = []
            for outer, _ in self.graph.captures:
                if not isinstance(outer, EagerTensor):
                    raise errors.InaccessibleTensorError(
                        errors.at_user_line(
                            f"{self.function_name!r} uses {outer!r} of the function in which it was traced, and cannot "
                            "be called outside of it. Pass that tensor as an argument."
                        )
                    )
                found.append(raw_of(outer))
            self._captured = found
        return self._captured

    def is_usable(self, graph: Any) -> bool:
        """Whether the tensors it captured can be reached from `graph` (None: from eager code)."""
        for outer, _ in self.graph.captures:
            if isinstance(outer, SymbolicTensor):
                home = outer.value.node.graph
                if graph is None or (graph is not home and not encloses(graph, home)):
                    return False
        return True

    def call_flat(self, leaves: list[Any], by_itself: bool = False) -> Any:
        """The structured result for the tensors `leaves`; numbers in it are weak where the function calls itself."""
        if current_graph() is None and not recorders() and checking() is None:
            raw = []
            for leaf in leaves:
                if not isinstance(leaf, EagerTensor):
                    self._refuse_symbolic(leaf)
                raw.append(raw_of(leaf))
            if SWITCH.changing:
                keep([*raw, *self.captured_raw()])
            results = self.executable(*raw, *self.captured_raw())
            outputs: list[Any] = [EagerTensor(r, v.dtype) for r, v in zip(results, self.graph.outputs)]
        else:
            graph = current_graph()
            if graph is not None:
                for variable in self.graph.variables_used:
                    graph.watch_variable(variable)
                    settle_earlier(variable)  # the function may write to it
            for tape in recorders():
                if hasattr(tape, "variable_accessed"):
                    for variable in self.graph.variables_used:
                        tape.variable_accessed(variable)
            outputs = call_graph(self.graph, [*leaves, *(o for o, _ in self.graph.captures)])
            if by_itself:
                outputs = numbers_among(outputs, self.graph.flexible)
        return self.finish(outputs)

    def _refuse_symbolic(self, leaf: Any) -> NoReturn:
        refuse_leaked(leaf)

    def finish(self, outputs: list[Any]) -> Any:
        """Flat outputs in the structure that the Python function returned."""
        if SWITCH.promoting:
            for output, made in zip(outputs, self.graph.output_tensors):
                weakened(output, made.weak)
        return repack(self.graph.structured_outputs, outputs)

    def __dask_tokenize__(self) -> tuple[str, str]:
        """What Dask names results by: the same for functions that compute the same from the same bytes."""
        import hashlib  # lazy: it takes 3 ms, and only Dask asks

        return "graphrt", hashlib.sha256(pickle.dumps(self)).hexdigest()

    # --- what it is ---
    @property
    def name(self) -> bytes:
        """The function's unique name, as the function library of a GraphDef has it."""
        return self.graph.name.encode()

    @property
    def inputs(self) -> list[SymbolicTensor]:
        """The graph's inputs: arguments, then captures."""
        return self.graph.input_tensors

    @property
    def outputs(self) -> list[SymbolicTensor]:
        """The graph's outputs, flat."""
        return self.graph.output_tensors

    @property
    def structured_outputs(self) -> Any:
        """What the Python function returned, with symbolic tensors; of a loaded function, with specs."""
        return self.graph.structured_outputs if self.loaded_outputs is None else self.loaded_outputs

    @property
    def structured_input_signature(self) -> tuple[Any, dict[str, Any]]:
        """`(args, kwargs)` with a `TensorSpec` for each tensor."""
        a = self.argument_type
        dims = iter(a.dims)
        names = iter([own or full for own, (_, full) in zip(a.given_names, a.names(self.signature, self.skipped))])
        args = tuple(t.spec(dims, names) for t in a.positional)
        return args, self.signature.as_declared({k: t.spec(dims, names) for k, t in zip(a.keywords, a.trees)})

    @property
    def captured_inputs(self) -> list[Tensor]:
        """The tensors captured from outside: among them the handles of variables."""
        return self.graph.external_captures

    @property
    def variables(self) -> tuple[Any, ...]:
        """The variables it uses."""
        return self.graph.variables

    @property
    def trainable_variables(self) -> tuple[Any, ...]:
        """Those of `variables` that are trainable."""
        return self.graph.trainable_variables

    @property
    def output_dtypes(self) -> Any:
        """The dtypes of the results, in their structure."""
        return structure.map_structure(lambda t: None if t is None else t.dtype, self.graph.structured_outputs)

    @property
    def output_shapes(self) -> Any:
        """The static shapes of the results, in their structure."""
        return structure.map_structure(lambda t: None if t is None else t.shape, self.graph.structured_outputs)

    @property
    def function_def(self) -> Any:
        """The function as a `FunctionDef` message."""
        return function_def_(self.graph)

    @property
    def function_type(self) -> FunctionType:
        """The types of parameters and result."""
        return FunctionType.of_concrete(self)

    @property
    def inference_fn(self) -> AtomicFunction:
        """The graph as a function of its captures, too: an `AtomicFunction`."""
        return AtomicFunction(self)

    @property
    def source(self) -> str:
        """The Python text that runs when it is called."""
        return self.program.source

    @property
    def native_source(self) -> str:
        """The text that `jit_compile=True` compiles: a function for each region, and the NumPy program around them.

        >>> import graphrt as tf
        >>> f = tf.function(lambda x: x * 2 + 1).get_concrete_function(tf.TensorSpec([3], tf.int32))
        >>> print(f.native_source.partition("# around them")[0].rstrip())  # doctest: +ELLIPSIS
        # region 0
        def native(x):
        ...
            for i in range(3):
                e = x[i]
                e_1 = int32((e * int32(2)))
                e_2 = int32((e_1 + int32(1)))
                add[i] = e_2
            return (result(add),)
        """
        return native_source(self)

    def pretty_printed_signature(self, verbose: bool = True) -> str:
        """The types of parameters, result and captures as text.

        >>> import graphrt as tf
        >>> f = tf.function(lambda x: x)
        >>> print(f.get_concrete_function(tf.constant(1)).pretty_printed_signature(False))
        (x: TensorSpec(shape=(), dtype=tf.int32, name=None)) -> TensorSpec(shape=(), dtype=tf.int32, name=None)
        """
        return self.function_type.verbose() if verbose else str(self.function_type)

    def __reduce__(self) -> Any:
        return ops.reduced_concrete(self)

    def __copy__(self) -> ConcreteFunction:
        return self

    def __deepcopy__(self, memo: Any) -> ConcreteFunction:
        return self  # a trace never changes; the variables it uses stay shared, as its closures do

    def __repr__(self) -> str:
        return f"<ConcreteFunction {self.function_type} at 0x{id(self):X}>"

    def __str__(self) -> str:
        return f"ConcreteFunction {self.function_type.verbose()}"

    def _repr_html_(self) -> str:
        """What notebooks show: the graph and the program."""
        title = f"{self.function_name}{self.pretty_printed_signature(False)}"
        return folded(title, {"graph": graph_text(self.graph), "program": self.program.source})


experimental.ConcreteFunction.register(ConcreteFunction)
