"""`tf.function`: a Python function that is traced once for each type of arguments, and run as one program from then on.

The way of a call: `Function.__call__` -> an entry (generated, see `fast_dispatch.py`) -> the program. A call that no entry
recognizes goes the long way: bind, key, look up, trace if need be; and leaves an entry behind.
"""

# long: one class, with what users ask of it and what tells its traces apart
from __future__ import annotations

import copy
import functools
import sys
import threading
import time
import warnings
import weakref
from collections.abc import Callable, Sequence
from types import CodeType
from typing import TYPE_CHECKING, Any, Concatenate, Generic, TypedDict, Unpack, overload

import autograph
from autograph import backends
from autograph.backends import Progress
from autograph.errors import StagedRecursionError
from graphrt import errors
from graphrt.control_flow.branches import next_number
from graphrt.function.cache import TraceSet
from graphrt.function.compiled import explain_native, jit_compile_of
from graphrt.function.concrete import ArgumentType, ConcreteFunction
from graphrt.function.fast_dispatch import MISS
from graphrt.function.function_type import FunctionType
from graphrt.function.numeric_probe import checking
from graphrt.function.options import STAGED_BY_DEFAULT, Options, input_signature_of, max_traces_of
from graphrt.function.recursion import DEPTH, MOST_NODES, REMEDY, ROUNDS, CallOfItself, Making, Nodes
from graphrt.function.retrace_explanation import SEARCHED, Explanation, nearest
from graphrt.function.signature import Signature
from graphrt.function.stale_captures import Reads
from graphrt.function.switches import SWITCH
from graphrt.function.trace_types.arguments import Arguments
from graphrt.function.trace_types.base import DtypeMismatch, Mismatch, TraceType
from graphrt.function.trace_types.substitution import same
from graphrt.function.tracing import (
    SINGLETON,
    Made,
    Request,
    begun,
    exclusively,
    identifier,
    makings,
    placeholders_for,
    refuse,
    substituted,
)
from graphrt.function.verification import verified
from graphrt.ir.html import folded
from graphrt.ir.tracebacks import shorten
from graphrt.state.variable import on_creation
from graphrt.tensor import changes
from graphrt.tensor.context import current_graph, recorders, stop_recording
from graphrt.tensor.func_graph import FuncGraph
from graphrt.tensor.trace import trace_into
from graphrt.types import experimental
from graphrt.types.log import is_heard, logger
from graphrt.types.nesting import shown, told
from graphrt.types.shape import Dims, relax
from graphrt.types.spec import TensorSpec

if TYPE_CHECKING:
    from typing_extensions import ParamSpec, TypeVar  # with defaults: `tf.Function` alone says something, too

    from graphrt.native.explanation import NativeExplanation

    _P = ParamSpec("_P", default=...)
    _Q = ParamSpec("_Q", default=...)
    _R = TypeVar("_R", covariant=True, default=Any)
else:
    from typing import ParamSpec, TypeVar

    _P, _R = ParamSpec("_P"), TypeVar("_R", covariant=True)


