"""The one door that every op call passes: run the kernel now, or record a node in the graph being traced."""

# long: one way through one door, and what is told of those who are turned away
from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from graphrt import errors
from graphrt.ir import op as ir_op
from graphrt.ir.attributes import described, expected, fits, normal
from graphrt.ir.called import check_functions
from graphrt.ir.graph import InferContext, Node, Value, awaited, given_value
from graphrt.ir.growth import check_growth, is_sized_by_values
from graphrt.ir.handles import checked_handle, told_of_other
from graphrt.ir.op import FORWARDS, REQUIRED, ArgDef, AttrDef, OpDef
from graphrt.tensor.changes import SWITCH, keep
from graphrt.tensor.context import current_graph, recorders
from graphrt.tensor.conversions import is_convertible
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.memory import keep_freed_memory
from graphrt.tensor.promotion import promoted_arguments, weakened, weakly
from graphrt.tensor.tensor import EagerTensor, SymbolicTensor, Tensor, operation_of, raw_of, tensor_of
from graphrt.tensor.values import scalar_to_numpy, to_numpy
from graphrt.tensor.weak import has_weak
from graphrt.tensor.weak_use import WeakUse
from graphrt.types.advice import agreement, for_the_tensor_beside, towards
from graphrt.types.dtype import DType, as_dtype, float32, from_numpy, int32
from graphrt.types.float_warnings import silently
from graphrt.types.leaving import setting
from graphrt.types.limits import current as limits_now
from graphrt.types.limits import exhausted
from graphrt.types.nesting import shown, told
from graphrt.types.shape import TensorShape

if TYPE_CHECKING:
    from graphrt.tensor.func_graph import FuncGraph

_PYTHON_NUMBERS = (int, float)
_CXX_NAMES = {"float32": "float", "float64": "double", "float16": "half"}

keep_freed_memory()


def apply_op(op: OpDef, args: tuple[Any, ...], attrs: dict[str, Any], name: str | None) -> Any:
    """Applies `op`; see `OpDef.__call__`."""
    try:
        if SWITCH.promoting and weakly() is not None:
            args, weak = promoted_arguments(op, args, attrs)
            return weakened(_apply(op, args, attrs, name), weak)
        return _apply(op, args, attrs, name)
    except RecursionError as error:
        raise told((*args, *attrs.values(), name), error) from None


def _apply(op: OpDef, args: tuple[Any, ...], attrs: dict[str, Any], name: str | None) -> Any:
    if current_graph() is not None:
        return _record(current_graph(), op, args, attrs, name)
    if op.simple and op.same_type and not attrs and not recorders():
        result = _quick(op, args)
        if result is not None:
            return result
    return _run(op, args, attrs)


def _quick(op: OpDef, args: tuple[Any, ...]) -> EagerTensor | None:
    """The eager path for one or two concrete tensors of one dtype (a Python number may be one of two)."""
    count = len(args)
    first = args[0]
    if count == 2:
        second = args[1]
        if type(first) is EagerTensor:
            a = first._value
            if type(second) is EagerTensor:
                b = second._value
                if first.dtype is not second.dtype:
                    return None
            elif type(second) in _PYTHON_NUMBERS:
                b = _number(second, first.dtype)
            else:
                return None
        elif type(second) is EagerTensor and type(first) in _PYTHON_NUMBERS:
            b = second._value
            a = _number(first, second.dtype)
        else:
            return None
        if a is None or b is None:
            return None
        if a.dtype not in op.numpy_allowed or len(op.inputs) != 2:
            return None
        try:
            value = silently(op.kernel, a, b)  # type: ignore[arg-type]
        except Exception:
            return None  # the long way finds the message
    elif count == 1 and type(first) is EagerTensor and len(op.inputs) == 1:
        a = first._value
        if first.dtype.kind == "O" or a.dtype not in op.numpy_allowed:
            return None
        try:
            value = silently(op.kernel, a)  # type: ignore[arg-type]
        except Exception:
            return None
    else:
        return None
    if isinstance(value, (np.ndarray, np.generic)):
        return EagerTensor(value)
    return EagerTensor(_as_value(value, None))


def _number(value: float, dtype: DType) -> Any:
    try:
        return scalar_to_numpy(value, dtype)
    except (TypeError, ValueError):
        return None


