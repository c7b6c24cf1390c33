"""Ops as functions with keyword arguments: what `tf.raw_ops` is made of."""

from __future__ import annotations

import collections
import inspect
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from graphrt import errors
from graphrt.ir import examples
from graphrt.ir.op import REGISTRY, REQUIRED, ArgDef, OpDef, declare_all

if TYPE_CHECKING:
    from graphrt.ir.op import ArgDef

__all__ = ["raw_op", "raw_op_names"]


# Some arguments have another name in `tf.raw_ops` than in the op.
_AXIS = {"reduction_indices": "axis", "dim": "axis", "split_dim": "axis", "squeeze_dims": "axis"}
_PYTHON_NAMES = {  # names: those of `tf.raw_ops`
    **dict.fromkeys(
        ("All", "Any", "EuclideanNorm", "ExpandDims", "Max", "Mean", "Min", "Prod", "Split", "SplitV", "Squeeze", "Sum"),
        _AXIS,
    ),
    "Select": {"t": "x", "e": "y"},
    "Where": {"input": "condition"},
}  # fmt: skip


def _python_name(op: OpDef, name: str) -> str:
    return _PYTHON_NAMES.get(op.type, {}).get(name, name)


def _inferred(op: OpDef) -> set[str]:
    """The attributes that follow from the inputs."""
    found = {a for arg in op.inputs for a in (arg.type_attr, arg.number_attr, arg.list_attr) if a}
    return {a for a in found if op.attrs[a].default is REQUIRED or op.attrs[a].kind == "type"}


def _signature(op: OpDef) -> inspect.Signature:
    kind = inspect.Parameter.KEYWORD_ONLY
    parameters = [inspect.Parameter(_python_name(op, a.name), kind) for a in op.inputs]
    inferred = _inferred(op)
    for attr in op.attrs.values():
        if attr.name in inferred or attr.name.startswith("_"):
            continue
        default = inspect.Parameter.empty if attr.default is REQUIRED else attr.default
        parameters.append(inspect.Parameter(_python_name(op, attr.name), kind, default=default))
    parameters.sort(key=lambda p: p.default is not inspect.Parameter.empty)
    return inspect.Signature([*parameters, inspect.Parameter("name", kind, default=None)])


def _result_type(op: OpDef) -> type:
    make: Any = collections.namedtuple
    return make(op.type, [o.name for o in op.outputs], rename=True)


def _type_of(op: OpDef, argument: ArgDef) -> str:
    attr = argument.type_attr or argument.list_attr
    kind = attr or str(getattr(argument.dtype, "name", argument.dtype))
    return f"a list of tensors of {kind}" if argument.is_list else f"a tensor of {kind}"


def _documentation(op: OpDef) -> str:
    """What the declaration says of an op, with an example."""
    lines = [f"The op {op.type}, which is called with keyword arguments only.", "", "Args:"]
    lines += [f"  {_python_name(op, a.name)}: {_type_of(op, a)}." for a in op.inputs]
    for attr in op.attrs.values():
        if attr.name.startswith("_"):
            continue
        allowed = [d.name for d in attr.allowed or ()] or [repr(c) for c in attr.choices or ()]
        text = f" Allowed are {', '.join(allowed)}." if allowed else ""
        inferred = "; it follows from the tensors" if attr.name in _inferred(op) else ""
        lines.append(f"  {_python_name(op, attr.name)}: an attribute of the kind {attr.kind}{inferred}.{text}")
    if op.outputs:
        lines += ["", "Returns:", *(f"  {o.name}: {_type_of(op, o)}." for o in op.outputs)]
    lines += ["", "Raises:", "  TypeError: an argument is missing, unknown, or given by position."]
    lines += ["  ValueError: a dtype or an attribute is not among those allowed, or the shapes do not fit."]
    return "\n".join([*lines, "", examples.of_name("raw_ops", op.type), ""])


def raw_op(name: str) -> Callable[..., Any] | None:
    """The function that applies the op called `name` to keyword arguments; None where there is no such op.

    Raises:
      TypeError: (the function) an argument is missing, unknown, or given by position.
    """
    op = REGISTRY.get(name)
    if op is None or name.startswith("_"):
        return None
    signature = _signature(op)
    own_names = {*op.attrs, *(a.name for a in op.inputs)}
    results = _result_type(op) if len(op.outputs) > 1 else None

    real_names = {new: old for old, new in _PYTHON_NAMES.get(name, {}).items() if old in own_names}
    python_names = {old: new for new, old in real_names.items()}

    def call(**kwargs: Any) -> Any:
        if python_names:
            kwargs = {python_names.get(k, k): v for k, v in kwargs.items()}  # the op's own names do, too
        try:
            signature.bind(**kwargs)
        except TypeError as error:
            raise TypeError(errors.at_user_line(f"{name}: {error}. It takes {signature}")) from None
        if real_names:
            kwargs = {real_names.get(k, k): v for k, v in kwargs.items()}
        tensors = [kwargs.pop(a.name) for a in op.inputs]
        label = kwargs.pop("name", None)
        found = op(*tensors, name=label, **kwargs)
        if results is None or not isinstance(found, list):
            return found
        return results(*_grouped(op, found, tensors, kwargs))

    call.__name__ = call.__qualname__ = name
    call.__doc__ = _documentation(op)
    call.__signature__ = signature  # type: ignore[attr-defined]
    return call


def _grouped(op: OpDef, flat: list[Any], tensors: list[Any], attrs: dict[str, Any]) -> list[Any]:
    """One entry for each output of the schema: a list for an output of several tensors."""

    def counts(of: Mapping[str, Any]) -> dict[str | None, int]:
        return {n: v if isinstance(v, int) else len(v) for n, v in of.items() if isinstance(v, (int, list, tuple))}

    sizes = counts({a.name: a.default for a in op.attrs.values()})
    sizes |= {a.number_attr or a.list_attr: len(t) for a, t in zip(op.inputs, tensors) if a.is_list}
    sizes |= counts(attrs)
    out: list[Any] = []
    rest = iter(flat)
    for output in op.outputs:
        if output.is_list:
            out.append([next(rest) for _ in range(sizes[output.number_attr or output.list_attr])])
        else:
            out.append(next(rest))
    return out


def raw_op_names() -> list[str]:
    """The names of all ops."""
    declare_all()
    return sorted(n for n in REGISTRY if not n.startswith("_"))