class Function(Generic[_P, _R]):
    """What `tf.function` returns. Call it as the function it was made of.

    >>> import graphrt as tf
    >>> double = tf.function(lambda x: 2 * x)
    >>> isinstance(double, tf.Function), double(3).numpy().item()
    (True, 6)
    """

    def __init__(self, python_function: Callable[_P, _R], options: Options, name: str | None = None) -> None:
        self._python_function = python_function
        self._options = options
        self._name = name or _name_of(python_function)
        self._traces = TraceSet(options.max_traces)
        self._instance: tuple[Any, ...] = ()
        self._lock = threading.RLock()
        self._signature_cache: Signature | None = None
        self._own_cache: Signature | None = None
        self._declared_cache: dict[int, tuple[ArgumentType, int]] = {}
        self._is_node = False  # whether it stands for calls of an ordinary function
        self._converted: Any = None
        self._methods: dict[int, tuple[Any, TraceSet]] = {}
        _copy_identity(self, python_function)
        backends.remember_source(python_function)  # it is converted when it is called, perhaps long after
        if options.input_signature is not None:
            self._declared()  # a signature that does not fit is refused where it is written

    # --- calling ---
    def __call__(self, *args: _P.args, **kwargs: _P.kwargs) -> _R:
        try:
            try:
                if current_graph() is None and not recorders() and not SWITCH.on:
                    for entry in self._traces.entries:
                        result = entry(args, kwargs)
                        if result is not MISS:
                            return result
                return self._call(args, kwargs)
            except RecursionError as error:
                raise told((*args, *kwargs.values()), error) from None
        except BaseException as error:
            shorten(error)
            raise

    def _call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if SWITCH.run_eagerly:
            if self._options.atomic:
                return changes.atomically((), lambda: self._python_function(*self._instance, *args, **kwargs))
            return self._python_function(*self._instance, *args, **kwargs)
        concrete, leaves = self._resolve(args, kwargs, False)
        if SWITCH.stale and concrete.reads is not None:
            concrete.reads.check(self._name)
        if self._options.verify and current_graph() is None and not checking():
            return verified(self._python_function, (*self._instance, *args), kwargs, concrete, leaves)
        result = concrete.call_flat(leaves, self._is_node or bool(self._in_progress()))
        if concrete.called and current_graph() is None and not recorders() and not SWITCH.stale:
            self._traces.remember(concrete, args, kwargs, self._instance)
        concrete.called = True  # a trace that is used once is not worth an entry
        return result

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> ConcreteFunction:
        """The concrete function for arguments like these; `TensorSpec`s stand for tensors.

        >>> import graphrt as tf
        >>> f = tf.function(lambda x: x + 1)
        >>> f.get_concrete_function(tf.TensorSpec([], tf.float32))(tf.constant(1.0)).numpy().item()
        2.0

        Raises:
          TypeError: the arguments do not fit the signature.
        """
        if self._options.input_signature is not None and not args and not kwargs:
            args = tuple(self._options.input_signature)
        try:
            try:
                return self._resolve(args, kwargs, True)[0]
            except RecursionError as error:
                raise told((*args, *kwargs.values()), error) from None
        except BaseException as error:
            shorten(error)
            raise

    def _decorate(self, decorator: Callable[[Callable[..., Any]], Callable[..., Any]]) -> None:
        """Puts what `decorator` makes of the Python function in its place, as libraries of modules do with methods.

        Raises:
          ValueError: there are traces of it already.
        """
        if self._traces.count or self._methods:
            raise ValueError(errors.at_user_line(f"{self._name} cannot be decorated: it has been traced already"))
        self._python_function = decorator(self._python_function)
        self._converted = self._signature_cache = self._own_cache = None
        backends.remember_source(self._python_function)

    # --- arguments ---
    @property
    def _signature(self) -> Signature:
        if self._signature_cache is None:
            self._signature_cache = Signature(self._python_function, _qualified_name(self._python_function, self._name))
        return self._signature_cache

    def _own_signature(self) -> Signature:
        """The parameters of the function itself, where `_signature` shows those of the function it wraps."""
        if self._own_cache is None:
            name = _qualified_name(self._python_function, self._name)
            self._own_cache = Signature(self._python_function, name, follow_wrapped=False)
        return self._own_cache

    @property
    def _skipped(self) -> int:
        return len(self._instance)

    def _bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any], Signature]:
        signature = self._signature
        try:
            positional, keywords = signature.bind(*self._instance, *args, **kwargs)
        except TypeError as error:
            if signature.is_borrowed:  # the wrapper may take other arguments than what it wraps
                signature = self._own_signature()
                positional, keywords = signature.bind(*self._instance, *args, **kwargs)
                return positional[self._skipped :], keywords, signature
            code = getattr(self._python_function, "__code__", None)
            where = ""
            if code:
                place = errors.shown_place(code.co_filename, code.co_firstlineno)
                where = f"\n  {self._name}{signature.text()} is defined at {place}"
            why = signature.refusal((*self._instance, *args), kwargs)
            text = f"Binding inputs to tf.function failed due to `{why}`: {error}{where}" if why else f"{error}{where}"
            raise TypeError(errors.at_user_line(text)) from None
        return positional[self._skipped :], keywords, signature

    def _declared(self) -> tuple[ArgumentType, int]:
        """The argument type that `input_signature` declares, and how many arguments it covers."""
        found = self._declared_cache.get(self._skipped)
        if found is None:
            found = self._declared_cache[self._skipped] = self._read_declaration()
        return found

    def _read_declaration(self) -> tuple[ArgumentType, int]:
        signature = self._signature
        specs = self._options.input_signature or ()
        skipped = self._skipped
        own = signature.positional[skipped:]
        if not self._instance and own[:1] == ["self"] and len(specs) < len(own):
            own, skipped = own[1:], 1  # a method, seen before it is bound
        found = Arguments(specs_allowed=True)
        trees: list[TraceType] = [found.type_of(s) for s in specs]
        if len(specs) > len(own) and signature.varargs is None:
            raise TypeError(
                f"input_signature contains {len(specs) - len(own)} extra type constraints: "
                f"{self._name}{signature.text()} takes {len(own)} positional arguments, input_signature has "
                f"{len(specs)}."
            )
        for name in own[len(specs) :] + signature.keyword_only:
            if name not in signature.defaults:
                raise TypeError(
                    f"input_signature missing type constraint for {name}: {self._name}{signature.text()} needs it. Add "
                    "a tf.TensorSpec for it, or give the parameter a default. Of a method, the first parameter must be "
                    "called `self`, so that it needs none."
                )
        trees += [found.type_of(signature.defaults[n]) for n in own[len(specs) :]]
        keyword_trees = tuple(found.type_of(signature.defaults[n]) for n in signature.keyword_only)
        return ArgumentType(tuple(trees), tuple(signature.keyword_only), keyword_trees, tuple(found.dims)), len(specs)

    def _resolve(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], specs_allowed: bool
    ) -> tuple[ConcreteFunction, list[Any]]:
        """The concrete function for a call, traced if need be, and the call's tensors."""
        positional, keywords, signature = self._bind(args, kwargs)
        if self._options.input_signature is not None:
            return self._resolve_declared(positional, keywords, specs_allowed)
        outermost = next(iter(self._in_progress().values()), None)
        if outermost is not None:
            positional, keywords = outermost.generalized(positional, keywords)
        found = Arguments(specs_allowed)
        wanted = self._wanted(found, positional, keywords, signature)
        concrete = self._traces.find(wanted, current_graph())
        if concrete is None:
            request = Request(wanted, signature, positional, keywords, found, found.leaves)
            concrete = self._trace_locked(request)
        else:
            self._traces.note_hit()
        if found.variables and recorders():
            for variable in (*concrete.graph.variables_used, *found.variables):  # what it captured comes first
                variable.touch()
        return concrete, found.leaves

    def _wanted(
        self, found: Arguments, positional: tuple[Any, ...], keywords: dict[str, Any], signature: Signature
    ) -> ArgumentType:
        """The type of bound arguments; `found` collects their tensors."""
        trees = [self._tree(found, value, signature.name_of(i + self._skipped)) for i, value in enumerate(positional)]
        keyword_trees = [self._tree(found, value, name) for name, value in keywords.items()]
        wanted = ArgumentType(tuple(trees), tuple(keywords), tuple(keyword_trees), tuple(found.dims))
        wanted.is_open = found.is_open
        return wanted

    def _tree(self, found: Arguments, value: Any, name: str) -> TraceType:
        try:
            return found.type_of(value)
        except TypeError as error:
            raise TypeError(errors.at_user_line(f"argument {shown(name)} of {self._name}: {error}")) from None

    def _resolve_declared(
        self, positional: tuple[Any, ...], keywords: dict[str, Any], specs_allowed: bool
    ) -> tuple[ConcreteFunction, list[Any]]:
        declared, count = self._declared()
        specs = self._options.input_signature or ()
        leaves: list[Any] = []
        if not specs_allowed or count == 0 or not all(_is_spec(v) for v in positional[:count]):
            try:
                leaves = declared.leaves_of(positional, keywords, self._signature, self._skipped)
            except (Mismatch, DtypeMismatch) as error:
                why = error.declared if isinstance(error, DtypeMismatch) else error
                raise TypeError(
                    errors.at_user_line(
                        f"Binding inputs to tf.function failed due to `{why}`. {self._name} was declared with "
                        f"input_signature={shown(specs)}. Received args: {shown(positional)} and kwargs: {shown(keywords)}."
                    )
                ) from None
        concrete = self._traces.find(declared, current_graph())
        if concrete is None:
            found = Arguments(specs_allowed=True)
            values = (*specs, *positional[count:])
            for value in (*values, *keywords.values()):
                found.type_of(value)
            concrete = self._trace_locked(Request(declared, self._signature, values, keywords, found, leaves))
        return concrete, leaves

    # --- tracing ---
    def _trace_locked(self, request: Request) -> ConcreteFunction:
        traces = self._traces
        with exclusively(traces.lock):
            concrete = traces.find(request.wanted, current_graph())  # another thread may have been here
            if concrete is not None:
                return concrete
            outer = self._in_progress()
            others = [dims for _, static, dims in outer if static == request.wanted.static]
            outermost = next(iter(outer.values()), None)
            if outermost is not None and outermost.general is not None:
                # shapes in which calls of itself differ are unknown
                request.wanted = request.wanted.with_dims(functools.reduce(_relaxed, others, request.wanted.dims))
            key = (threading.get_ident(), request.wanted.static, request.wanted.dims)
            if key in outer:
                return CallOfItself(outer[key], makings())  # type: ignore[return-value]
            if outermost is not None:
                outermost.recurs = True
            self._check_depth(others)
            latest = traces.latest(SEARCHED)
            if self._options.reduce_retracing:
                request.wanted = traces.generalized(request.wanted)
            making = Making(self._name, _given(request))
            began = time.perf_counter()
            try:
                concrete = self._rounds(request, key, making)
            except Exception as error:
                if not self._is_node and not isinstance(error, RecursionError):
                    raise
                otherwise = self._made_otherwise(request, key, making, error)
                if otherwise is None:
                    raise
                concrete, making = otherwise
            if making.is_transient:
                return concrete
            traces.count += 1
            first = traces.dropped == 0
            traces.store(concrete, request.found.weak)
            concrete.seconds, concrete.traced_at = time.perf_counter() - began, errors.user_location(2)
            self._report(request, latest, concrete.seconds, first and traces.dropped > 0)
        return concrete

    def _made_otherwise(
        self, request: Request, key: Any, making: Making, error: Exception
    ) -> tuple[ConcreteFunction, Making] | None:
        """The trace that ended in `error` again, with nodes for calls that would not end; None where that is no way."""
        code = _repeated(error)
        repeated = [] if code is None or backends.is_called_otherwise(code) else [code]
        is_outermost = not self._in_progress()
        # calls of itself whose arguments differ without end share one trace
        general = not repeated and making.recurs and is_outermost
        if not (repeated or general) or isinstance(error, errors.UnknownResultError):
            return None
        nodes = Nodes(_as_node)
        while True:
            again = Making(making.name, making.given)
            again.general = set() if general else None
            try:
                with backends.calls_of(repeated, nodes):
                    return self._rounds(request, key, again), again
            except Exception as why:
                another = _repeated(why)
                if another is not None and another not in repeated and len(repeated) < MOST_NODES:
                    repeated.append(another)
                elif again.recurs and is_outermost and not general:
                    general = True
                elif isinstance(why, (RecursionError, errors.SideEffectError)):
                    return None  # what has been said of the recursion is what is to be said
                else:
                    why.__suppress_context__ = True  # a mistake of the program's, which it would make at once, too
                    raise

    def _in_progress(self) -> dict[Any, Making]:
        """The traces of this function that this thread is making, by key, outermost first."""
        in_progress = self._traces.in_progress
        if not in_progress:
            return {}
        stack, thread = makings(), threading.get_ident()
        # what is in no stack was left by an interrupt
        return {key: m for key, m in list(in_progress.items()) if key[0] == thread and m in stack}

    def _check_depth(self, others: list[tuple[Dims, ...]]) -> None:
        """RecursionError when the function calls itself with ever new shapes: `others` are those under way."""
        if len(others) >= DEPTH:
            raise RecursionError(
                errors.at_user_line(
                    f"{self._name} calls itself with tensors of other shapes at each level, {DEPTH} levels deep while "
                    "it is being traced. Give it an input_signature with unknown dimensions (None), so that one trace "
                    "serves all levels."
                )
            )

    def _rounds(self, request: Request, key: Any, making: Making) -> ConcreteFunction:
        """Traces once; again when that made variables; and as often as it takes when the function calls itself."""
        in_progress = self._traces.in_progress
        in_progress[key] = making
        try:
            with begun(making), _told(making):
                made = Made(self._traces)
                concrete = self._trace(request, made.note, making)
                creates = made.are_new(concrete, request.leaves)
                if creates:
                    self._traces.count += 1
                    concrete = self._trace(request, refuse(SINGLETON), making)
                if not making.calls_itself:
                    return concrete
                note = refuse(SINGLETON) if creates else Made(self._traces).note
                for _ in range(ROUNDS):
                    if making.learn(concrete):
                        return concrete
                    concrete = self._trace(request, note, making)
        finally:
            in_progress.pop(key, None)
        raise TypeError(
            errors.at_user_line(
                f"the shapes that {self._name} returns change with each level of its recursion. Give them unknown "
                "dimensions, with an input_signature or tf.ensure_shape."
            )
        )

    def _trace(self, request: Request, creation: Callable[[Any], None], making: Making) -> ConcreteFunction:
        graph = FuncGraph(f"__inference_{identifier(self._name)}_{next_number()}")
        graph.is_atomic = self._options.atomic
        placeholders = placeholders_for(graph, request, self._skipped)
        making.begin(graph)
        args, kwargs = substituted(request, placeholders)
        untouched = substituted(request, placeholders)
        token = on_creation.set(creation)
        try:
            with stop_recording():
                trace_into(graph, self._to_trace, (*self._instance, *args), kwargs)
        except Exception as error:
            self._traces.count += 1
            if isinstance(error, RecursionError) and (better := backends.recursion_error(error, REMEDY)) is not error:
                try:
                    raise better from None
                finally:
                    del better  # its traceback holds this frame
            backends.annotate(error)
            raise
        finally:
            on_creation.reset(token)
        self._check_unchanged((args, kwargs), untouched, request.signature)
        concrete = ConcreteFunction(graph, request.wanted, request.signature, self._name, self._skipped)
        concrete.jit_compile = self._options.jit_compile
        concrete.python_function = self._python_function
        if SWITCH.stale:
            concrete.reads = Reads(self._python_function, self._instance)
        return concrete

    def _report(self, request: Request, latest: list[ConcreteFunction], seconds: float, dropped: bool) -> None:
        """A log line for each trace beyond the first; warnings when there are too many."""
        if not latest:
            return
        traces = self._traces
        many = traces.is_retracing() and current_graph() is None
        logged = is_heard()
        if not many and not logged and not dropped:
            return
        concrete, found = nearest(latest, request.wanted, request.signature, self._skipped)
        reason = " ".join(map(str, found)) if found else "the trace made before cannot be used here."
        filename, line = errors.user_location(2) or ("<unknown>", 0)
        if logged:
            of = f" (nearest: {concrete.pretty_printed_signature(False)})" if concrete is not None else ""
            logger().info(
                "%s:%d: trace %d of %s took %.1f ms: %s%s",
                filename, line, traces.count, self._name, seconds * 1e3, reason, of,
            )  # fmt: skip
        if many:
            text = (
                f"{self._name} has been traced {traces.count} times, in 5 of its last calls. Tracing is "
                f"expensive. Last time because {reason}"
            )
            warnings.warn_explicit(text, errors.RetracingWarning, filename, line)
        if dropped:
            text = (
                f"{self._name} has more than {traces.limit} traces: those that were not used for longest are dropped, "
                f"and traced again when needed. {reason} Or raise the limit with tf.function(max_traces=...)."
            )
            warnings.warn_explicit(text, errors.TraceLimitWarning, filename, line)

    def explain_retrace(self, *args: Any, **kwargs: Any) -> Explanation:
        """What a call with these arguments would do: run a trace there is, or make one, and why. Traces nothing.

        >>> import graphrt as tf
        >>> f = tf.function(lambda x: x)
        >>> _ = f(tf.zeros([3]))
        >>> print(f.explain_retrace(tf.zeros([4])))
        lambda needs a new trace. The nearest of 1 traces differs in:
          argument 'x' had shape (3,), now (4,). Use tf.function(reduce_retracing=True), or an input_signature with \
unknown dimensions (None).

        Raises:
          TypeError: the arguments do not fit the signature.
        """
        positional, keywords, signature = self._bind(args, kwargs)
        traces = self._traces
        if self._options.input_signature is not None:
            wanted = self._declared()[0]
            wanted.leaves_of(positional, keywords, signature, self._skipped)
        else:
            wanted = self._wanted(Arguments(specs_allowed=True), positional, keywords, signature)
        name = "lambda" if self._name == "<lambda>" else self._name
        if SWITCH.run_eagerly:
            return Explanation(name, False, None, (), len(traces), "runs as Python: run_functions_eagerly is on.")
        concrete = traces.find(wanted, current_graph())
        if concrete is not None:
            return Explanation(name, False, concrete, (), len(traces))
        return Explanation(name, True, *nearest(traces.latest(SEARCHED), wanted, signature, self._skipped), len(traces))

    def explain_native(self, *args: Any, **kwargs: Any) -> NativeExplanation:
        """What `jit_compile=True` compiles of the trace for arguments like these, and what stays in NumPy, and why.

        Nothing is compiled for it, and no package is needed; a trace is made if there is none.

        >>> import graphrt as tf
        >>> print(tf.function(lambda x: tf.reduce_sum(x * x)).explain_native(tf.zeros([3])))
        lambda: all of it is compiled, in 1 native function.

        Raises:
          TypeError: the arguments do not fit the signature.
        """
        return explain_native(self.get_concrete_function(*args, **kwargs))

    def _check_unchanged(self, now: Any, before: Any, signature: Signature) -> None:
        changed = [
            signature.name_of(i + self._skipped) for i, (a, b) in enumerate(zip(now[0], before[0])) if not same(a, b)
        ]
        changed += [name for name, value in before[1].items() if not same(now[1][name], value)]
        if changed:
            raise ValueError(
                errors.at_user_line(
                    f"{self._name}{signature.text(bool(self._instance))} should not modify its Python input arguments. "
                    "Modifying a copy is allowed, list(x) or dict(x) makes one. The following parameter(s) were "
                    f"modified: {', '.join(changed)}"
                )
            )

    @property
    def _to_trace(self) -> Callable[..., Any]:
        if self._converted is None:
            function = self._python_function
            if self._options.autograph:
                features = self._options.experimental_autograph_options or STAGED_BY_DEFAULT
                function = autograph.convert(recursive=True, user_requested=True, optional_features=features)(function)
            self._converted = function
        return self._converted

    # --- methods ---
    @overload
    def __get__(self, instance: None, owner: Any = None) -> Function[_P, _R]: ...
    @overload
    def __get__(self: Function[Concatenate[Any, _Q], _R], instance: object, owner: Any = None) -> Function[_Q, _R]: ...

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        if instance is None:
            return self
        found = self._methods.get(id(instance))
        if found is None or found[0]() is not instance:
            found = self._bind_instance(instance)
        bound: Any = _new_method(_Method)
        bound._parent = self
        bound._instance = (instance,)
        bound._traces = found[1]
        return bound

    def _bind_instance(self, instance: Any) -> tuple[Any, TraceSet]:
        key = id(instance)
        methods = self._methods
        try:
            reference: Any = weakref.ref(instance, lambda _: methods.pop(key, None))
        except TypeError:  # cannot be watched: kept as long as the function
            reference = lambda: instance
        with self._lock:
            found = methods.get(key)
            if found is None or found[0]() is not instance:
                found = methods[key] = (reference, TraceSet(self._options.max_traces))
        return found

    # --- what it is ---
    @property
    def python_function(self) -> Callable[..., Any]:
        """The Python function it was made of."""
        if self._instance:
            return self._python_function.__get__(self._instance[0])
        return self._python_function

    @property
    def name(self) -> str:
        """The name of the Python function."""
        return self._name

    @property
    def input_signature(self) -> Any:
        """The declared specs, or None."""
        return self._options.input_signature

    @property
    def bound_signature(self) -> tuple[Signature, int]:
        """The parameters of the Python function, and how many of them are bound to an instance."""
        return self._signature, self._skipped

    @property
    def function_spec(self) -> str:
        """The parameters, as they stand in the source."""
        return self._signature.text(bool(self._instance))

    @property
    def function_type(self) -> FunctionType:
        """The parameters, as they stand in the source; those of each trace: see `ConcreteFunction.function_type`.

        >>> import graphrt as tf
        >>> list(tf.function(lambda x, n=2: n).function_type.parameters)
        ['x', 'n']
        """
        parameters = self._signature.parameters[bool(self._instance) :]
        return FunctionType.of_parameters(parameters, self.input_signature or ())

    def experimental_get_tracing_count(self) -> int:
        """How often the Python function has been traced.

        >>> import graphrt as tf
        >>> f = tf.function(lambda x: x)
        >>> f(1), f(1), f(2), f.experimental_get_tracing_count()  # doctest: +ELLIPSIS
        (<tf.Tensor...1>, <tf.Tensor...1>, <tf.Tensor...2>, 2)
        """
        return self._traces.count

    def pretty_printed_concrete_signatures(self, verbose: bool = True) -> str:
        """The signatures of all traces as text."""
        return "\n\n".join(c.pretty_printed_signature(verbose) for c in self._traces.concrete)

    def list_all_concrete_functions(self) -> list[ConcreteFunction]:
        """All traces, in the order in which they were made."""
        return list(self._traces.concrete)

    _list_all_concrete_functions = list_all_concrete_functions  # the name that programs know from TensorFlow

    def experimental_get_compiler_ir(self, *args: Any, **kwargs: Any) -> Callable[..., str]:
        """A function that gives the generated program for these arguments as text, whatever stage is asked for."""
        concrete = self.get_concrete_function(*args, **kwargs)
        return lambda stage="hlo", **_: concrete.source

    def __reduce__(self) -> Any:
        if self._instance:
            return getattr, (self._instance[0], self._name)
        found: Any = sys.modules.get(getattr(self, "__module__", ""))
        path: str = getattr(self, "__qualname__", self._name)
        for part in path.split("."):
            found = getattr(found, part, None)
        if found is self:
            return path  # by reference, as functions are
        return _restore, (self._python_function, self._options)

    def __deepcopy__(self, memo: Any) -> Function:
        return Function(self._python_function, self._options, self._name)

    def __repr__(self) -> str:
        name = _qualified_name(self._python_function, self._name)
        return f"<tf.function {name}{self._signature.text(bool(self._instance))}>"

    def _repr_html_(self) -> str:
        """What notebooks show: the converted code and the traces."""
        try:
            code = autograph.to_code(self._python_function)
        except autograph.errors.AutoGraphError as error:
            code = f"not converted: {error}"
        traces = [c.pretty_printed_signature(False) for c in self._traces.concrete]
        return folded(repr(self), {"converted code": code, f"{len(traces)} traces": "\n".join(traces)})