def _as_value(value: object, dtype: DType | None) -> Any:
    if isinstance(value, (np.ndarray, np.generic)):
        return value
    if dtype is not None and dtype.kind == "O":
        return value
    if isinstance(value, (bytes, str)) or (dtype is not None and dtype.kind == "S"):
        return np.array(value, object)
    array = np.asarray(value)
    return array if array.ndim else array[()]


# --- arguments -------------------------------------------------------------------------------------------------------
def _bind(
    op: OpDef, args: tuple[Any, ...], attrs: dict[str, Any], name: str | None
) -> tuple[list[Any], dict[str, Any]]:
    """Converts the arguments to tensors and completes the attributes. Lists stay grouped."""
    if len(args) != len(op.inputs):
        wanted = ", ".join(a.name for a in op.inputs)
        raise TypeError(f"{op.type} takes {len(op.inputs)} tensors ({wanted}), {len(args)} were given")
    types: dict[str, DType] = {}
    for arg in op.inputs:
        if arg.type_attr and attrs.get(arg.type_attr) is not None:
            types[arg.type_attr] = as_dtype(attrs[arg.type_attr])
    owners: dict[str, str] = {}
    args = tuple(_whole(op, arg, value) for arg, value in zip(op.inputs, args))
    for arg, value in zip(op.inputs, args):
        if arg.type_attr:
            # of several inputs a tensor says the dtype before a list of tensors does, whose elements can be cast
            several = arg.number_attr and isinstance(value, (list, tuple))
            for item in sorted(value, key=lambda v: isinstance(v, (list, tuple))) if several else (value,):
                found = _explicit_dtype(item)
                if found is not None and arg.type_attr not in types:
                    types[arg.type_attr] = found
                    owners[arg.type_attr] = arg.name
    if any(arg.type_attr not in types for arg in op.inputs if arg.type_attr):
        for place, (arg, value) in enumerate(zip(op.inputs, args)):  # no tensor says it: NumPy values, then Python's do
            if arg.type_attr and arg.type_attr not in types and isinstance(value, (np.ndarray, np.generic)):
                found = _dtype_of_array(op, place, args)
                types[arg.type_attr] = found
                owners[arg.type_attr] = arg.name
    bound: list[Any] = []
    for position, (arg, value) in enumerate(zip(op.inputs, args)):
        bound.append(_bind_one(op, arg, position, value, types, owners, name))
    return bound, complete_attrs(op, bound, attrs, types)


def _dtype_of_array(op: OpDef, place: int, args: tuple[Any, ...]) -> DType:
    """The dtype that the array at a place gives its type attribute: the op's own where it has one that the numbers fit.

    Python's numbers before it that it cannot hold come first, if it fits among them: `pow(2.5, array_of_integers)`.
    """
    attr, array = op.inputs[place].type_attr, args[place]
    found = from_numpy(array.dtype)
    declared = op.attrs[str(attr)]
    default = declared.default
    if isinstance(default, DType) and default is not found:
        # numbers that cannot be axes or sizes are refused as the integers that can
        is_no_place = found.kind in "iuf" and default.kind == "i" and found not in (declared.allowed or (found,))
        if is_no_place or _fits(array, default):
            return default
    for arg, value in zip(op.inputs[:place], args):
        if arg.type_attr == attr and found.kind in "biu" and isinstance(value, (float, complex, list, tuple)):
            try:
                natural = from_numpy(np.asarray(to_numpy(value)).dtype)
            except (TypeError, ValueError):
                continue
            if natural.kind in "fc" and np.size(value):
                return natural
    return found


def _fits(array: Any, dtype: DType) -> bool:
    try:
        to_numpy(array, dtype)
    except (TypeError, ValueError):
        return False
    return True


def _whole(op: OpDef, arg: ArgDef, value: Any) -> Any:
    """A list of axes or sizes with tensors of floats in it, which have values now, as the array that TensorFlow takes."""
    if not arg.type_attr or arg.number_attr or type(value) not in (list, tuple):
        return value
    default, allowed, dtype = op.attrs[arg.type_attr].default, op.attrs[arg.type_attr].allowed, _explicit_dtype(value)
    if dtype is None or not isinstance(default, DType) or default.kind != "i" or dtype in (allowed or (dtype,)):
        return value
    if not all(isinstance(v, (EagerTensor, int, float, np.generic)) for v in value):
        return value
    return np.array([v.numpy() if isinstance(v, EagerTensor) else v for v in value])


