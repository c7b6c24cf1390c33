"""`tf.saved_model.load`: what `save` wrote, here or in TensorFlow, without the Python source.

Nothing in the directory is believed and nothing in it is executed but graphs. A function that opens files is refused when
it is called, unless they are files of the directory itself (assets).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from autograph.backends import Progress
from graphrt import errors
from graphrt.autodiff.backprop import GRADIENT_NAME
from graphrt.autodiff.custom import named_rule
from graphrt.function import extension_type as _extension_type  # noqa: F401  specs in files name such types
from graphrt.function.concrete import ConcreteFunction
from graphrt.graphdef.importer import Library, listed
from graphrt.graphdef.read_values import read_dims, read_dtype, read_tensor
from graphrt.graphdef.structured_values import read_value
from graphrt.ops.io.files import local_path
from graphrt.resources.table_ops import Table
from graphrt.saving.assets import Asset, asset_of, opens_others
from graphrt.saving.bundle import Bundle
from graphrt.saving.directories import place_of, read_whole
from graphrt.saving.load_tensorflow1 import GraphLoader
from graphrt.saving.loaded import LoadedObject, LoadedSignatures, RestoredTable
from graphrt.saving.objects import parts_of
from graphrt.saving.restored_function import RestoredFunction, concrete_function, signature_of
from graphrt.saving.restoring import object_graph
from graphrt.saving.save import GRAPH_FILE, VARIABLES
from graphrt.saving.saved_gradients import GradientOfFile
from graphrt.saving.saved_model_file import read_saved_model
from graphrt.state.policies import VariableAggregation, VariableSynchronization
from graphrt.state.storage import Storage
from graphrt.state.variable import Variable
from graphrt.tensor.context import current_graph, init_scope
from graphrt.tensor.func_graph import Const, FuncGraph
from graphrt.tensor.queries import get_logger
from graphrt.tensor.tensor import EagerTensor, Tensor, behind
from graphrt.types.nesting import shown

__all__ = ["LoadOptions", "contains_saved_model", "load"]

_MAX_OBJECTS = 1_000_000


class LoadOptions:
    """How a SavedModel is read: accepted, so that programs run; there is one device and one file system here.

    >>> import graphrt as tf
    >>> tf.saved_model.LoadOptions(allow_partial_checkpoint=True).allow_partial_checkpoint
    True
    """

    def __init__(
        self, allow_partial_checkpoint: bool = False, experimental_io_device: Any = None,
        experimental_skip_checkpoint: bool = False, experimental_variable_policy: Any = None,
        experimental_load_function_aliases: bool = False,
    ) -> None:  # fmt: skip
        self.allow_partial_checkpoint = allow_partial_checkpoint
        self.experimental_io_device = experimental_io_device
        self.experimental_skip_checkpoint = experimental_skip_checkpoint
        self.experimental_variable_policy = experimental_variable_policy
        self.experimental_load_function_aliases = experimental_load_function_aliases


# --- the file --------------------------------------------------------------------------------------------------------
def contains_saved_model(export_dir: Any) -> bool:
    """Whether a directory holds a SavedModel.

    >>> import graphrt as tf
    >>> tf.saved_model.contains_saved_model("/no/such/place")
    False
    """
    folder = place_of(local_path(export_dir))
    return any(os.path.isfile(os.path.join(folder, GRAPH_FILE + end)) for end in ("", "txt"))


def _chosen(message: Any, tags: Any, path: str) -> Any:
    wanted = None if tags is None else {tags} if isinstance(tags, str) else set(tags)
    found = [m for m in message.meta_graphs if wanted is None or set(m.meta_info_def.tags) == wanted]
    if not found:
        there = [sorted(m.meta_info_def.tags) for m in message.meta_graphs]
        raise ValueError(
            errors.at_user_line(f"{path!r} holds no graph with the tags {sorted(wanted or ())}, but {there}")
        )
    if len(found) > 1:
        there = [sorted(m.meta_info_def.tags) for m in found]
        raise ValueError(errors.at_user_line(f"{path!r} holds several graphs: say which with `tags`, of {there}"))
    return found[0]


def load(export_dir: Any, tags: Any = None, options: LoadOptions | None = None) -> Any:
    """The object that was saved in a directory: its variables, tables and functions, and its `signatures`.

    A function of it can be called with arguments that fit one of its traces, also in other functions and under a
    `tf.GradientTape`. Variables can be trained further, and the object can be saved again.

    >>> import graphrt as tf, os, tempfile
    >>> class Counter(tf.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.n = tf.Variable(0)
    ...     @tf.function(input_signature=[])
    ...     def step(self):
    ...         return self.n.assign_add(1)
    >>> path = os.path.join(tempfile.mkdtemp(), "counter")
    >>> tf.saved_model.save(Counter(), path)
    >>> again = tf.saved_model.load(path)
    >>> _ = again.step()
    >>> again.step().numpy().item(), again.n.numpy().item()
    (2, 2)

    Raises:
      DataLossError: a file is damaged.
      InvalidArgumentError: the graphs or objects are malformed, or inconsistent.
      NotFoundError: there is no SavedModel, or a file of it is missing.
      PermissionDeniedError: a table is filled from a file that the directory does not hold. A function that opens one
        raises this when it is called.
      ValueError: there is no graph with these tags.
    """
    if current_graph() is not None:
        raise RuntimeError(errors.at_user_line("tf.saved_model.load cannot be called while a function is traced"))
    with init_scope():
        return read_whole(
            local_path(export_dir), GRAPH_FILE, lambda: _loaded(export_dir, tags, options or LoadOptions())
        )


def _loaded(export_dir: Any, tags: Any, options: LoadOptions) -> Any:
    folder, message = read_saved_model(export_dir)
    meta = _chosen(message, tags, os.fspath(export_dir))
    of_tensorflow1 = not meta.HasField("object_graph_def")
    loader = (
        GraphLoader(folder, meta, options.experimental_skip_checkpoint)
        if of_tensorflow1
        else _Loader(folder, meta, options)
    )
    try:
        return loader.load()
    except RecursionError:
        raise errors.InvalidArgumentError(None, None, f"{folder}: functions are nested too deep") from None


class _Loader:
    """One SavedModel while it is being loaded."""

    def __init__(self, folder: str, meta: Any, options: LoadOptions) -> None:
        self.folder = folder
        self.meta = meta
        self.options = options
        self.graph = meta.object_graph_def
        self.library = Library(meta.graph_def.library, meta.graph_def.versions.producer)
        self.library.apart = True
        self.gradients = {
            told.registered_op_type: told.gradient_func for told in meta.graph_def.library.registered_gradients
        }
        if self.gradients:
            self.library.more_attrs = self.gradient_attrs
        self.opens_files = False  # whether some function has got an asset, which it may open
        self.things: list[Any] = []
        self.names: dict[int, str] = {}  # what objects are called by the first that has them
        self.traces: dict[str, ConcreteFunction | errors.OpError] = {}
        self.constants: dict[str, Any] = {}

    def refuse(self, why: str) -> errors.InvalidArgumentError:
        return errors.InvalidArgumentError(None, None, f"{self.folder}: {why}")

    def load(self) -> Any:
        count = len(self.graph.nodes)
        if not 1 <= count <= _MAX_OBJECTS:
            raise self.refuse(f"{count} objects")
        self.check_numbers(count)
        for node in self.graph.nodes:
            for child in node.children:
                self.names.setdefault(child.node_id, child.local_name)
        self.constants = {n.name: n for n in self.meta.graph_def.node if n.op == Const.type}
        self.things = [None] * count
        for number, node in enumerate(self.graph.nodes):
            self.things[number] = self.made(number, node)
        self.make_tables()
        with Progress("loading functions", count, "objects", after=1.0) as progress:
            for number, node in enumerate(self.graph.nodes):
                if node.WhichOneof("kind") == "bare_concrete_function":
                    self.things[number] = self.bare(number, node.bare_concrete_function)
                elif node.WhichOneof("kind") == "function":
                    self.things[number] = self.function(number, node.function)
                progress.step()
        self.connect()
        root = self.things[0]
        self.restore_values()
        self.fill_tables()
        return root

    def check_numbers(self, count: int) -> None:
        for i, node in enumerate(self.graph.nodes):
            for reference in (*node.children, *node.dependencies):
                if not 0 <= reference.node_id < count:
                    raise self.refuse(f"object {i} has the part {shown(reference.local_name)}, which does not exist")
        for name, saved in self.graph.concrete_functions.items():
            if any(not 0 <= b < count for b in saved.bound_inputs):
                raise self.refuse(f"function {name!r} captured an object that does not exist")

    # --- objects ---
    def made(self, number: int, node: Any) -> Any:
        kind = node.WhichOneof("kind")
        if kind == "user_object":
            return self.user_object(node.user_object)
        if kind == "variable":
            return self.variable(number, node.variable)
        if kind == "constant":
            return self.constant(node.constant.operation)
        if kind == "asset":
            return self.asset(node.asset.asset_file_def_index)
        if kind == "resource":
            return RestoredTable()
        if kind in ("function", "bare_concrete_function", "captured_tensor", None):
            return None
        raise errors.UnimplementedError(None, None, f"{self.folder}: object {number} is of the kind {kind!r}")

    def user_object(self, node: Any) -> Any:
        if node.identifier == "trackable_list_wrapper":
            return []
        if node.identifier == "trackable_dict_wrapper":
            return {}
        if node.identifier == "trackable_tuple_wrapper":
            return []  # a tuple once its parts are known
        if node.identifier == "signature_map":
            return LoadedSignatures()
        return LoadedObject()

    def variable(self, number: int, node: Any) -> Variable:
        what = f"{self.folder}: variable {node.name!r}"
        storage = Storage(
            read_dtype(node.dtype, what), read_dims(node.shape, what), node.name or "Variable", node.trainable
        )
        try:
            synchronization = VariableSynchronization(node.synchronization)
            return Variable.over(storage, synchronization, VariableAggregation(node.aggregation))
        except ValueError as error:
            raise self.refuse(f"variable {number}: {error}") from None

    def constant(self, operation: str) -> EagerTensor:
        node = self.constants.get(operation)
        if node is None or "value" not in node.attr:
            raise self.refuse(f"the constant {shown(operation)} does not exist in the graph")
        value = read_tensor(node.attr["value"].tensor, f"constant {shown(operation)}")
        return EagerTensor(value, read_dtype(node.attr["value"].tensor.dtype, operation))

    def asset(self, index: int) -> Asset:
        if not 0 <= index < len(self.meta.asset_file_def):
            raise self.refuse(f"the asset {index} does not exist")
        return asset_of(self.folder, self.meta.asset_file_def[index].filename)

    # --- functions ---
    def bound(self, name: str, inside: FuncGraph | None = None) -> list[Tensor]:
        """What a function captured; a gradient captures tensors of the function `inside` which it is used, too."""
        found: list[Tensor] = []
        for number in self.graph.concrete_functions[name].bound_inputs:
            thing = self.things[number]
            if isinstance(thing, Variable):
                found.append(thing.handle)
            elif isinstance(thing, Asset):
                found.append(thing.asset_path)
            elif isinstance(thing, RestoredTable):
                found.append(thing.resource_handle)
            elif isinstance(thing, EagerTensor):
                found.append(thing)
            elif inside is not None and self.graph.nodes[number].WhichOneof("kind") == "captured_tensor":
                found.append(self.captured_tensor(name, self.graph.nodes[number].captured_tensor, inside))
            elif self.graph.nodes[number].WhichOneof("kind") == "captured_tensor":
                home = self.graph.nodes[number].captured_tensor.concrete_function
                raise errors.UnimplementedError(
                    None, None,
                    f"{self.folder}: function {name!r} uses a tensor of {shown(home)}, in which it was traced: it "
                    "runs as a part of that one only",
                )  # fmt: skip
            else:
                raise self.refuse(f"function {name!r} captured object {number}, which is nothing that can be captured")
        return found

    def captured_tensor(self, name: str, told: Any, inside: FuncGraph) -> Tensor:
        """The tensor of the function `inside` that its gradient `name` captured."""
        try:
            return inside.get_tensor_by_name(told.name)
        except (KeyError, ValueError):
            home = shown(told.concrete_function)
            raise errors.UnimplementedError(
                None, None,
                f"{self.folder}: gradient {name!r} uses the tensor {shown(told.name)} of {home}, which the "
                f"branch or loop {inside.name!r} with the node that it belongs to does not have: what a custom "
                "gradient uses from outside of its branch or loop is not in SavedModels that TensorFlow writes. "
                "Give it to the function as an argument, and save the model again",
            ) from None  # fmt: skip

    def trace(self, name: str, parameters: Any = None) -> ConcreteFunction | errors.OpError:
        """The concrete function `name`; the error, where it uses an op that does not exist, or opens files."""
        known = self.traces.get(name)
        if known is None:
            try:
                known = self.read_trace(name, parameters)
            except errors.PermissionDeniedError:
                known = errors.PermissionDeniedError(
                    None, None, f"{self.folder}: function {name!r} opens a file that is no asset of the SavedModel"
                )
            except errors.UnimplementedError as error:
                known = self.missing(name, error)
            self.traces[name] = known
        return known

    def read_trace(self, name: str, parameters: Any) -> ConcreteFunction:
        if name not in self.graph.concrete_functions:
            raise self.refuse(f"the function {name!r} is not described")
        saved = self.graph.concrete_functions[name]
        what = f"{self.folder}: function {name!r}"
        captured = self.bound(name)
        self.library.behind[name] = [behind(t) for t in captured]
        graph = self.imported(name, what)
        taken = read_value(saved.canonicalized_input_signature, what)
        given = read_value(saved.output_signature, what)
        made = concrete_function(graph, taken, given, captured, parameters, what)
        graph.variables_used = [
            thing for thing in (self.things[n] for n in saved.bound_inputs) if isinstance(thing, Variable)
        ]
        return made

    def gradient_attrs(self, node: Any, graph: FuncGraph) -> dict[str, Any]:
        """The attributes of a node that name a gradient of the user's, which is a function of the file."""
        told = node.attr[GRADIENT_NAME].s.decode("utf-8", "replace") if GRADIENT_NAME in node.attr else ""
        name = self.gradients.get(told, "")
        if name not in self.graph.concrete_functions:
            return {}
        what = f"{self.folder}: gradient {name!r}"
        given = read_value(self.graph.concrete_functions[name].output_signature, what)
        flat = list(given) if isinstance(given, (list, tuple)) else [given]

        def captured() -> list[Tensor]:
            return self.bound(name, graph)

        def function() -> FuncGraph:
            self.library.behind[name] = [behind(t) for t in captured()]
            return self.imported(name, what)

        return named_rule(graph, GradientOfFile(function, captured, flat))

    def missing(self, name: str, error: errors.OpError) -> errors.OpError:
        """`error`, with all ops that the function needs and that do not exist here."""
        absent = self.library.missing_ops(name)
        if not absent:
            return error
        return errors.UnimplementedError(
            None, None,
            f"{self.folder}: function {name!r} uses ops that do not exist here, in these nodes:\n{listed(absent)}",
        )  # fmt: skip

    def bare(self, number: int, node: Any) -> ConcreteFunction | errors.OpError:
        """A concrete function, with the parameters of the Python function if the file tells them."""
        what = f"{self.folder}: function {number}"
        spec = read_value(node.function_spec.fullargspec, what) if node.HasField("function_spec") else None
        by_name = not any(getattr(spec, k, None) for k in ("args", "varargs", "varkw"))
        return self.trace(node.concrete_function_name, None if by_name else signature_of(spec, what))

    def function(self, number: int, node: Any) -> RestoredFunction:
        what = f"{self.folder}: function {number}"
        signature = signature_of(read_value(node.function_spec.fullargspec, what), what)
        declared = read_value(node.function_spec.input_signature, what)
        traces, missing = [], []
        for name in node.concrete_functions:
            found = self.trace(name, signature)
            if isinstance(found, ConcreteFunction):
                traces.append(found)
            else:
                missing.append(found)
        return RestoredFunction(
            self.names.get(number, f"function_{number}"),
            traces,
            signature,
            declared if isinstance(declared, tuple) else None,
            missing,
        )

    # --- tables ---
    def table_function(self, number: int, part: str) -> str | None:
        for child in self.graph.nodes[number].children:
            if child.local_name == part and self.graph.nodes[child.node_id].WhichOneof("kind") == "function":
                names = self.graph.nodes[child.node_id].function.concrete_functions
                return str(names[0]) if names else None
        return None

    def tables(self) -> Iterator[tuple[int, RestoredTable]]:
        for number, thing in enumerate(self.things):
            if isinstance(thing, RestoredTable):
                yield number, thing

    def make_tables(self) -> None:
        for number, table in self.tables():
            name = self.table_function(number, "_create_resource")
            if name is None:
                raise self.refuse(f"nothing makes the resource {number}")
            made = self.run(name)
            if not isinstance(made, EagerTensor) or not isinstance(behind(made), Table):
                raise self.refuse(f"function {name!r} makes no resource")
            table.made(made)

    def fill_tables(self) -> None:
        for number, _ in self.tables():
            name = self.table_function(number, "_initialize")
            if name is not None:
                self.run(name)

    def run(self, name: str) -> Any:
        found = self.trace(name)
        if isinstance(found, errors.OpError):
            raise errors.again(found)
        return found()

    def imported(self, name: str, what: str) -> FuncGraph:
        """The graph of a function, which may open assets that it captured, and no other file."""
        bound = self.graph.concrete_functions[name].bound_inputs
        assets = [isinstance(self.things[n], Asset) for n in bound]
        self.opens_files |= any(assets)
        self.library.files_allowed = any(assets)
        try:
            graph = self.library.function(name, what)
        finally:
            self.library.files_allowed = False
        if self.opens_files:  # functions that were imported for others can be called from here, too
            inputs = graph.inputs[len(graph.inputs) - len(bound) :]
            if opens_others(graph, frozenset(v for v, asset in zip(inputs, assets) if asset)):
                raise errors.PermissionDeniedError(
                    None, None, f"{what} opens a file that is no asset of the SavedModel"
                )
        return graph

    # --- putting it together ---
    def connect(self) -> None:
        for number in reversed(range(len(self.things))):
            thing, node = self.things[number], self.graph.nodes[number]
            inner = {c.local_name: self.things[c.node_id] for c in node.children}
            if isinstance(thing, LoadedSignatures):
                thing.fill({k: v for k, v in inner.items() if isinstance(v, (ConcreteFunction, errors.OpError))})
            elif isinstance(thing, dict):
                thing.update(inner)
            elif isinstance(thing, list):
                order = sorted((k for k in inner if k.isdecimal()), key=int)
                thing.extend(inner[k] for k in order)
        self.make_tuples()
        for number, thing in enumerate(self.things):
            if isinstance(thing, LoadedObject):
                for child in self.graph.nodes[number].children:
                    value = self.things[child.node_id]
                    if isinstance(value, errors.OpError):
                        get_logger().warning("%s", value)
                        continue
                    vars(thing)[child.local_name] = value
        root = self.things[0]
        if isinstance(root, LoadedObject) and not isinstance(
            vars(root).setdefault("signatures", LoadedSignatures()), LoadedSignatures
        ):
            raise self.refuse("what it calls its signatures are none")

    def make_tuples(self) -> None:
        swapped = {
            id(thing): tuple(thing) for thing, node in zip(self.things, self.graph.nodes)
            if node.user_object.identifier == "trackable_tuple_wrapper"
        }  # fmt: skip
        if swapped:
            for thing in self.things:
                if isinstance(thing, list):
                    thing[:] = [swapped.get(id(v), v) for v in thing]
                elif isinstance(thing, dict):
                    thing.update({k: swapped.get(id(v), v) for k, v in thing.items()})
            self.things = [swapped.get(id(thing), thing) for thing in self.things]

    def restore_values(self) -> None:
        """Reads the variables, by the names that lead to them; all of them must get a value."""
        if self.options.experimental_skip_checkpoint:
            return
        variables = [thing for thing in self.things if isinstance(thing, Variable)]
        prefix = os.path.join(self.folder, VARIABLES)
        if not variables and not os.path.exists(f"{prefix}.index"):
            return
        with Bundle(prefix) as bundle:
            saved = object_graph(bundle)
            for number, node in self.pairs(saved):
                thing = self.things[number]
                for part in parts_of(thing) if isinstance(thing, (Variable, RestoredTable)) else ():
                    for attribute in saved.nodes[node].attributes:
                        if attribute.name == part.name:
                            arrays = [bundle.read(attribute.checkpoint_key + suffix) for suffix in part.suffixes]
                            part.check(arrays, attribute.checkpoint_key)
                            part.write(arrays)
        left = [v.name for v in variables if not v.storage.initialized]
        if left and not self.options.allow_partial_checkpoint:
            raise errors.DataLossError(
                None, None, f"{self.folder}: the variables {left[:10]} have no value in {prefix!r}"
            )

    def pairs(self, saved: Any) -> list[tuple[int, int]]:
        """The objects here with those of the checkpoint, which are numbered otherwise: the names of parts agree."""
        found = [(0, 0)]
        seen = {0}
        for number, node in found:
            there = {c.local_name: c.node_id for c in saved.nodes[node].children}
            for child in self.graph.nodes[number].children:
                if child.local_name in there and child.node_id not in seen:
                    seen.add(child.node_id)
                    found.append((child.node_id, there[child.local_name]))
        return found
