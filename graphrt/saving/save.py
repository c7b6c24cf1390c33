"""`tf.saved_model.save`: a module with its functions, variables and tables as a directory that TensorFlow runs.

    DIR/saved_model.pb         graphs, objects, signatures
    DIR/variables/variables.*  a checkpoint of the variables

Format: https://www.tensorflow.org/guide/saved_model, and tensorflow/core/protobuf/saved_object_graph.proto.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from typing import Any

import numpy as np

from autograph.backends import Progress
from graphrt import errors
from graphrt.function.call import call_graph
from graphrt.function.concrete import ConcreteFunction
from graphrt.function.function import Function
from graphrt.graphdef.export import graph_def_with, write_shape, write_tensor
from graphrt.graphdef.schema import message_class
from graphrt.graphdef.structured_values import encoded
from graphrt.ops.array.identity import Identity
from graphrt.ops.io.crc32c import masked_crc32c
from graphrt.ops.io.files import local_path
from graphrt.ops.sparse.tensor import SparseTensorSpec
from graphrt.saving import saved_model_names
from graphrt.saving.assets import Asset
from graphrt.saving.bundle import write_bundle
from graphrt.saving.checkpoint import tensors_of
from graphrt.saving.directories import written_whole
from graphrt.saving.objects import children, is_trackable, key_of, walk
from graphrt.saving.restored_function import RestoredFunction
from graphrt.saving.saved_objects import (
    Captured,
    CapturedTensor,
    Resource,
    SavedObjects,
    SignatureMap,
    Trace,
    TracedFunction,
    can_be_signature,
    functions_of,
    table_op,
)
from graphrt.state.resource_ops import AssignVariableOp, ReadVariableOp, VarHandleOp
from graphrt.state.variable import Variable
from graphrt.tensor.context import building, current_graph, init_scope
from graphrt.tensor.func_graph import Const, FuncGraph, Placeholder
from graphrt.tensor.scopes import NoOp
from graphrt.tensor.tensor import SymbolicTensor
from graphrt.types import dtype as dtypes
from graphrt.types.nesting import shown
from graphrt.types.shape import dims_of
from graphrt.types.spec import TensorSpec
from graphrt.version import TENSORFLOW_VERSION

__all__ = ["CHECKED", "DEFAULT_SIGNATURE", "FINGERPRINT_FILE", "GRAPH_FILE", "VARIABLES", "SaveOptions", "save"]

DEFAULT_SIGNATURE = saved_model_names.DEFAULT_SERVING_SIGNATURE_DEF_KEY
GRAPH_FILE = saved_model_names.SAVED_MODEL_FILENAME_PB
FINGERPRINT_FILE = "fingerprint.pb"
CHECKED = "graphrt: masked crc32c of saved_model.pb"  # who wrote it; others have checksums of other kinds
VARIABLES = os.path.join("variables", "variables")
# what a SavedModel is made of, be it of other writers: all that saving replaces in a directory
_OWN = frozenset({
    GRAPH_FILE, saved_model_names.SAVED_MODEL_FILENAME_PBTXT, FINGERPRINT_FILE, f"{VARIABLES}.*",
    os.path.join("assets", "*"), os.path.join("debug", "saved_model_debug_info.pb"), "keras_metadata.pb",
})  # fmt: skip
_METHOD = "tensorflow/serving/predict"
_INIT = "__saved_model_init_op"
_CONTAINERS = {list: "trackable_list_wrapper", tuple: "trackable_tuple_wrapper", dict: "trackable_dict_wrapper"}


class SaveOptions:
    """How a SavedModel is written: accepted, so that programs run; there is one device and one file system here.

    >>> import graphrt as tf
    >>> tf.saved_model.SaveOptions(save_debug_info=True).save_debug_info
    True
    """

    def __init__(
        self, namespace_whitelist: Any = None, save_debug_info: bool = False, function_aliases: Any = None,
        experimental_debug_stripper: bool = False, experimental_io_device: Any = None,
        experimental_variable_policy: Any = None, experimental_custom_gradients: bool = True,
        experimental_image_format: bool = False, experimental_skip_saver: bool = False,
        experimental_sharding_callback: Any = None, extra_tags: Any = None,
    ) -> None:  # fmt: skip
        self.namespace_whitelist = namespace_whitelist
        self.save_debug_info = save_debug_info
        self.function_aliases = dict(function_aliases or {})
        self.experimental_debug_stripper = experimental_debug_stripper
        self.experimental_io_device = experimental_io_device
        self.experimental_variable_policy = experimental_variable_policy
        self.experimental_custom_gradients = experimental_custom_gradients
        self.experimental_image_format = experimental_image_format
        self.experimental_skip_saver = experimental_skip_saver
        self.experimental_sharding_callback = experimental_sharding_callback
        self.extra_tags = extra_tags


def save(obj: Any, export_dir: Any, signatures: Any = None, options: SaveOptions | None = None) -> None:
    """Writes `obj` (a module, a layer, or another object with parts) into the directory `export_dir`.

    What is saved: its variables and tables, and each `tf.function` that belongs to it, with the traces it has, and the one
    that its `input_signature` declares. `signatures` (a function, or a dictionary of functions) are for servers, which
    call by name: they take tensors and give a dictionary of tensors. The directory appears whole, or not at all; a model
    that stood there before is replaced, with all files in its `assets`; other files that stand there stay.

    >>> import graphrt as tf, os, tempfile
    >>> class Scale(tf.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.factor = tf.Variable(2.0)
    ...     @tf.function(input_signature=[tf.TensorSpec([None])])
    ...     def __call__(self, x):
    ...         return x * self.factor
    >>> path = os.path.join(tempfile.mkdtemp(), "scale")
    >>> tf.saved_model.save(Scale(), path)
    >>> sorted(os.listdir(path))
    ['fingerprint.pb', 'saved_model.pb', 'variables']
    >>> tf.saved_model.load(path)([1.0, 2.0]).numpy().tolist()
    [2.0, 4.0]

    Raises:
      OSError: the directory cannot be written; what stood there before is unchanged.
      ValueError: `obj` has no parts, a signature is no function of tensors, or a function uses something that cannot
        leave the process: a Python function, or a variable that does not belong to `obj`.
    """
    if current_graph() is not None:
        raise RuntimeError(errors.at_user_line("tf.saved_model.save cannot be called while a function is traced"))
    if not is_trackable(obj) or isinstance(obj, (Variable, Function, ConcreteFunction)):
        raise ValueError(
            errors.at_user_line(
                f"Expected an object with parts for export (a tf.Module, a layer, a model, a checkpoint), got {obj!r}. To "
                "save a function, make it an attribute of a tf.Module."
            )
        )
    if not os.fspath(export_dir):
        raise ValueError(
            errors.at_user_line("export_dir is empty: give the directory to save into, '.' for the current one")
        )
    if signatures is None:
        signatures = _found_signature(obj)
    errors.expect(options, (SaveOptions, type(None)), "options", "a tf.saved_model.SaveOptions, or None")
    with_gradients = options is None or options.experimental_custom_gradients
    objects = SavedObjects(obj, _concrete_signatures(signatures), with_gradients)
    message = message_class("SavedModel")(saved_model_schema_version=1)
    meta = message.meta_graphs.add()
    meta.meta_info_def.tags.append(saved_model_names.SERVING)
    meta.meta_info_def.tensorflow_version = TENSORFLOW_VERSION
    with Progress("saving the graphs", after=2.0, beat=True):
        names = _write_graphs(meta, objects, obj)
        _write_objects(meta.object_graph_def, objects, names)
    tensors = tensors_of(obj, variables_only=True)
    with written_whole(local_path(export_dir), _OWN) as folder:
        write_bundle(os.path.join(folder, VARIABLES), tensors)
        for number, index in names.assets.items():
            os.makedirs(os.path.join(folder, "assets"), exist_ok=True)
            target = os.path.join(folder, "assets", meta.asset_file_def[index].filename)
            shutil.copyfile(os.fspath(objects.things[number]), target)  # type: ignore[call-overload]
        data = message.SerializeToString(deterministic=True)
        with open(os.path.join(folder, GRAPH_FILE), "wb") as file:
            file.write(data)
        with open(os.path.join(folder, FINGERPRINT_FILE), "wb") as file:
            file.write(_fingerprint(data))


def _fingerprint(data: bytes) -> bytes:
    """What `fingerprint.pb` holds: the checksum by which `load` knows that the graph is whole."""
    made = message_class("FingerprintDef")(saved_model_checksum=masked_crc32c(data), uuid=CHECKED)
    return bytes(made.SerializeToString(deterministic=True))


def _found_signature(obj: Any) -> ConcreteFunction | Function | None:
    """What becomes the default signature when none is given: what the object says (`default_signature`, as models of
    keras have), or the one function of it that declares its arguments and takes and gives tensors."""
    own = getattr(obj, "default_signature", None)
    if own is not None:
        found: Function | None = own()
        return found
    parts = {**functions_of(obj), **children(obj)}.values()
    declared = [p for p in parts if isinstance(p, ConcreteFunction)]
    declared += [
        p.get_concrete_function() for p in parts
        if isinstance(p, (Function, RestoredFunction)) and p.input_signature is not None
    ]  # fmt: skip
    usable = [c for c in declared if can_be_signature(c)]
    return usable[0] if len(usable) == 1 else None


def _concrete_signatures(signatures: Any) -> dict[str, ConcreteFunction]:
    if signatures is None:
        return {}
    given = signatures if isinstance(signatures, Mapping) else {DEFAULT_SIGNATURE: signatures}
    found = {}
    for name, function in given.items():
        if not isinstance(name, str):
            raise ValueError(errors.at_user_line(f"the names of signatures are strings, found {name!r}"))
        if name == _INIT:
            raise ValueError(errors.at_user_line(f"the signature name {name!r} is taken"))
        if isinstance(function, (Function, RestoredFunction)):
            function = _only_trace(name, function)
        if not isinstance(function, ConcreteFunction):
            raise ValueError(
                errors.at_user_line(
                    f"Expected a tf.function, or what its get_concrete_function gives, for the signature {name!r}; found "
                    f"{shown(function)}"
                )
            )
        found[name] = function
    return found


def _only_trace(name: str, function: Function | RestoredFunction) -> ConcreteFunction:
    if function.input_signature is not None:
        return function.get_concrete_function()
    if isinstance(function, RestoredFunction):
        traces = function.concrete_functions
    else:
        traces = function.list_all_concrete_functions()
    if len(traces) == 1:
        return traces[0]
    raise ValueError(
        errors.at_user_line(
            f"the signature {name!r} is a tf.function with {len(traces)} traces and no input_signature, so it is not clear "
            "which one is meant. Give what function.get_concrete_function(...) returns."
        )
    )


# --- graphs ----------------------------------------------------------------------------------------------------------
class _Names:
    """What things are called in the main graph, and traces in the library."""

    def __init__(self) -> None:
        self.variables: dict[int, str] = {}
        self.constants: dict[int, str] = {}
        self.functions: dict[int, str] = {}
        self.assets: dict[int, int] = {}


def _write_graphs(meta: Any, objects: SavedObjects, root: object) -> _Names:
    """The main graph, by which servers run signatures, and the library."""
    main = FuncGraph()
    names = _Names()
    handles: dict[int, SymbolicTensor] = {}
    inits: list[str] = []
    with init_scope(), building(main):
        for number, thing in enumerate(objects.things):
            if isinstance(thing, Variable):
                handle = VarHandleOp(dtype=thing.dtype, shape=thing.dims, name=thing.storage.name)
                node = handle.value.node
                node.attrs["shared_name"] = names.variables[number] = node.name
                handles[number] = handle
            elif isinstance(thing, Captured):
                handles[number] = main.constant(np.asarray(thing.tensor))
                names.constants[number] = handles[number].value.node.name
            elif isinstance(thing, Asset):
                handles[number] = main.constant(np.array(thing.path.encode(), object))
                names.assets[number] = _write_asset(meta, thing, handles[number])
            elif isinstance(thing, Resource):
                handles[number] = table_op(thing.table.table, f"table_{number}")
        for thing in objects.things:
            if isinstance(thing, Resource):
                (done,) = call_graph(thing.fill.graph, [handles[objects.number_of(b)] for b in thing.fill.bound])
                inits.append(done.value.node.name)
        for name, trace in objects.signatures.items():
            _write_signature(meta.signature_def[name], name, main, trace, objects, handles)
    traces = [t for t in objects.things if isinstance(t, Trace)] + list(objects.gradients.values())
    graph, labels = graph_def_with(main, [t.graph for t in traces])
    meta.graph_def.CopyFrom(graph)
    names.functions = {id(t): labels[id(t.graph)] for t in traces}
    for name, trace in objects.gradients.items():
        meta.graph_def.library.registered_gradients.add(
            gradient_func=names.functions[id(trace)], registered_op_type=name
        )
    if inits:
        node = meta.graph_def.node.add(name=main.unique_name(NoOp.type), op=NoOp.type)
        node.input.extend(f"^{i}" for i in inits)
        info = meta.signature_def[_INIT].outputs[_INIT]
        info.name = node.name
        info.tensor_shape.unknown_rank = True
    _write_saver(meta, main, _saved_variables(objects, names, root))
    return names


def _write_asset(meta: Any, asset: Asset, path: SymbolicTensor) -> int:
    """Notes a file that goes into the directory; gives its number."""
    if not os.path.isfile(asset.path):
        raise errors.NotFoundError(None, None, f"the asset {shown(asset.path)} is no file")
    taken = {entry.filename for entry in meta.asset_file_def}
    name = base = os.path.basename(asset.path)
    count = 0
    while name in taken:
        count += 1
        name = f"{count}_{base}"
    entry = meta.asset_file_def.add(filename=name)
    entry.tensor_info.name = f"{path.value.node.name}:0"
    entry.tensor_info.dtype = path.dtype.as_datatype_enum
    entry.tensor_info.tensor_shape.SetInParent()
    return len(meta.asset_file_def) - 1


def _write_signature(
    message: Any, name: str, main: FuncGraph, trace: Trace, objects: SavedObjects, handles: dict[int, SymbolicTensor]
) -> None:
    message.method_name = _METHOD
    given = []
    for value, keyword in zip(trace.graph.inputs, trace.keywords):
        tensor = main.placeholder(value.dtype, value.dims, f"{name}_{keyword}")
        given.append(tensor)
        _write_info(message.inputs[keyword], tensor)
    results = iter(call_graph(trace.graph, [*given, *(handles[objects.number_of(b)] for b in trace.bound)]))
    for keyword, spec in trace.named.items():
        if isinstance(spec, TensorSpec):
            _write_info(message.outputs[keyword], next(results))
        else:
            _write_parts(message.outputs[keyword], spec, [next(results) for _ in spec.component_specs])


def _write_parts(message: Any, spec: Any, tensors: list[SymbolicTensor]) -> None:
    """What is made of several tensors, as a server is told of it."""
    if isinstance(spec, SparseTensorSpec):
        parts = message.coo_sparse
        names = [_name_of(t) for t in tensors]
        parts.indices_tensor_name, parts.values_tensor_name, parts.dense_shape_tensor_name = names
        message.dtype = spec.dtype.as_datatype_enum
        write_shape(message.tensor_shape, dims_of(spec.shape))
        return
    message.composite_tensor.type_spec.CopyFrom(encoded(spec).type_spec_value)
    for tensor in tensors:
        _write_info(message.composite_tensor.components.add(), tensor)


def _name_of(tensor: SymbolicTensor) -> str:
    return f"{tensor.value.node.name}:{tensor.value.index}"


def _write_info(message: Any, tensor: SymbolicTensor) -> None:
    message.name = _name_of(tensor)
    message.dtype = tensor.dtype.as_datatype_enum
    write_shape(message.tensor_shape, tensor.dims)


def _saved_variables(objects: SavedObjects, names: _Names, root: object) -> list[tuple[str, Variable, str]]:
    """Each variable with its key in the checkpoint and its node in the main graph."""
    return [
        (key_of(path, "VARIABLE_VALUE"), thing, names.variables[objects.number_of(thing)])
        for path, thing, _ in walk(root) if isinstance(thing, Variable)
    ]  # fmt: skip


def _write_saver(meta: Any, main: FuncGraph, variables: list[tuple[str, Variable, str]]) -> None:
    """The nodes by which the loaders of TensorFlow 1 and of servers read and write the variables."""
    nodes = meta.graph_def.node

    def node(op: str, name: str, inputs: list[str], **types: Any) -> Any:
        made = nodes.add(name=main.unique_name(name), op=op)
        made.input.extend(inputs)
        for key, value in types.items():
            made.attr[key].type = value.as_datatype_enum
        return made

    def strings(name: str, values: list[str]) -> str:
        made = node(Const.type, name, [], dtype=dtypes.string)
        array = np.empty(len(values), object)
        array[:] = [v.encode() for v in values]
        write_tensor(made.attr["value"].tensor, array)
        return str(made.name)

    file = node(Placeholder.type, "saver_filename", [], dtype=dtypes.string)
    write_shape(file.attr["shape"].shape, ())
    keys = strings("save/tensor_names", [key for key, _, _ in variables])
    slices = strings("save/shape_and_slices", [""] * len(variables))
    read = []
    for _, variable, handle in variables:
        read.append(node(ReadVariableOp.type, f"{handle}/Read/ReadVariableOp", [handle], dtype=variable.dtype).name)
    saved = node("SaveV2", "save/SaveV2", [file.name, keys, slices, *read])
    restored = node("RestoreV2", "save/RestoreV2", [file.name, keys, slices])
    for made in (saved, restored):
        made.attr["dtypes"].list.SetInParent()
        made.attr["dtypes"].list.type.extend(v.dtype.as_datatype_enum for _, v, _ in variables)
    done = node(Identity.type, "save/control_dependency", [file.name, f"^{saved.name}"], T=dtypes.string)
    assigned = []
    for i, (_, variable, handle) in enumerate(variables):
        source = f"{restored.name}:{i}" if i else restored.name
        assigned.append(
            node(AssignVariableOp.type, "save/AssignVariableOp", [handle, source], dtype=variable.dtype).name
        )
    finished = node(NoOp.type, "save/restore_all", [f"^{name}" for name in assigned])
    saver = meta.saver_def
    saver.filename_tensor_name, saver.save_tensor_name = f"{file.name}:0", f"{done.name}:0"
    saver.restore_op_name, saver.version = finished.name, 2


# --- objects ---------------------------------------------------------------------------------------------------------
def _write_objects(graph: Any, objects: SavedObjects, names: _Names) -> None:
    for number, thing in enumerate(objects.things):
        node = graph.nodes.add()
        for name, child in objects.inner[number].items():
            node.children.add(node_id=objects.number_of(child), local_name=name)
        _write_object(node, number, thing, names)
        if isinstance(thing, Trace):
            _write_trace(graph.concrete_functions[names.functions[id(thing)]], thing, objects)
    for trace in objects.gradients.values():
        _write_trace(graph.concrete_functions[names.functions[id(trace)]], trace, objects)


def _write_object(node: Any, number: int, thing: object, names: _Names) -> None:
    if isinstance(thing, Variable):
        held = node.variable
        held.dtype, held.trainable, held.name = thing.dtype.as_datatype_enum, thing.trainable, thing.storage.name
        held.synchronization, held.aggregation = thing.synchronization.value, thing.aggregation.value
        write_shape(held.shape, thing.dims)
    elif isinstance(thing, Captured):
        node.constant.operation = names.constants[number]
    elif isinstance(thing, Asset):
        node.asset.asset_file_def_index = names.assets[number]
    elif isinstance(thing, CapturedTensor):
        node.captured_tensor.name = thing.name
        node.captured_tensor.concrete_function = names.functions[id(thing.trace)]
    elif isinstance(thing, Resource):
        node.resource.SetInParent()
    elif isinstance(thing, TracedFunction):
        node.function.concrete_functions.extend(names.functions[id(t)] for t in thing.traces)
        _write_spec(node.function.function_spec, thing.spec, thing.input_signature)
    elif isinstance(thing, Trace):
        held = node.bare_concrete_function
        held.concrete_function_name = names.functions[id(thing)]
        held.argument_keywords.extend(thing.keywords)
        held.allowed_positional_arguments = len(thing.keywords)
        if thing.parameters is not None:
            _write_spec(held.function_spec, thing.parameters, None)
    else:
        kind = "signature_map" if isinstance(thing, SignatureMap) else next(
            (text for cls, text in _CONTAINERS.items() if isinstance(thing, cls)), "_generic_user_object"
        )  # fmt: skip
        node.user_object.identifier = kind
        node.user_object.version.producer = node.user_object.version.min_consumer = 1


def _write_trace(message: Any, trace: Trace, objects: SavedObjects) -> None:
    message.bound_inputs.extend(objects.number_of(b) for b in trace.bound)
    message.canonicalized_input_signature.CopyFrom(trace.taken)
    message.output_signature.CopyFrom(trace.given)


def _write_spec(message: Any, spec: tuple[object, ...], input_signature: Any) -> None:
    message.fullargspec.CopyFrom(encoded(spec))
    message.input_signature.CopyFrom(encoded(None if input_signature is None else tuple(input_signature)))