def _explicit_dtype(value: Any) -> DType | None:
    if isinstance(value, Tensor):
        return value.dtype
    if hasattr(value, "__tf_tensor__"):
        return as_dtype(value.dtype)
    if isinstance(value, (list, tuple)):
        for item in value:
            found = _explicit_dtype(item)
            if found is not None:
                return found
    return None


def _bind_one(
    op: OpDef, arg: ArgDef, position: int, value: object, types: dict[str, DType], owners: dict[str, str],
    name: str | None
) -> Tensor | list[Tensor]:  # fmt: skip
    scope = None if name is None else f"{name}/{arg.name}" if name else arg.name
    if arg.list_attr:
        if not isinstance(value, (list, tuple)):
            raise TypeError(f"Expected list for '{arg.name}' argument to '{op.type}' Op, not {shown(value)}.")
        return [convert_to_tensor(v, name=scope and f"{scope}_{i}") for i, v in enumerate(value)]
    if arg.number_attr:
        if not isinstance(value, (list, tuple)):
            raise TypeError(f"Expected list for '{arg.name}' argument to '{op.type}' Op, not {shown(value)}.")
        return [
            _bind_single(op, arg, position + i, v, types, owners, scope and f"{scope}_{i}") for i, v in enumerate(value)
        ]
    return _bind_single(op, arg, position, value, types, owners, scope)


def _bind_single(
    op: OpDef, arg: ArgDef, position: int, value: Any, types: dict[str, DType], owners: dict[str, str], name: str | None
) -> Tensor:
    wanted = arg.dtype if arg.dtype is not None else types.get(str(arg.type_attr))
    if isinstance(value, Tensor):
        if wanted is not None and value.dtype is not wanted:
            _refuse_dtype(op, arg, position, value, wanted, owners)
        return value
    if wanted is not None:
        try:
            tensor = convert_to_tensor(value, name=name, dtype=wanted)
        except errors.CompositeGiven:
            raise
        except errors.ConversionError as error:
            what, at, line = str(error).partition("\n  at ")
            advice = _advice(value, wanted) if arg.type_attr in owners else ""
            raise errors.DTypeMismatchError(f"{what}{advice}{at}{line}") from None
    else:
        default, allowed = op.attrs[str(arg.type_attr)].default, op.attrs[str(arg.type_attr)].allowed or ()
        hint = default if isinstance(default, DType) else None
        if hint is not None and hint.is_floating and int32 in allowed:
            hint = None  # integers stay what they are
        elif hint is None and allowed and _all_float(allowed):
            hint = float32
        if hint is not None and hint.is_complex and isinstance(value, (complex, list, tuple)):
            hint = None if _holds_complex(value) else hint  # which are as wide as `tf.constant` makes them
        tensor = convert_to_tensor(value, name=name, dtype_hint=hint)
    if arg.type_attr and arg.type_attr not in types:
        types[arg.type_attr] = tensor.dtype
        owners[arg.type_attr] = arg.name
    return tensor


def _advice(value: Any, wanted: DType) -> str:
    try:
        return for_the_tensor_beside(from_numpy(np.asarray(to_numpy(value)).dtype), wanted)
    except (TypeError, ValueError):
        return ""


def _holds_complex(value: Any) -> bool:
    try:
        return np.asarray(value).dtype.kind == "c"
    except (TypeError, ValueError):
        return False


def _all_float(allowed: tuple[DType, ...]) -> bool:
    return all(t.kind in "fc" for t in allowed)


def _refuse_dtype(
    op: OpDef, arg: ArgDef, position: int, value: Tensor, wanted: DType, owners: dict[str, str]
) -> NoReturn:
    if current_graph() is not None:
        if arg.dtype is not None:
            text = (
                f"Input '{arg.name}' of '{op.type}' Op has type {value.dtype.name} that does not match expected type "
                f"of {wanted.name}."
            )
        else:
            text = (
                f"Input '{arg.name}' of '{op.type}' Op has type {value.dtype.name} that does not match type "
                f"{wanted.name} of argument '{owners.get(str(arg.type_attr), '?')}'."
            )
    else:
        text = (
            f"cannot compute {op.type} as input #{position}(zero-based) was expected to be a {_cxx(wanted)} tensor but "
            f"is a {_cxx(value.dtype)} tensor [Op:{op.type}]"
        )
    raise errors.DTypeMismatchError(errors.at_user_line(text + agreement(value.dtype, wanted, arg.dtype is not None)))


