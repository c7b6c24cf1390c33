"""SavedModels that a command line names: their signatures, what these give, what is in the file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

import graphrt
from graphrt import errors
from graphrt.cli.console import UsageError
from graphrt.function.concrete import ConcreteFunction
from graphrt.graphdef.structured_values import read_value
from graphrt.saving.save import DEFAULT_SIGNATURE
from graphrt.saving.saved_model_file import read_saved_model
from graphrt.types.dtype import as_dtype
from graphrt.types.float_warnings import silently
from graphrt.types.nesting import shown
from graphrt.types.spec import TensorSpec


def signature(directory: str, name: str | None) -> tuple[str, ConcreteFunction]:
    """The signature `name` of the SavedModel in `directory`; the default one, or the only one, if not given: its name too.

    Raises:
      UsageError: there is none.
    """
    try:
        there = graphrt.saved_model.load(directory).signatures
    except (errors.OpError, ValueError, OSError) as error:
        raise UsageError(f"cannot load {directory}: {told(error)}") from None
    if name is None:
        name = DEFAULT_SIGNATURE if DEFAULT_SIGNATURE in there or len(there) != 1 else next(iter(there))
    if name not in there:
        known = ", ".join(sorted(there)) or "none (save it with signatures=...)"
        raise UsageError(f"{directory} has no signature {name!r}; it has {known}")
    try:
        found: ConcreteFunction = there[name]
    except errors.OpError as error:
        raise UsageError(told(error)) from None
    return name, found


def results(function: ConcreteFunction, given: Mapping[str, object]) -> dict[str, NDArray[Any]]:
    """What `function` gives for arrays, by name.

    Raises:
      UsageError: an array does not fit, or an op fails.
    """
    specs = function.structured_input_signature[1]
    tensors = {}
    for name, spec in specs.items():
        try:
            tensor = tensors[name] = graphrt.constant(_as_given(given[name], spec), spec.dtype)
            if not spec.shape.is_compatible_with(tensor.shape):
                raise ValueError(f"it is of shape {tensor.shape}")
        except (errors.OpError, TypeError, ValueError, RecursionError) as error:
            raise UsageError(f"the input {name!r} must be {spec.dtype.name}{spec.shape}: {told(error)}") from None
    try:
        found = function(**tensors)
    except (errors.OpError, TypeError, ValueError) as error:
        raise UsageError(told(error)) from None
    return {name: np.asarray(value) for name, value in found.items()}


def _as_given(value: Any, spec: TensorSpec) -> Any:
    """An array as the tensor wants it: numbers of another dtype only where they stay what they are."""
    if not isinstance(value, np.ndarray):
        return value
    if spec.dtype.name == "string":
        if value.dtype.kind == "U":
            value = np.char.encode(value, "utf-8")
        return value.astype(object)
    wanted = np.dtype(spec.dtype.as_numpy_dtype)
    if value.dtype == wanted:
        return value
    if value.dtype.kind not in "biufc":
        raise ValueError(f"the file holds {value.dtype}")
    held = f"the file holds {value.dtype} numbers that are no {spec.dtype.name}"
    if value.dtype.kind == "c" and wanted.kind != "c":
        if value.imag.any():
            raise ValueError(held)
        value = value.real
    same = silently(value.astype, wanted)
    is_rounded = wanted.kind in "fcV" and np.can_cast(
        value.dtype, np.complex128 if wanted.kind == "c" else np.float64, "same_kind"
    )
    if not (np.array_equal(np.isfinite(same), np.isfinite(value)) if is_rounded else np.array_equal(same, value)):
        raise ValueError(held)
    return same


def told(error: BaseException) -> str:
    """The first line of an error."""
    return str(error).strip().partition("\n")[0]


# --- what is in a file -----------------------------------------------------------------------------------------------
def described(directory: str, tags: str | None, name: str | None) -> str:
    """What `graphrt show` prints of a SavedModel: all of it, or the signature `name` only.

    Raises:
      UsageError: there is no SavedModel, or no such graph or signature.
    """
    try:
        _, message = read_saved_model(directory)
    except (errors.OpError, OSError, ValueError) as error:
        raise UsageError(told(error)) from None
    metas = [m for m in message.meta_graphs if tags is None or set(m.meta_info_def.tags) == set(tags.split(","))]
    if not metas:
        there = "; ".join(",".join(m.meta_info_def.tags) for m in message.meta_graphs)
        raise UsageError(f"{directory} has no graph with the tags {shown(tags)}, but with {there}")
    if name is not None:
        found = [m for m in metas if name in m.signature_def]
        if not found:
            raise UsageError(
                f"{directory} has no signature {name!r}; it has {', '.join(sorted(metas[0].signature_def))}"
            )
        return "\n".join(_signature(found[0].signature_def[name], "")) + "\n"
    try:
        return "\n".join(line for meta in metas for line in _meta(meta)) + "\n"
    except (errors.OpError, RecursionError) as error:
        raise UsageError(told(error)) from None


def _meta(meta: Any) -> Iterator[str]:
    tags = ", ".join(meta.meta_info_def.tags)
    yield f"\nMetaGraphDef with tag-set: '{tags}' contains the following SignatureDefs:"
    for name in sorted(meta.signature_def):
        yield f"\nsignature_def['{name}']:"
        yield from _signature(meta.signature_def[name], "  ")
    nodes = [n.op for n in meta.graph_def.node]
    nodes += [n.op for f in meta.graph_def.library.function for n in f.node_def]
    yield f"The MetaGraph with tag set {list(meta.meta_info_def.tags)} contains the following ops: {sorted(set(nodes))}"
    yield "\nConcrete Functions:"
    yield from _functions(meta.object_graph_def)


def _signature(message: Any, indent: str) -> Iterator[str]:
    for what, held in (("input", message.inputs), ("output", message.outputs)):
        yield f"{indent}The given SavedModel SignatureDef contains the following {what}(s):"
        for name in sorted(held):
            info = held[name]
            yield f"{indent}  {what}s['{name}'] tensor_info:"
            yield f"{indent}      dtype: {_dtype_name(info.dtype)}"
            yield f"{indent}      shape: {_shape(info.tensor_shape)}"
            yield f"{indent}      name: {info.name}"
    yield f"{indent}Method name is: {message.method_name}"


def _dtype_name(number: int) -> str:
    if number == 0:
        return "DT_INVALID"
    try:
        name = as_dtype(number).name
    except TypeError:
        return f"DT_{number}"
    return "DT_" + {"float32": "FLOAT", "float64": "DOUBLE", "float16": "HALF"}.get(name, name.upper())


def _shape(message: Any) -> str:
    if message.unknown_rank:
        return "unknown_rank"
    sizes = [str(d.size) for d in message.dim]
    return f"({', '.join(sizes)})" if len(sizes) != 1 else f"({sizes[0]})"


def _functions(graph: Any) -> Iterator[str]:
    names: dict[int, str] = {}
    for child in graph.nodes[0].children if graph.nodes else ():
        names.setdefault(child.node_id, child.local_name)
    first = True
    for number, name in sorted(names.items(), key=lambda item: item[1]):
        if number >= len(graph.nodes) or graph.nodes[number].WhichOneof("kind") != "function":
            continue
        if not first:
            yield ""
        first = False
        yield f"  Function Name: '{name}'"
        for count, trace in enumerate(graph.nodes[number].function.concrete_functions, 1):
            yield f"    Option #{count}"
            yield "      Callable with:"
            taken = read_value(graph.concrete_functions[trace].canonicalized_input_signature, name)
            args, kwargs = taken if isinstance(taken, tuple) and len(taken) == 2 else ((), {})
            for at, value in enumerate(args, 1):
                yield f"        Argument #{at}"
                yield f"          {_argument(value)}"
            for key, value in kwargs.items():
                yield f"        Named Argument '{key}'"
                yield f"          {_argument(value)}"


def _argument(value: object) -> str:
    """What an argument is, as the lines below its number."""
    if isinstance(value, TensorSpec):
        return f"{value.name}: {_spec(value)}"
    return f"DType: {type(value).__name__}\n          Value: {_spec(value)}"


def _spec(value: object) -> str:
    if isinstance(value, TensorSpec):
        return f"TensorSpec(shape={value.shape}, dtype=tf.{value.dtype.name}, name={value.name!r})"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k!r}: {_spec(v)}" for k, v in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        inner = ", ".join(map(_spec, value))
        return f"[{inner}]" if isinstance(value, list) else f"({inner})"
    return repr(value)