def _told(making: Making) -> Progress:
    """Says on a terminal that a trace is made, when that takes long."""

    def count() -> int:
        return 0 if making.graph is None else len(making.graph.nodes)

    return Progress(f"tracing {making.name}", unit="nodes", after=2.0, count=count)


experimental.PolymorphicFunction.register(Function)


class _Method(Function):
    """A function bound to an instance, which it holds while it is held; its traces are those of the instance."""

    _parent: Function[..., Any]

    def __getattr__(self, name: str) -> Any:
        if name == "_parent":
            raise AttributeError(name)
        return getattr(self._parent, name)

    @property
    def __wrapped__(self) -> Any:
        return self.python_function

    def __deepcopy__(self, memo: Any) -> Any:
        return getattr(copy.deepcopy(self._instance[0], memo), self._parent._name)

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, _Method) and self._parent is other._parent and self._instance[0] is other._instance[0]

    def __hash__(self) -> int:
        return hash((id(self._parent), id(self._instance[0])))


_new_method = _Method.__new__
_Method.__doc__ = property(lambda self: self._parent.__doc__)  # type: ignore[assignment]


def _restore(python_function: Any, options: Options) -> Function:
    return Function(python_function, options)


def _as_node(function: Callable[..., Any]) -> Function[..., Any]:
    """An ordinary function whose calls are to become nodes."""
    made: Function[..., Any] = Function(function, Options())
    made._is_node = True
    return made