def _cxx(dtype: DType) -> str:
    return _CXX_NAMES.get(dtype.name, dtype.name)


def complete_attrs(
    op: OpDef, bound: list[Any], given: dict[str, Any], types: dict[str, DType] | None = None
) -> dict[str, Any]:
    """All attributes of a use of `op`, in the order of the schema; those of the inputs are read off the tensors.

    Raises:
      TypeError: one is missing, unknown, or of a dtype that the op does not take.
    """
    found: dict[str, Any] = dict(types or {})
    for arg, value in zip(op.inputs, bound):
        if arg.number_attr:
            found.setdefault(arg.number_attr, len(value))
            if arg.type_attr and value:
                found.setdefault(arg.type_attr, value[0].dtype)
        elif arg.list_attr:
            found[arg.list_attr] = [v.dtype for v in value]
        elif arg.type_attr:
            found.setdefault(arg.type_attr, value.dtype)
    complete: dict[str, Any] = {}
    for attr in op.attrs.values():
        if attr.name in given and given[attr.name] is not None:
            value = given[attr.name]
            if attr.kind == "string" and not isinstance(value, (str, bytes)):
                raise TypeError(errors.at_user_line(_attribute_fault(op, attr, value)))
            value = normal(attr.kind, value)
        elif attr.name in found:
            value = found[attr.name]
        elif attr.default is not REQUIRED:
            value = list(attr.default) if isinstance(attr.default, (list, tuple)) else attr.default
        elif attr.name in given:
            value = None
        else:
            raise TypeError(f"{op.type} needs the attribute {attr.name!r}")
        if attr.allowed is not None and isinstance(value, DType) and value not in attr.allowed:
            _refuse_allowed(op, attr.name, value, attr.allowed)
        if (attr.choices or attr.minimum is not None) and attr.name in given and not fits(attr, value):
            raise errors.ShapeError(errors.at_user_line(_attribute_fault(op, attr, value)))
        if attr.name in op.counts and value > limits_now().nodes:
            exhausted("nodes", f"{op.type} has {value} outputs", value)
        complete[attr.name] = value
    for key in given:
        if key not in complete:
            if key.startswith("_"):
                complete[key] = given[key]
            else:
                raise TypeError(f"{op.type} has no attribute {shown(key)}")
    return complete


def _attribute_fault(op: OpDef, attr: AttrDef, value: object) -> str:
    return f"{op.type}: attribute {attr.name!r} is {described(value)}, expected {expected(attr)} [Op:{op.type}]"


def _refuse_allowed(op: OpDef, attr: str, value: DType, allowed: tuple[DType, ...]) -> NoReturn:
    names = ", ".join(t.name for t in allowed)
    if current_graph() is not None:
        parameter = next((a.name for a in op.inputs if a.type_attr == attr), attr)
        text = (
            f"Value passed to parameter '{parameter}' has DataType {value.name} not in list of allowed values: {names}"
        )
    else:
        text = f"Value for attr '{attr}' of {_cxx(value)} is not in the list of allowed values: {names} [Op:{op.type}]"
    raise errors.DTypeMismatchError(errors.at_user_line(text + towards(value, allowed)))


def flat(bound: list[Any]) -> list[Any]:
    """Grouped arguments as one list."""
    if not any(isinstance(v, list) for v in bound):
        return bound
    return [t for v in bound for t in (v if isinstance(v, list) else (v,))]


_asked: ContextVar[frozenset[tuple[OpDef, int]]] = ContextVar("graphrt_asked", default=frozenset())


