"""What of a program goes into a SavedModel: its objects numbered, its traces, and what these captured.

Module                ->  user object, with its parts and its functions as children
tf.function           ->  function, with each trace a concrete function
captured variable     ->  the number of the object that owns it
captured array        ->  a constant of the main graph
table                 ->  resource: functions that make and fill it
"""

from __future__ import annotations

import copy
import hashlib
import inspect
from collections.abc import Iterator, Mapping
from itertools import repeat
from types import MappingProxyType
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.function.call import call_graph
from graphrt.function.concrete import ConcreteFunction
from graphrt.function.function import Function
from graphrt.graphdef.structured_values import UnwritableValue, encoded
from graphrt.ir.graph import Graph, Node
from graphrt.ir.op import CALLS_PYTHON
from graphrt.resources.table_ops import (
    HashTableV2,
    LookupTableImportV2,
    LookupTableInsertV2,
    MutableDenseHashTableV2,
    MutableHashTableOfTensorsV2,
    MutableHashTableV2,
    Table,
)
from graphrt.resources.tables import LookupTable
from graphrt.saving.assets import Asset
from graphrt.saving.objects import children
from graphrt.saving.restored_function import RestoredFunction
from graphrt.saving.saved_gradients import named_nodes, traced_rule
from graphrt.state.module import Module
from graphrt.state.storage import Storage
from graphrt.state.variable import Variable
from graphrt.tensor.context import building
from graphrt.tensor.func_graph import FuncGraph
from graphrt.tensor.queries import get_logger
from graphrt.tensor.tensor import EagerTensor, SymbolicTensor, Tensor, behind
from graphrt.types.nesting import shown
from graphrt.types.spec import CompositeSpec, TensorSpec, TypeSpec
from graphrt.types.structure import Composite, rebuild
from graphrt.types.structure import children as parts

__all__ = [
    "Captured",
    "Resource",
    "SavedObjects",
    "SignatureMap",
    "Trace",
    "TracedFunction",
    "functions_of",
    "table_op",
]

SIGNATURES = "signatures"