def _relaxed(dims: tuple[Dims, ...], others: tuple[Dims, ...]) -> tuple[Dims, ...]:
    return tuple(map(relax, dims, others))


def _given(request: Request) -> dict[int | str, Any]:
    """The arguments of a call by position or name."""
    found: dict[int | str, Any] = dict(enumerate(request.positional))
    found.update(request.keywords)
    return found


def _repeated(error: Exception) -> CodeType | None:
    """The code of the function that has called itself without end, if that is what went wrong."""
    return error.repeated if isinstance(error, StagedRecursionError) else None


def _is_spec(value: Any) -> bool:
    found = Arguments(specs_allowed=True)
    try:
        found.type_of(value)
    except TypeError:
        return False
    return bool(found.leaves) and all(isinstance(v, TensorSpec) for v in found.leaves)


def _name_of(function: Any) -> str:
    while isinstance(function, functools.partial):
        function = function.func
    return getattr(function, "__name__", None) or type(function).__name__


def _qualified_name(function: Any, name: str) -> str:
    while isinstance(function, functools.partial):
        function = function.func
    return getattr(function, "__qualname__", None) or name


def _copy_identity(target: Function, function: Any) -> None:
    for attribute in ("__module__", "__qualname__", "__doc__", "__annotations__", "__type_params__"):
        try:
            value = getattr(function, attribute, None)
        except NameError:  # annotations are evaluated when asked for, and may name what does not exist yet
            continue
        if value is not None or attribute == "__doc__":  # else that of the class would be found
            setattr(target, attribute, value)
    target.__name__ = target._name  # type: ignore[attr-defined]
    target.__wrapped__ = function  # type: ignore[attr-defined]
    for key, value in dict(getattr(function, "__dict__", {})).items():
        if key not in target.__dict__:
            target.__dict__[key] = value