def _dispatched(op: OpDef, args: tuple[Any, ...], attrs: dict[str, Any], given: errors.CompositeGiven) -> Any:
    """What a ragged or sparse tensor among `args` says the op does."""
    try:
        if (op, id(given.value)) in _asked.get():  # its rule gives it back to the op: it stands where none can
            raise given
        with setting(_asked, _asked.get() | {(op, id(given.value))}):
            return given.value.dispatch(op, args, attrs, lambda *tensors: op(*tensors, **attrs))
    except errors.CompositeGiven as error:
        raise errors.ConversionError(errors.at_user_line(f"{op.type}: {error}")) from None
    except (LookupError, StopIteration) as error:  # of a rule that was given something else
        kind = type(given.value).__name__
        told = IndexError if isinstance(error, IndexError) else ValueError
        raise told(errors.at_user_line(f"{op.type}: the arguments do not fit a {kind}: {error}")) from error
    finally:
        del given  # its traceback holds this frame


# --- now -------------------------------------------------------------------------------------------------------------
def _run(op: OpDef, args: tuple[Any, ...], attrs: dict[str, Any]) -> Any:
    try:
        bound, complete = _bind(op, args, attrs, None)
    except errors.CompositeGiven as given:
        return _dispatched(op, args, attrs, given)
    except RecursionError as error:
        raise told(args, error) from None
    except errors.DTypeMismatchError:
        _refuse_any_leaked(None, args)
        raise
    inputs = flat(bound)
    for tensor in inputs:
        if type(tensor) is not EagerTensor:
            refuse_leaked(tensor)
    results = run_kernel(op, inputs, complete)
    tapes = recorders()
    for tape in tapes:
        tape.record(op, inputs, complete, results)
    return _packed(op, results, complete)


def run_kernel(op: OpDef, inputs: list[Any], attrs: dict[str, Any]) -> list[EagerTensor]:
    """Runs the kernel on concrete tensors; failures become errors that name op, shapes and the user's line."""
    arrays = op.group([raw_of(t) for t in inputs], attrs)
    try:
        if op.stateful:
            keep(checked_handle(op, [raw_of(t) for t in inputs], attrs))
        if op.structure is not None:
            check_functions(op, [t.dtype for t in inputs], attrs)
        if op.sized_by_values is not False and is_sized_by_values(op):
            check_growth(op, [raw_of(t) for t in inputs], [t.dtype for t in inputs], attrs, f"{op.type}: the result")
        raw = silently(op.kernel, *arrays, **{k: attrs[k] for k in op.kernel_attrs})  # type: ignore[arg-type]
    except errors.OpError as error:
        is_told = type(error) is errors.DTypeMismatchError or "\n  at " in str(error)
        if is_told and type(error) in (errors.ShapeError, errors.DTypeMismatchError):
            raise
        text = errors.at_user_line(_with_op(str(error), op))
        given = (text,) if type(error) is errors.ShapeError else (None, None, text)
        raise type(error)(*given) from error.__cause__
    except MemoryError as error:
        text = _with_op(f"out of memory: {error}", op)
        raise errors.ResourceExhaustedError(None, None, errors.at_user_line(text)) from error
    except (ValueError, LookupError, TypeError, ArithmeticError, np.linalg.LinAlgError) as error:
        raise explain_failure(op, inputs, attrs, error) from error
    except AttributeError as error:
        told = told_of_other(op, [raw_of(t) for t in inputs], error)
        if told is None:
            raise
        raise errors.InvalidArgumentError(None, None, errors.at_user_line(_with_op(told, op))) from error
    dtypes = op.output_dtypes(attrs)
    if not dtypes:
        return []
    values = [raw] if len(dtypes) == 1 and not isinstance(raw, (list, tuple)) else list(raw)
    return [EagerTensor(_as_value(v, t), t) for v, t in zip(values, dtypes, strict=True)]


def _with_op(message: str, op: OpDef) -> str:
    return message if "[Op:" in message else f"{message} [Op:{op.type}]"


def explain_failure(op: OpDef, inputs: list[Any], attrs: dict[str, Any], error: Exception) -> Exception:
    """The error to raise for an exception that NumPy raised inside a kernel, or where there is none."""
    if op.kernel is None:
        text = f"{op.type} has no value outside a graph: call it in a tf.function, or in a graph's scope"
        return errors.InvalidArgumentError(None, None, errors.at_user_line(_with_op(text, op)))
    values = [given_value(raw_of(t), t.dtype) for t in inputs]
    try:
        op.infer(InferContext(op, values, attrs))
    except errors.OpError as better:
        return errors.ShapeError(errors.at_user_line(_with_op(str(better), op)))
    except Exception:  # the rule has nothing better to say
        pass
    shapes = ", ".join(f"{t.dtype.name}{list(t.dims or ())}" for t in inputs)
    return errors.InvalidArgumentError(None, None, errors.at_user_line(f"{error} (inputs: {shapes}) [Op:{op.type}]"))


