"""SavedModels without objects, as TensorFlow 1 wrote them: one graph with variables, and signatures that name parts of it.

Variables and tables of the graph become objects. What is asked for, a signature or a `prune`, becomes a function of the
nodes that it needs. The nodes that restore variables are run on values of the checkpoint, which is read here.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.function.concrete import ConcreteFunction
from graphrt.graphdef.read_values import read_dims, read_dtype, read_tensor
from graphrt.graphdef.schema import message_class
from graphrt.graphdef.structured_values import read_value
from graphrt.ir.graph import Value
from graphrt.ops.sparse.tensor import SparseTensorSpec
from graphrt.resources.table_ops import Table
from graphrt.saving.assets import Asset, asset_of
from graphrt.saving.bundle import Bundle
from graphrt.saving.graph_parts import Feed, GraphParts, edge_of
from graphrt.saving.loaded import LoadedObject, LoadedSignatures, RestoredTable
from graphrt.saving.restored_function import concrete_function
from graphrt.saving.save import VARIABLES
from graphrt.state.policies import VariableAggregation, VariableSynchronization
from graphrt.state.resource_ops import VarHandleOp
from graphrt.state.storage import Storage
from graphrt.state.variable import Variable
from graphrt.tensor.func_graph import Const, FuncGraph, Placeholder
from graphrt.tensor.tensor import EagerTensor, Operation, behind
from graphrt.types.dtype import DType, string
from graphrt.types.nesting import shown
from graphrt.types.spec import TensorSpec, TypeSpec
from graphrt.types.structure import flatten, pack_like

__all__ = ["GraphLoader", "LoadedGraph"]

_INIT = "__saved_model_init_op"
_NO_SIGNATURES = frozenset({_INIT, "__saved_model_train_op"})
_INIT_COLLECTIONS = ("saved_model_main_op", "legacy_init_op")
_TABLE_INIT, _LOCAL = "table_initializer", "local_variables"
_ASSETS = "saved_model_assets"
_RESTORE = "RestoreV2"
_TABLES = ("HashTable", "MutableHashTable", "MutableDenseHashTable")

Described = Callable[[Iterator[Value]], Any]  # results of a graph, in order, to the structure of their specs


class LoadedGraph(LoadedObject):
    """A SavedModel of TensorFlow 1: its variables, `signatures`, and `prune`, which makes functions of any part.

    Attributes:
      variables: those of the graph.
      asset_paths: the files that came with it.
      initializer: what has to be made again wherever the object is loaded: its tables.
      signatures: functions by name.
      tensorflow_version, tensorflow_git_version: of what wrote it.
    """

    variables: list[Variable]
    asset_paths: list[Asset]

    def __init__(self, loader: GraphLoader) -> None:
        self._loader = loader
        self.tensorflow_version = str(loader.meta.meta_info_def.tensorflow_version)
        self.tensorflow_git_version = str(loader.meta.meta_info_def.tensorflow_git_version)
        self.initializer = LoadedObject()

    def _saved_children(self) -> dict[str, object]:
        return {"variables": self.variables, "asset_paths": self.asset_paths, "initializer": self.initializer}

    @property
    def graph(self) -> FuncGraph:
        """All nodes but those that cannot run here: those that save, say."""
        return self._loader.whole_graph()

    def prune(
        self, feeds: Any, fetches: Any, name: str | None = None, input_signature: object = None
    ) -> ConcreteFunction:
        """The function from tensors of the graph to others; `fetches` may be nested, and name operations, which give None.

        Tensors are named "x:0", or are those of `graph`.

        Raises:
          KeyError: the graph has no such tensor or operation.
          ValueError: what is fetched needs a placeholder that is not fed.
        """
        return self._loader.pruned(feeds, fetches, name or "pruned")

    def restore(self, save_path: Any) -> None:
        """Reads the values of the variables from another checkpoint.

        Raises:
          DataLossError: it is damaged.
          NotFoundError: there is none, or it lacks a variable.
        """
        self._loader.restore(os.fspath(save_path))


class GraphLoader:
    """One SavedModel of TensorFlow 1."""

    def __init__(self, folder: str, meta: Any, skip_values: bool) -> None:
        self.folder = folder
        self.meta = meta
        self.skip_values = skip_values
        self.parts = GraphParts(meta.graph_def, folder)
        self.whole: FuncGraph | None = None
        self.variables: list[Variable] = []

    def refuse(self, why: str) -> errors.InvalidArgumentError:
        return errors.InvalidArgumentError(None, None, f"{self.folder}: {why}")

    def load(self) -> LoadedGraph:
        """The object, with its variables restored and its tables filled."""
        root = LoadedGraph(self)
        tables = self.make_objects()
        root.variables = self.variables
        vars(root.initializer).update({f"table_{i}": table for i, table in enumerate(tables)})
        prefix = os.path.join(self.folder, VARIABLES)
        if not self.skip_values and self.meta.saver_def.restore_op_name and os.path.exists(f"{prefix}.index"):
            self.restore(prefix)
        assets = self.assets()
        root.asset_paths = list(assets.values())
        self.initialize(assets)
        held: dict[str, ConcreteFunction | errors.OpError] = {}
        for name in sorted(set(self.meta.signature_def) - _NO_SIGNATURES):
            try:
                held[name] = self.signature(name, self.meta.signature_def[name])
            except errors.UnimplementedError as error:
                held[name] = error
        vars(root)["signatures"] = LoadedSignatures(held)
        return root

    def whole_graph(self) -> FuncGraph:
        if self.whole is None:
            self.whole = self.parts.whole()
        return self.whole

    # --- objects ---
    def make_objects(self) -> list[RestoredTable]:
        described = self.described()
        first: dict[tuple[str, str], str] = {}  # by kind and shared name, the node that gives the handle
        tables = []
        for name, node in self.parts.nodes.items():
            if node.op != VarHandleOp.type and not node.op.startswith(_TABLES):
                continue
            shared = node.attr["shared_name"].s.decode("utf-8", "replace") if "shared_name" in node.attr else ""
            known = first.setdefault((node.op, shared or name), name)
            if known != name:
                self.parts.same[name] = known
            elif node.op == VarHandleOp.type:
                self.variables.append(self.variable(name, node, described.get(name)))
                self.parts.handles[name] = self.variables[-1].handle
            else:
                tables.append(self.table(name))
                self.parts.handles[name] = tables[-1].resource_handle
        order = {name: i for i, name in enumerate(described)}
        self.variables.sort(key=lambda v: order.get(v.storage.name, len(order)))
        return tables

    def described(self) -> dict[str, Any]:
        """What collections say of variables, by name of the node, in order."""
        found: dict[str, Any] = {}
        for collection in sorted(self.meta.collection_def, key=lambda k: (k != "variables", k)):
            for data in self.meta.collection_def[collection].bytes_list.value if "variables" in collection else ():
                told = self.message("VariableDef", data, f"collection {collection!r}")
                kept = found.setdefault(told.variable_name.partition(":")[0], told)
                kept.trainable = kept.trainable or told.trainable or collection == "trainable_variables"
        return found

    def message(self, kind: str, data: bytes, what: str) -> Any:
        message = message_class(kind)()
        try:
            message.ParseFromString(data)
        except Exception as error:  # the class of the error depends on the protobuf runtime
            raise self.refuse(f"{what} cannot be read: {error}") from None
        return message

    def variable(self, name: str, node: Any, told: Any) -> Variable:
        what = f"{self.folder}: variable {name!r}"
        dims = read_dims(node.attr["shape"].shape, what) if "shape" in node.attr else None
        storage = Storage(read_dtype(node.attr["dtype"].type, what), dims, name, told is not None and told.trainable)
        try:
            synchronization = VariableSynchronization(told.synchronization if told is not None else 0)
            aggregation = VariableAggregation(told.aggregation if told is not None else 0)
        except ValueError as error:
            raise self.refuse(f"variable {name!r}: {error}") from None
        return Variable.over(storage, synchronization, aggregation)

    def table(self, name: str) -> RestoredTable:
        made = self.function(f"{self.folder}: table {name!r}", [], [name])()
        if not isinstance(made, EagerTensor) or not isinstance(behind(made), Table):
            raise self.refuse(f"node {name!r} makes no table")
        found = RestoredTable()
        found.made(made)
        return found

    # --- functions ---
    def function(
        self, what: str, feeds: list[Feed], fetches: list[str], given: Described | None = None,
        keywords: list[str] | None = None,
    ) -> ConcreteFunction:  # fmt: skip
        """The function of a part of the graph: from tensors, by position or by `keywords`, to what `given` describes."""
        graph, captured = self.parts.part(what, feeds, fetches)
        handles = {id(t) for t in captured}
        graph.variables_used = [v for v in self.variables if id(v.handle) in handles]
        arguments = graph.inputs[: len(graph.inputs) - len(captured)]
        taken: Any = (tuple([TensorSpec(v.dims, v.dtype, v.node.name) for v in arguments]), {})
        if keywords is not None:
            taken = ((), {k: TensorSpec(v.dims, v.dtype, k) for k, v in zip(keywords, arguments)})
        results: Any = _one_or_none if given is None else given
        return concrete_function(graph, taken, results(iter(graph.outputs)), captured, None, what)

    def signature(self, name: str, message: Any) -> ConcreteFunction:
        what = f"{self.folder}: signature {name!r}"
        feeds: list[Feed] = []
        keywords: list[str] = []
        for key in sorted(message.inputs):
            for part, edge in self.components(message.inputs[key], f"{what}: input {key!r}"):
                keywords.append(f"{key}{part}")
                whole = not part
                feeds.append(self.feed(edge, message.inputs[key] if whole else None))
        fetches: list[str] = []
        specs: dict[str, TypeSpec | None] = {}
        for key in sorted(message.outputs):
            info = message.outputs[key]
            specs[key] = self.spec(info, f"{what}: output {key!r}")
            fetches += [self.fetch(edge) for _, edge in self.components(info, f"{what}: output {key!r}")]
        try:
            return self.function(what, feeds, fetches, lambda found: _results(specs, found), keywords)
        except KeyError as error:
            raise self.refuse(f"signature {name!r}: {error.args[0]}") from None

    def components(self, info: Any, what: str) -> list[tuple[str, str]]:
        """The tensors of a `TensorInfo`, each with what its name ends in."""
        kind = info.WhichOneof("encoding")
        if kind == "coo_sparse":
            sparse = info.coo_sparse
            return [
                ("_indices", sparse.indices_tensor_name), ("_values", sparse.values_tensor_name),
                ("_dense_shape", sparse.dense_shape_tensor_name),
            ]  # fmt: skip
        if kind == "composite_tensor":
            return [(f"_component_{i}", part.name) for i, part in enumerate(info.composite_tensor.components)]
        if kind != "name":
            raise self.refuse(f"{what} names no tensor")
        return [("", info.name)]

    def spec(self, info: Any, what: str) -> TypeSpec | None:
        """What an output is, where it is more than one tensor."""
        kind = info.WhichOneof("encoding")
        if kind == "coo_sparse":
            return SparseTensorSpec(read_dims(info.tensor_shape, what), read_dtype(info.dtype, what))
        if kind == "composite_tensor":
            message = message_class("StructuredValue")()
            message.type_spec_value.CopyFrom(info.composite_tensor.type_spec)
            found = read_value(message, what)
            if isinstance(found, TypeSpec) and not isinstance(found, TensorSpec):
                return found
            raise self.refuse(f"{what} is of a kind that does not exist here")
        return None

    def feed(self, name: str, info: Any = None) -> Feed:
        """A tensor as one that is fed: what is known of it comes from its placeholder, or from `info`."""
        try:
            node_name, edge = edge_of(name)
        except KeyError as error:
            raise self.refuse(error.args[0]) from None
        node = self.parts.nodes.get(node_name)
        if node is not None and node.op == Placeholder.type:
            shape = node.attr["shape"].shape if "shape" in node.attr else None
            return Feed(edge, node.attr["dtype"].type, shape)
        if info is not None:
            return Feed(edge, info.dtype, info.tensor_shape)
        tensor = self.whole_graph().get_tensor_by_name(f"{edge}:0" if ":" not in edge else edge)
        return Feed(edge, tensor.dtype.as_datatype_enum)

    def fetch(self, name: str) -> str:
        try:
            return edge_of(name)[1]
        except KeyError as error:
            raise self.refuse(error.args[0]) from None

    def pruned(self, feeds: Any, fetches: Any, name: str) -> ConcreteFunction:
        """See `LoadedGraph.prune`."""
        given = [self.feed(_name_of(f)) for f in flatten(feeds)]
        leaves = [_name_of(f) for f in flatten(fetches)]
        edges = [edge_of(leaf)[1] if ":" in leaf else f"^{leaf}" for leaf in leaves]

        def results(found: Iterator[Value]) -> Any:
            return pack_like(fetches, [None if e.startswith("^") else _tensor_spec(next(found)) for e in edges])

        return self.function(name, given, edges, results)

    # --- values ---
    def restore(self, prefix: str) -> None:
        """Runs the nodes that restore variables, on what a checkpoint holds."""
        operation = f"^{self.meta.saver_def.restore_op_name.partition(':')[0]}"
        feeds: list[Feed] = []
        with Bundle(prefix) as bundle:
            values: list[EagerTensor] = []
            for name, node in self.parts.nodes.items():
                if node.op == _RESTORE:
                    for i, (array, dtype) in enumerate(self.restored(node, bundle)):
                        feeds.append(Feed(name if i == 0 else f"{name}:{i}", dtype.as_datatype_enum))
                        values.append(EagerTensor(array, dtype))
            try:
                run = self.function(f"{self.folder}: restoring", feeds, [operation], lambda _: None)
            except KeyError as error:
                raise self.refuse(error.args[0]) from None
            run(*values)

    def restored(self, node: Any, bundle: Bundle) -> Iterator[tuple[Any, DType]]:
        """The values that a node which restores gives, with their dtypes."""
        what = f"{self.folder}: node {node.name!r} ({node.op})"
        dtypes = [read_dtype(n, what) for n in node.attr["dtypes"].list.type]
        inputs = [self.constant(edge, what) for edge in node.input[1:3]]
        if len(inputs) != 2 or not len(inputs[0]) == len(inputs[1]) == len(dtypes):
            raise self.refuse(f"{what} has other numbers of names, slices and dtypes")
        for name, part, dtype in zip(*inputs, dtypes):
            array = bundle.read_part(name.decode("utf-8", "replace"), part.decode("utf-8", "replace"))
            if bundle.entry(name.decode()).dtype is not dtype:
                raise self.refuse(f"{what}: {name!r} is no {dtype.name} in {bundle.prefix!r}")
            yield array, dtype

    def constant(self, edge: str, what: str) -> list[bytes]:
        """The strings of a constant input."""
        node = self.parts.nodes.get(edge_of(edge)[0])
        if node is None or node.op != Const.type or "value" not in node.attr:
            raise self.refuse(f"{what}: its input {shown(edge)} is no constant")
        array = read_tensor(node.attr["value"].tensor, what)
        if array.dtype != object:
            raise self.refuse(f"{what}: its input {shown(edge)} holds no strings")
        return [bytes(v) for v in np.reshape(array, -1)]

    # --- tables and local variables ---
    def assets(self) -> dict[str, Asset]:
        """The files that came with the graph, by the tensor that holds the path."""
        entries = list(self.meta.asset_file_def)
        if not entries and _ASSETS in self.meta.collection_def:
            held = self.meta.collection_def[_ASSETS].any_list.value
            entries = [self.message("AssetFileDef", v.value, f"collection {_ASSETS!r}") for v in held]
        return {self.fetch(e.tensor_info.name): asset_of(self.folder, e.filename) for e in entries}

    def initialize(self, assets: dict[str, Asset]) -> None:
        """Runs the operation that fills tables and sets local variables; what the file says, or else all of those."""
        feeds = [Feed(edge, string.as_datatype_enum, asset=asset.asset_path) for edge, asset in assets.items()]
        named = [self.meta.signature_def[_INIT].outputs[_INIT].name] if _INIT in self.meta.signature_def else []
        for collection in _INIT_COLLECTIONS:
            if not named and collection in self.meta.collection_def:
                named = list(self.meta.collection_def[collection].node_list.value)
        if not named:
            named = list(self.meta.collection_def[_TABLE_INIT].node_list.value)
            for data in self.meta.collection_def[_LOCAL].bytes_list.value:
                named.append(self.message("VariableDef", data, f"collection {_LOCAL!r}").initializer_name)
        operations = [f"^{n.partition(':')[0]}" for n in named if n]
        if operations:
            try:
                self.function(f"{self.folder}: initializing", feeds, operations, lambda _: None)()
            except KeyError as error:
                raise self.refuse(error.args[0]) from None


def _tensor_spec(value: Value) -> TensorSpec:
    return TensorSpec(value.dims, value.dtype)


def _one_or_none(found: Iterator[Value]) -> TensorSpec | None:
    return next((_tensor_spec(v) for v in found), None)


def _results(specs: dict[str, TypeSpec | None], found: Iterator[Value]) -> dict[str, Any]:
    """The structure of results; what is one tensor is described by the graph."""
    made: dict[str, Any] = {}
    for key, spec in specs.items():
        if spec is None:
            made[key] = _tensor_spec(next(found))
        else:
            described: Any = spec
            made[key] = spec
            for _ in described.component_specs:
                next(found)
    return made


def _name_of(element: object) -> str:
    """The name of a tensor or operation, as the file has it."""
    if isinstance(element, Operation):
        return element.name
    return element if isinstance(element, str) else str(getattr(element, "name", element))