class _Options(TypedDict, total=False):
    """What type checkers know of the keywords of `function`."""

    autograph: bool
    jit_compile: bool | str | None
    reduce_retracing: bool
    experimental_implements: str | None
    experimental_autograph_options: Any
    experimental_attributes: dict[str, Any] | None
    experimental_relax_shapes: bool | None
    experimental_compile: bool | None
    experimental_follow_type_hints: bool | None
    max_traces: int | None
    verify: bool
    atomic: bool


@overload
def function(
    func: Callable[_P, _R], input_signature: Sequence[Any] | None = None, **options: Unpack[_Options]
) -> Function[_P, _R]: ...


@overload
def function(
    func: None = None, input_signature: Sequence[Any] | None = None, **options: Unpack[_Options]
) -> Callable[[Callable[_P, _R]], Function[_P, _R]]: ...


def function(
    func: Callable[..., Any] | None = None,
    input_signature: Sequence[Any] | None = None,
    autograph: bool = True,
    jit_compile: bool | str | None = None,
    reduce_retracing: bool = False,
    experimental_implements: str | None = None,
    experimental_autograph_options: Any = None,
    experimental_attributes: dict[str, Any] | None = None,
    experimental_relax_shapes: bool | None = None,
    experimental_compile: bool | None = None,
    experimental_follow_type_hints: bool | None = None,
    *,
    max_traces: int | None = None,
    verify: bool = False,
    atomic: bool = False,
) -> Any:
    """Turns a Python function into one that is traced into a graph, and runs as a compiled program.

    A decorator, with or without arguments. A trace is made for each type of arguments: dtype and shape of tensors, type
    and value of Python arguments. `input_signature`, a sequence of (nested) `TensorSpec`s, makes it one trace for all;
    `reduce_retracing` relaxes shapes that change from call to call. With `autograph` Python's `if`, `while`, `for`,
    `and`, ... on tensors become part of the graph.

    Not in TensorFlow: `max_traces` bounds how many traces are kept; those not used for longest are dropped, with a
    `TraceLimitWarning`. With `verify` each call runs the Python function eagerly and the graph beside it, and raises
    `VerificationError` naming the first op whose value differs. With `atomic` a call that fails, or that is interrupted,
    leaves all variables and tables as they were, whatever it had assigned before: see `docs/state.md`.

    >>> import graphrt as tf
    >>> @tf.function
    ... def collatz(n):
    ...     steps = 0
    ...     while n != 1:
    ...         n = n // 2 if n % 2 == 0 else 3 * n + 1
    ...         steps += 1
    ...     return steps
    >>> collatz(tf.constant(27)).numpy().item()
    111

    Raises:
      TypeError: `func` is not callable, or `input_signature` is not a sequence of `TensorSpec`s.
    """
    options = Options(
        input_signature=input_signature_of(input_signature),
        autograph=bool(autograph),
        jit_compile=jit_compile_of(jit_compile if jit_compile is not None else experimental_compile),
        reduce_retracing=bool(reduce_retracing or experimental_relax_shapes),
        experimental_autograph_options=experimental_autograph_options,
        experimental_implements=experimental_implements,
        max_traces=max_traces_of(max_traces),
        verify=bool(verify),
        atomic=bool(atomic),
    )

    def decorate(python_function: Callable[..., Any]) -> Function:
        if isinstance(python_function, Function):
            python_function = python_function.python_function
        if not callable(python_function):
            raise TypeError(
                errors.at_user_line(f"{shown(python_function)} is not a callable object: tf.function needs a function")
            )
        return Function(python_function, options)

    return decorate if func is None else decorate(func)


def converted_body(function: Function) -> Callable[..., Any]:
    """What is run when the function is traced: the user's, converted by AutoGraph if that is wanted."""
    return function._to_trace