def _packed(op: OpDef, results: list[Any], attrs: dict[str, Any]) -> Tensor | list[Tensor] | None:
    if len(op.outputs) == 1 and not op.outputs[0].is_list:
        return results[0]
    return results if op.outputs else None


def _refuse_any_leaked(graph: Any, args: tuple[Any, ...]) -> None:
    """Raises where an argument has no value here at all, whatever is wrong with its dtype."""
    for value in flat([list(a) if isinstance(a, (list, tuple)) else a for a in args]):
        if isinstance(value, SymbolicTensor):
            around = graph
            while around is not None and around is not value.value.node.graph:
                around = around.outer
            if around is None:
                refuse_leaked(value)


def refuse_leaked(tensor: Any) -> NoReturn:
    place = tensor.value.node.location if isinstance(tensor, SymbolicTensor) else None
    made = "" if place is None else f" It was made at {errors.shown_place(*place)}."
    raise errors.InaccessibleTensorError(
        errors.at_user_line(
            f"{shown(tensor)} is out of scope and cannot be used here: it belongs to the graph of "
            f"{getattr(tensor.graph, 'name', '?')!r}, which is not being traced here, so it has no value.{made} Return "
            "it from the function, or keep it in a tf.Variable, instead of storing it in a Python object or a global."
        )
    )


# --- later -----------------------------------------------------------------------------------------------------------
def record_quickly(op: OpDef, args: tuple[Any, ...], name: str | None, depth: int = 1) -> SymbolicTensor | None:
    """Records a use of an op without attributes on tensors of the graph being traced, of one dtype, and numbers of Python.

    None, and nothing is recorded, where it is not that simple. The user's code stands `depth` frames further out, or more.
    """
    graph = current_graph()
    if graph is None or SWITCH.promoting is not None or len(args) != len(op.inputs):
        return None
    if graph.rows is not None and (row := _record_row(graph, op, args, name, depth)) is not None:
        return row
    kind: DType | None = None
    given: list[Any] = []
    numbers = False
    for value in args:
        if type(value) is SymbolicTensor:
            inside = value.value
            if inside.weak is not None or inside.node.graph is not graph or (kind or inside.dtype) is not inside.dtype:
                return None
            kind = inside.dtype
            given.append(inside)
        elif type(value) not in _PYTHON_NUMBERS or is_convertible(value):
            return None
        else:
            given.append(value)
            numbers = True
    if kind is None or kind.kind not in "fiu" or (op.only_allowed is not None and kind not in op.only_allowed):
        return None
    if numbers:
        for at, value in enumerate(given):
            if type(value) is not Value:
                number = graph.number(value, kind)
                if number is None:
                    return None
                given[at] = number
    attrs = graph.attrs_of(op, op.only_type.name, kind)  # type: ignore[union-attr]  # `is_quick` says that it has one
    try:
        found = graph.add_simple(op, given, attrs, op.gives or kind, name or op.type, depth + 1)
    except errors.ShapeError:  # the long way tells more
        return None
    result = SymbolicTensor(found)
    for tape in recorders():
        tape.record(op, [tensor_of(v) for v in given], attrs, [result])
    return result


def _record_row(
    graph: FuncGraph, op: OpDef, args: tuple[Any, ...], name: str | None, depth: int
) -> SymbolicTensor | None:
    """What `record_quickly` does, as one of the rows of the graph; None where it is no row."""
    rows = graph.rows
    if rows is None or not 0 < len(args) < 3 or recorders() or awaited(graph):
        return None
    if not op.is_elementwise and FORWARDS not in op.traits:
        return None
    kind: DType | None = None
    taken: list[Any] = []
    for value in args:
        if type(value) is SymbolicTensor:
            row = value.row
            if row is None:
                inside = value.value
                if inside.weak is not None or inside.node.graph is not graph or inside.dims != ():
                    return None
                found = inside.dtype
                taken.append(inside)
            elif row[0] is rows:
                found = rows.dtype(row[1])
                taken.append(row[1])
            else:
                return None
            if (kind or found) is not found:
                return None
            kind = found
        elif type(value) not in _PYTHON_NUMBERS or is_convertible(value):
            return None
        else:
            taken.append(value)
    if kind is None or kind.kind not in "fiu" or (op.only_allowed is not None and kind not in op.only_allowed):
        return None
    for at, value in enumerate(args):
        if type(value) is not SymbolicTensor:
            taken[at] = graph.number_attrs(value, kind)
            if taken[at] is None:
                return None
    attrs = graph.attrs_of(op, op.only_type.name, kind)  # type: ignore[union-attr]  # `is_quick` says that it has one
    return graph.add_row(rows, op, taken, attrs, op.gives or kind, name or op.type, depth + 2)