class Trace:
    """One concrete function on its way into a file.

    Attributes:
      graph: what runs; its inputs are the arguments, then what it captured.
      bound: the objects captured, in order.
      taken, given: messages that say what it takes and gives.
      keywords: names of its arguments where it is called by name.
      named: the specs of its results where they are asked for by name.
      parameters: the message of its parameters, where it is a part of the object that is saved.
    """

    def __init__(
        self, graph: Graph, bound: list[object], taken: Any, given: Any, keywords: list[str],
        named: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:  # fmt: skip
        self.graph = graph
        self.bound = bound
        self.taken = taken
        self.given = given
        self.keywords = keywords
        self.named = named
        self.parameters: tuple[object, ...] | None = None


class TracedFunction:
    """A function and its traces; `spec` is the message of its parameters."""

    def __init__(self, traces: list[Trace], spec: tuple[object, ...], input_signature: object = None) -> None:
        self.traces = traces
        self.spec = spec
        self.input_signature = input_signature


class SignatureMap(dict[str, Trace]):
    """The signatures by which a server calls a model."""


class Captured:
    """An array that traces captured: a constant of the main graph."""

    def __init__(self, tensor: EagerTensor) -> None:
        self.tensor = tensor


class CapturedTensor:
    """A tensor of a traced function, which the gradient of one of its nodes uses."""

    def __init__(self, name: str, trace: Trace) -> None:
        self.name = name
        self.trace = trace


class Resource:
    """A table, which is made and filled when the model is loaded."""

    def __init__(self, table: LookupTable, make: Trace, fill: Trace) -> None:
        self.table = table
        self.fill = fill
        nothing = _full_arg_spec([])
        self.children = {
            "_create_resource": TracedFunction([make], nothing),
            "_initialize": TracedFunction([fill], nothing),
        }


def functions_of(thing: object) -> dict[str, Function]:
    """The `tf.function`s that the class of a module has as methods."""
    if not isinstance(thing, Module):
        return {}
    found = {}
    for name in dir(type(thing)):
        if isinstance(inspect.getattr_static(type(thing), name, None), Function):
            found[name] = getattr(thing, name)
    return found


def _full_arg_spec(
    args: list[str], varargs: str | None = None, varkw: str | None = None, defaults: tuple[object, ...] | None = None,
    keyword_only: list[str] | None = None, keyword_defaults: dict[str, object] | None = None,
) -> tuple[object, ...]:  # fmt: skip
    return inspect.FullArgSpec(args, varargs, varkw, defaults, keyword_only or [], keyword_defaults, {})


def _output_spec(value: object, names: Iterator[str]) -> object:
    if isinstance(value, Tensor):
        return TensorSpec(value.dims, value.dtype, next(names))
    spec = getattr(value, "_type_spec", None) if isinstance(value, Composite) else None
    if isinstance(spec, TypeSpec):
        for _ in spec.component_specs if isinstance(spec, CompositeSpec) else ():
            next(names)
        return spec
    if isinstance(value, Composite):
        raise UnwritableValue(f"a {type(value).__name__}")
    if isinstance(value, (list, tuple, dict)):
        return rebuild(value, [_output_spec(v, names) for _, v in parts(value)])
    return value


class SavedObjects:
    """The objects that belong to `root`, numbered as a SavedModel has them.

    Attributes:
      things: all objects, in order: the root first.
      inner: for each of them its children, by name.

    Raises:
      ValueError: a trace uses what cannot leave the process.
    """

    def __init__(self, root: object, signatures: dict[str, ConcreteFunction], gradients: bool = True) -> None:
        self.things: list[object] = []
        self.inner: list[dict[str, object]] = []
        self._numbers: dict[int, int] = {}
        self._owners: dict[int, object] = {}  # by id of what stands behind a handle
        self._kept: list[object] = []
        self._constants: dict[int, Captured] = {}
        self._traces: dict[int, Trace] = {}
        self._collect(root)
        for thing in list(self.things):
            if isinstance(thing, LookupTable):
                self._replace(thing, self._resource(thing))
        for thing in list(self.things):
            if isinstance(thing, Function):
                self._replace(thing, self._function(thing))
            elif isinstance(thing, RestoredFunction):
                traces = [self.trace(c) for c in thing.concrete_functions]
                self._replace(thing, TracedFunction(traces, _parameters_of(thing.signature, 0), thing.input_signature))
        for thing in list(self.things):
            if isinstance(thing, ConcreteFunction):
                self._replace(thing, self._bare(thing))
        made = SignatureMap({name: self._signature(name, c) for name, c in signatures.items()})
        self.signatures = made
        self.gradients = self._gradients() if gradients else {}
        self.inner[0][SIGNATURES] = made
        self._add(made)
        for number, thing in enumerate(self.things):
            self._add_traces(number, thing)
        for trace in self.gradients.values():
            for bound in trace.bound:
                self._add(bound)

    # --- numbering ---
    def number_of(self, thing: object) -> int:
        """The number of an object."""
        return self._numbers[id(thing)]

    def _add(self, thing: object) -> int:
        number = self._numbers.get(id(thing))
        if number is None:
            number = self._numbers[id(thing)] = len(self.things)
            self.things.append(thing)
            self.inner.append({})
        return number

    def _replace(self, thing: object, other: object) -> None:
        number = self._numbers[id(thing)]
        self._kept.append(thing)  # those that have it as a part find it by its id
        self.things[number] = other
        self._numbers[id(other)] = number
        if isinstance(other, Resource):
            self.inner[number] = dict(other.children)

    def _collect(self, root: object) -> None:
        self._add(root)
        for thing in self.things:
            found = {k: v for k, v in children(thing).items() if not (thing is root and k == SIGNATURES)}
            found |= functions_of(thing)
            self.inner[self.number_of(thing)] = found
            if isinstance(thing, Variable):
                self._owners[id(thing.storage)] = thing
            elif isinstance(thing, LookupTable):
                self._owners[id(thing.table)] = thing
            elif isinstance(thing, Asset):
                self._owners[id(thing.asset_path)] = thing
            for child in found.values():
                self._add(child)

    def _add_traces(self, number: int, thing: object) -> None:
        """Numbers what is reached from functions only: traces, and constants that they captured."""
        traces: list[Trace] = []
        if isinstance(thing, Resource):
            for child in thing.children.values():
                self._add(child)
        elif isinstance(thing, TracedFunction):
            traces = thing.traces
        elif isinstance(thing, SignatureMap):
            traces = list(thing.values())
            self.inner[number] = dict(thing)
        for trace in traces:
            self._add(trace)
            for bound in trace.bound:
                self._add(bound)

    # --- traces ---
    def _function(self, function: Function) -> TracedFunction:
        if function.input_signature is not None:
            function.get_concrete_function()
        traces = []
        for concrete in function.list_all_concrete_functions():
            try:
                traces.append(self.trace(concrete))
            except UnwritableValue as error:
                get_logger().warning(
                    "A trace of %r is not saved, because its arguments or results hold what no file can hold: %s",
                    function.name, error,
                )  # fmt: skip
        spec = _parameters_of(*function.bound_signature)
        return TracedFunction(traces, spec, function.input_signature)

    def trace(self, concrete: ConcreteFunction) -> Trace:
        """`concrete` as it is saved."""
        if id(concrete) not in self._traces:
            self._kept.append(concrete)
            refuse_python(concrete)
            args, kwargs = concrete.structured_input_signature
            names = iter([f"output_{i}" for i in range(len(concrete.graph.outputs))])
            given = encoded(_output_spec(concrete.graph.structured_outputs, names))
            self._traces[id(concrete)] = Trace(
                concrete.graph, self._bound(concrete), encoded((args, kwargs)), given, list(concrete.flat_names)
            )
        return self._traces[id(concrete)]

    def _bare(self, concrete: ConcreteFunction) -> Trace:
        """A concrete function that is a part: a function of its own in the file, also where a function has it as trace.

        TensorFlow extends what it differentiates, and cannot differentiate a graph twice that two objects call.
        """
        made = copy.copy(self.trace(concrete))
        if any(made.bound is t.bound for f in self.things if isinstance(f, TracedFunction) for t in f.traces):
            made.graph = copy.copy(made.graph)
        self._kept.append(made.graph)
        args, kwargs = concrete.structured_input_signature
        try:
            concrete.signature.bind(*(None,) * concrete.skipped, *args, **kwargs)
        except TypeError:  # loaded from a file that does not tell the parameters
            return made
        made.parameters = _parameters_of(concrete.signature, concrete.skipped, False)
        return made

    def _bound(self, concrete: ConcreteFunction) -> list[object]:
        return [self._owner(concrete.function_name, outer) for outer, _ in concrete.graph.captures]

    def _owner(self, function_name: str, outer: Tensor) -> object:
        if not isinstance(outer, EagerTensor):
            raise ValueError(
                errors.at_user_line(
                    f"{function_name!r} cannot be saved: it uses {shown(outer)} of the function in which it was traced"
                )
            )
        if id(outer) in self._owners:
            return self._owners[id(outer)]
        if outer.dtype.kind != "O":
            known = self._constants.get(id(outer))
            if known is None:
                known = self._constants[id(outer)] = Captured(outer)
            return known
        held = behind(outer)
        if id(held) in self._owners:
            owner = self._owners[id(held)]
            return self.things[self._numbers[id(owner)]]
        what = f"the variable {held.name!r}" if isinstance(held, Storage) else repr(held)
        raise ValueError(
            errors.at_user_line(
                f"{function_name!r} cannot be saved: it uses {what}, which does not belong to the object that is "
                "saved. Make it an attribute of that object, or of one that belongs to it."
            )
        )

    # --- gradients ---
    def _gradients(self) -> dict[str, Trace]:
        """The gradients of the user's own that nodes of the traces name, by that name, as functions."""
        traces = {id(t.graph): t for t in self._traces.values()}
        graphs = [g for t in self._traces.values() for g in (t.graph, *t.graph.functions().values())]
        found: dict[str, Trace] = {}
        for name, node in named_nodes(graphs):
            try:
                graph, given = traced_rule(node, f"__inference_internal_grad_fn_{len(found)}")
                bound = [self._bound_to_gradient(outer, traces) for outer, _ in graph.captures]
            except (LookupError, TypeError, ValueError) as error:
                get_logger().warning("The gradient of %s cannot be saved: %s", place_of_node(node), error)
                continue
            self._kept.append(graph)
            taken = [TensorSpec(v.dims, v.dtype, f"result_grads_{i}") for i, v in enumerate(node.outputs)]
            names = [v.node.name for v in graph.inputs[: len(taken)]]
            found[name] = Trace(graph, bound, encoded(((None, *taken), {})), encoded(given), names)
        return found

    def _bound_to_gradient(self, outer: Tensor, traces: dict[int, Trace]) -> object:
        if isinstance(outer, EagerTensor):
            return self._owner("the gradient", outer)
        home = traces.get(id(outer.value.node.graph)) if isinstance(outer, SymbolicTensor) else None
        if home is None:
            raise ValueError(f"it uses {shown(outer)}, a tensor in a loop or branch")
        return CapturedTensor(outer.name, home)

    # --- signatures ---
    def _signature(self, name: str, concrete: ConcreteFunction) -> Trace:
        inner = self.trace(concrete)
        graph = FuncGraph(f"__inference_signature_wrapper_{name}")
        count = len(concrete.argument_type.dims)
        named = dict(zip(concrete.flat_names, concrete.graph.inputs[:count]))
        specs = {k: TensorSpec(v.dims, v.dtype, k) for k, v in sorted(named.items())}  # as a dictionary is flattened
        with building(graph):
            arguments = {k: graph.placeholder(named[k].dtype, named[k].dims, k) for k in specs}
            given = [arguments[k] for k in concrete.flat_names]
            captured = [graph.placeholder(v.dtype, v.dims, v.node.name) for v in concrete.graph.inputs[count:]]
            for old, new in zip(concrete.graph.inputs[count:], captured):
                new.value.info = old.info
            found = _named_outputs(name, concrete.finish(call_graph(concrete.graph, [*given, *captured])))
        graph.outputs = [t.value for held in found.values() for t in _tensors_of(held)]
        graph.structured_outputs = found
        graph.finished = True
        self._kept.append(graph)
        outputs = {k: _output_spec(held, repeat(k)) for k, held in found.items()}
        return Trace(graph, inner.bound, encoded(((), specs)), encoded(outputs), list(specs), outputs)

    # --- tables ---
    def _resource(self, table: LookupTable) -> Resource:
        held = table.table
        keys, values = held.export()
        label = hashlib.sha256(repr((held.key_dtype.name, held.value_dtype.name, len(keys))).encode())
        for array in (keys, values):
            label.update(repr(array.tolist()).encode())
        made = FuncGraph(f"__inference__creator_{len(self.things)}")
        with building(made):
            handle = table_op(held, f"table_{label.hexdigest()[:16]}_{len(self._kept)}")
        made.outputs, made.finished = [handle.value], True
        filled = FuncGraph(f"__inference__initializer_{len(self.things)}")
        with building(filled):
            resource = filled.placeholder(handle.dtype, (), "table")
            resource.value.info = held
            fill_it = LookupTableInsertV2 if held.forbidden else LookupTableImportV2  # TensorFlow imports buckets
            fill_it(resource, filled.constant(keys), filled.constant(values))
            done = filled.constant(np.array(1, np.int32)[()])
        filled.outputs, filled.finished = [done.value], True
        self._kept += [made, filled]
        nothing = encoded(((), {}))
        make = Trace(made, [], nothing, encoded(TensorSpec([], handle.dtype, "output_0")), [])
        fill = Trace(filled, [], nothing, encoded(TensorSpec([], done.dtype, "output_0")), [])
        resource_object = Resource(table, make, fill)
        fill.bound = [resource_object]
        return resource_object


def table_op(held: Table, name: str) -> Any:
    key, value = held.key_dtype, held.value_dtype
    if held.forbidden:
        empty, deleted = (np.array(k, key.as_numpy_dtype) for k in held.forbidden)
        return MutableDenseHashTableV2(
            empty, deleted, key_dtype=key, value_dtype=value, value_shape=held.value_dims, shared_name=name
        )
    if held.fixed:
        return HashTableV2(key_dtype=key, value_dtype=value, shared_name=name)
    if held.value_dims:
        return MutableHashTableOfTensorsV2(
            key_dtype=key, value_dtype=value, value_shape=held.value_dims, shared_name=name
        )
    return MutableHashTableV2(key_dtype=key, value_dtype=value, shared_name=name)


def can_be_signature(concrete: ConcreteFunction) -> bool:
    """Whether a server can call it: tensors by name come in, and go out."""
    args, kwargs = concrete.structured_input_signature
    if not concrete.graph.outputs:
        return False
    try:
        encoded((args, kwargs))
        for held in _named_outputs("", concrete.graph.structured_outputs).values():
            encoded(_output_spec(held, repeat("")))
    except (UnwritableValue, ValueError):
        return False
    return True


def _tensors_of(held: Any) -> list[Any]:
    return [held] if isinstance(held, Tensor) else list(held.components())


def _named_outputs(signature: str, result: object) -> dict[str, Any]:
    """The outputs of a signature by name, as a dictionary is flattened: those of a dictionary, or `output_0`, ...

    Raises:
      ValueError: some output is nothing made of tensors.
    """
    if isinstance(result, dict):
        found = dict(result)
    elif isinstance(result, (list, tuple)):
        found = {f"output_{i}": v for i, v in enumerate(result)}
    else:
        found = {} if result is None else {"output_0": result}
    for name, value in found.items():
        if not isinstance(name, str) or not isinstance(value, (Tensor, Composite)):
            raise ValueError(
                errors.at_user_line(
                    f"the signature {signature!r} must give a tensor, a list of tensors, or a dictionary from names to "
                    f"tensors; found {shown(value)} at {name!r}"
                )
            )
    return {k: found[k] for k in sorted(found)}


def _parameters_of(signature: Any, skipped: int, with_defaults: bool = True) -> tuple[object, ...]:
    """The parameters of a function as a `FullArgSpec`; defaults that no file can hold are left out as None."""
    args = list(signature.positional[skipped:])
    given = signature.defaults if with_defaults else {}
    defaults = tuple(_writable(given[a]) for a in args if a in given)
    named = {k: _writable(given[k]) for k in signature.keyword_only if k in given}
    return _full_arg_spec(
        args, signature.varargs, signature.varkw, defaults or None, list(signature.keyword_only), named or None
    )


def _writable(value: object) -> object:
    try:
        encoded(value)
    except UnwritableValue:
        return None
    return value


def refuse_python(concrete: ConcreteFunction) -> None:
    """ValueError, with its place, for a node that calls a Python function: no file can hold that."""
    for graph in (concrete.graph, *concrete.graph.functions().values()):
        for node in graph.nodes:
            if node.op.has(CALLS_PYTHON):
                raise ValueError(
                    f"{concrete.function_name!r} cannot be saved: {place_of_node(node)} calls a Python function"
                )


def place_of_node(node: Node) -> str:
    if node.location is None:
        return f"node {node.name!r} ({node.type})"
    return f"node {node.name!r} ({node.type}), made at {errors.shown_place(*node.location)},"