def _record(graph: Any, op: OpDef, args: tuple[Any, ...], attrs: dict[str, Any], name: str | None) -> Any:
    if op.is_quick and not attrs:
        result = record_quickly(op, args, name, 4)  # those of `OpDef.__call__`, and of what it calls here
        if result is not None:
            return result
    node_name = graph.unique_name(name or op.type)
    use = WeakUse(op, args, attrs) if has_weak(args) else None
    if use is not None:
        args = tuple(use.args)
    try:
        bound, complete = _bind(op, args, attrs, _relative(graph, node_name))
    except errors.CompositeGiven as given:
        return _dispatched(op, args, attrs, given)
    except RecursionError as error:
        raise told(args, error) from None
    except errors.DTypeMismatchError:
        _refuse_any_leaked(graph, args)
        raise
    inputs = flat(bound)
    node = record_node(graph, op, inputs, complete, node_name)
    if use is not None:
        use.done(bound, node)
    if not node.outputs:
        return operation_of(node)
    results = [tensor_of(v) for v in node.outputs]
    for tape in recorders():
        tape.record(op, inputs, complete, results)
    return _packed(op, results, complete)


def _relative(graph: Any, name: str) -> str:
    scope = graph.scope
    if scope and name == scope:
        return ""  # the op that the scope is about: its constants stand directly in the scope
    return name[len(scope) + 1 :] if scope and name.startswith(f"{scope}/") else name


def record_node(graph: Any, op: OpDef, inputs: list[Any], attrs: dict[str, Any], name: str | None = None) -> Node:
    """Adds a node to `graph`; tensors of outer graphs and concrete tensors become captures.

    Raises:
      ShapeError, InaccessibleTensorError: with the user's line.
    """
    values = []
    for position, tensor in enumerate(inputs):
        if type(tensor) is SymbolicTensor and tensor.value.node.graph is graph:
            values.append(tensor.value)
        else:
            values.append(graph.capture(tensor, _capture_name(graph, op, attrs, position, tensor, name)).value)
    return _added(graph, op, values, attrs, name)


def _added(
    graph: Any, op: OpDef, values: list[Any], attrs: dict[str, Any], name: str | None, place: errors.Place | None = None
) -> Node:
    try:
        found: Node = graph.add(op, values, attrs, name, place)
        return found
    except errors.ShapeError as error:
        shapes = ", ".join(str(TensorShape(v.dims)) for v in values)
        text = f"{error} for op {op.type!r} named {name or op.type!r} with input shapes: {shapes}."
        raise errors.ShapeError(errors.at_user_line(text)) from None


def _capture_name(
    graph: object, op: OpDef, attrs: dict[str, Any], position: int, tensor: Tensor, name: str | None
) -> str | None:
    """TensorFlow's name for the placeholder of a capture: the consumer's, then that of what is captured."""
    if name is None:
        return None
    if isinstance(tensor, SymbolicTensor):
        base = tensor.value.node.name
    else:
        base = _argument_name(op, attrs, position)
    within = _relative(graph, name)
    return f"{within}/{base}" if within else base


def _argument_name(op: OpDef, attrs: dict[str, Any], position: int) -> str:
    for arg in op.inputs:
        size = len(attrs[arg.list_attr]) if arg.list_attr else attrs[arg.number_attr] if arg.number_attr else 1
        if position < size:
            return f"{arg.name}_{position}" if arg.is_list else arg.name
        position -= size
    return "captured"


ir_op.set_apply(apply_op, record_quickly)
