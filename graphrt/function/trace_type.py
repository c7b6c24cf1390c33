"""From arguments to the key under which a trace is kept.

A key has two parts. The *type tree* says everything that must agree exactly: structure, dtypes, Python values; the
shapes of the tensors stand beside it, one a tensor, because there a trace may be more general than an argument:

    (tensor of shape [2] and float32, 3)   ->   ("tuple", (("T", float32), ("L", int, 3))), ((2,),)

Tensors and arrays count by dtype and shape, Python values by type and value, variables and other objects by identity
(held weakly), containers by their type and parts.
"""

from __future__ import annotations

import collections.abc
import enum
import weakref
from collections.abc import Callable
from types import FunctionType, MethodType
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.state.variable import Variable
from graphrt.tensor.context import building
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import EagerTensor, SymbolicTensor, Tensor
from graphrt.types.dtype import DType
from graphrt.types.experimental import PlaceholderContext, TracingContext
from graphrt.types.shape import Dims, TensorShape, compatible
from graphrt.types.spec import CompositeSpec, TensorSpec, TypeSpec
from graphrt.types.structure import Composite, Stream, children, is_nested, rebuild, sorted_keys

Tree = tuple[Any, ...]
_CONTEXT = TracingContext()
TENSOR, LITERAL, OBJECT, VARIABLE, METHOD, SEQUENCE, MAPPING, RECORD, COMPOSITE, PROTOCOL = "TLOVMSDRCP"

_SCALARS = (int, str, bytes, bool, type(None))
# compared by value although their instances could be watched by identity
_BY_VALUE: tuple[type, ...] = (DType, TensorShape, range, np.dtype, enum.Enum, TypeSpec)
_BY_VALUE_MODULES = frozenset({"datetime", "decimal", "fractions", "ipaddress", "pathlib", "re", "uuid", "zoneinfo"})


def _compares_by_value(value: Any, kind: type) -> bool:
    """Whether the class says when two of its instances are the same value, as frozen dataclasses do."""
    own = kind.__hash__ is not object.__hash__ and kind.__hash__ is not None and kind.__eq__ is not object.__eq__
    return own and not isinstance(value, (type, FunctionType))


def _is_value(value: Any, kind: type) -> bool:
    if isinstance(value, (bool, int, str, bytes, float, complex, *_BY_VALUE)):
        return True
    # asked by name: importing these modules would cost more than all the rest of this one
    return any(base.__module__.partition(".")[0] in _BY_VALUE_MODULES for base in kind.__mro__)


class Weak:
    """An object as part of a key: equal to another when both stand for the same living object."""

    __slots__ = ("__weakref__", "_hash", "_reference", "on_death")

    def __init__(self, thing: Any) -> None:
        self._hash = id(thing)
        self.on_death: Callable[[], None] | None = None
        self._reference = weakref.ref(thing, self._died)

    def _died(self, _: Any) -> None:
        if self.on_death is not None:
            self.on_death()

    def __call__(self) -> Any:
        return self._reference()

    def __eq__(self, other: Any) -> bool:
        if self is other:
            return True
        mine = self._reference()
        return isinstance(other, Weak) and mine is not None and mine is other._reference()

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        thing = self._reference()
        return "<gone>" if thing is None else f"<{type(thing).__name__} object>"


class Arguments:
    """What a walk over arguments finds: the tensors in order, their shapes, and the weakly held objects.

    `is_open` says that some choose their trace type, so that a trace for another type may serve them.
    """

    __slots__ = ("dims", "is_open", "leaves", "specs_allowed", "weak")

    def __init__(self, specs_allowed: bool = False) -> None:
        self.leaves: list[Any] = []
        self.dims: list[Dims] = []
        self.weak: list[Weak] = []
        self.specs_allowed = specs_allowed
        self.is_open = False

    def tree_of(self, value: Any) -> Tree:
        """The type tree of `value`; its tensors are appended to `leaves`.

        Raises:
          TypeError: the value can be kept neither by value nor by identity.
        """
        kind = type(value)
        if kind is EagerTensor or kind is SymbolicTensor:
            return self._tensor(value, value.dtype, value.dims)
        if kind in _SCALARS:
            return (LITERAL, kind, value)
        if kind is list or kind is tuple:
            return (SEQUENCE, kind, tuple([self.tree_of(v) for v in value]))
        if kind is dict:
            keys = sorted_keys(value)
            return (MAPPING, kind, tuple((type(k), k) for k in keys), tuple([self.tree_of(value[k]) for k in keys]))
        if kind is float:
            return (LITERAL, kind, value.hex())
        if kind is complex:
            return (LITERAL, kind, (value.real.hex(), value.imag.hex()))
        return self._rare(value, kind)

    def names(self) -> list[str | None]:
        """For each tensor the name that its spec gives it."""
        return [leaf.name if isinstance(leaf, TensorSpec) else None for leaf in self.leaves]

    def _tensor(self, value: Any, dtype: DType, dims: Dims) -> Tree:
        self.leaves.append(value)
        self.dims.append(dims)
        if dtype.kind == "O" and dtype.name == "resource" and isinstance(value, EagerTensor):
            if not hasattr(value._value, "traced_by_type"):  # iterators of one type share a trace, variables do not
                return (OBJECT, self._weak(value._value), "handle")
        return (TENSOR, dtype)

    def _weak(self, value: Any) -> Weak:
        made = Weak(value)
        self.weak.append(made)
        return made

    def _rare(self, value: Any, kind: type) -> Tree:
        if isinstance(value, Variable):
            return (VARIABLE, self._weak(value), value.dtype, value.dims, value.trainable)
        if isinstance(value, (np.ndarray, np.generic)):
            return self._array(value)
        if isinstance(value, TensorSpec):
            if not self.specs_allowed:
                raise TypeError(f"found {value!r}, which has no value. Pass a tensor, or use get_concrete_function")
            return self._tensor(value, value.dtype, value.dims)
        if isinstance(value, Tensor):
            return self._tensor(value, value.dtype, value.dims)
        if hasattr(kind, "__tf_tracing_type__"):
            return self._protocol(value)
        if isinstance(value, CompositeSpec):
            if not self.specs_allowed:
                raise TypeError(f"found {value!r}, which has no value. Pass a value, or use get_concrete_function")
            specs = tuple([self.tree_of(s) for s in value._components()])
            return (COMPOSITE, value.value_type, value._static(), specs)
        if isinstance(value, Composite):
            parts = tuple([self.tree_of(v) for v in value.components()])
            spec = getattr(value, "_type_spec", None)
            if isinstance(spec, CompositeSpec):
                return (COMPOSITE, kind, spec._static(), parts)
            return (COMPOSITE, spec.value_type if spec is not None and isinstance(value, Stream) else kind, spec, parts)
        if _has_components(value):
            if not self.specs_allowed:
                raise TypeError(f"found {value!r}, which has no value. Pass a value, or use get_concrete_function")
            specs = tuple([self.tree_of(s) for s in value.component_specs])
            return (COMPOSITE, value.value_type, value, specs)
        if isinstance(value, collections.abc.Mapping):
            keys = sorted_keys(value)
            return (MAPPING, kind, tuple((type(k), k) for k in keys), tuple([self.tree_of(value[k]) for k in keys]))
        if isinstance(value, (list, tuple)) and not hasattr(value, "_fields"):
            return (SEQUENCE, kind, tuple([self.tree_of(v) for v in value]))
        if is_nested(value):
            fixed = self.tree_of(value.__tf_flatten__()[0]) if hasattr(kind, "__tf_flatten__") else None
            return (RECORD, kind, tuple([self.tree_of(v) for _, v in children(value)]), fixed)
        if kind is slice:
            return (RECORD, kind, tuple([self.tree_of(v) for v in (value.start, value.stop, value.step)]), None)
        if kind is MethodType:
            return (METHOD, self.tree_of(value.__func__), self.tree_of(value.__self__))
        if isinstance(value, (set, frozenset)):
            return (LITERAL, kind, frozenset((type(v), v) for v in value))
        if _is_value(value, kind):
            return (LITERAL, kind, value)
        return self._object(value, kind)

    def _protocol(self, value: Any) -> Tree:
        own = value.__tf_tracing_type__(_CONTEXT)
        self.is_open = True
        return (PROTOCOL, own, tuple([self.tree_of(convert_to_tensor_now(t)) for t in own.to_tensors(value)]))

    def _array(self, value: Any) -> Tree:
        tensor = convert_to_tensor_now(value)
        return self._tensor(tensor, tensor.dtype, tensor.dims)

    def _object(self, value: Any, kind: type) -> Tree:
        try:
            if not _compares_by_value(value, kind):
                return (OBJECT, self._weak(value), "object")
        except TypeError:
            pass
        try:
            hash(value)
        except TypeError:
            raise TypeError(
                f"cannot tell whether {value!r} of type {kind.__name__!r} is the same from call to call: it is neither "
                "hashable nor can it be held weakly. Pass a tuple, a dictionary, a tensor, or an object of a class "
                "without __slots__ (or with '__weakref__' among them)."
            ) from None
        return (LITERAL, kind, value)


def _has_components(value: Any) -> Any:
    """Whether `value` is a spec of values that are made of tensors."""
    return isinstance(value, TypeSpec) and hasattr(type(value), "component_specs")


def convert_to_tensor_now(value: Any, dtype: DType | None = None) -> Any:
    """`value` as a concrete tensor, also while a graph is being traced (symbolic tensors stay symbolic)."""
    if isinstance(value, Tensor):
        return value
    with building(None):
        return convert_to_tensor(value, dtype=dtype)


# --- trees that include others ---------------------------------------------------------------------------------------
def includes(general: Any, special: Any) -> bool:
    """Whether a trace for the static part `general` serves calls of `special`: they differ in trace types at most."""
    if not isinstance(general, tuple) or not isinstance(special, tuple):
        return bool(general == special)
    if len(general) != len(special):
        return False
    if len(general) == 3 and general[0] == special[0] == PROTOCOL:
        same = general[1] == special[1]
        return general[2] == special[2] and bool(same or special[1].is_subtype_of(general[1]))
    return all(map(includes, general, special))


def common(a: Any, b: Any) -> Any:
    """The static part that includes `a` and `b`; None when they differ in more than trace types with a supertype."""
    if not isinstance(a, tuple) or not isinstance(b, tuple):
        return a if a == b else None
    if len(a) != len(b):
        return None
    if len(a) == 3 and a[0] == b[0] == PROTOCOL:
        both = a[1] if a[1] == b[1] else a[1].most_specific_common_supertype([b[1]])
        return None if both is None or a[2] != b[2] else (PROTOCOL, both, a[2])
    parts = [x if x is y else common(x, y) for x, y in zip(a, b)]
    return None if any(p is None and x is not None for p, x in zip(parts, a)) else tuple(parts)


def chosen_types(static: Any) -> list[Any]:
    """The trace types that arguments chose, in walking order."""
    if not isinstance(static, tuple):
        return []
    if len(static) == 3 and isinstance(static[0], str) and static[0] == PROTOCOL:
        return [static[1]]
    return [t for part in static for t in chosen_types(part)]


class Supply:
    """What stands for the tensors of the arguments, and the trace types of those that choose one, in walking order."""

    __slots__ = ("_tensors", "_types")

    def __init__(self, tensors: Any, types: Any) -> None:
        self._tensors = iter(tensors)
        self._types = iter(types)

    def __iter__(self) -> Supply:
        return self

    def __next__(self) -> Any:
        return next(self._tensors)

    def placeholder(self) -> Any:
        """What stands for the next argument that chose its trace type."""
        return next(self._types).placeholder_value(PlaceholderContext(self))


# --- from a tree back to values --------------------------------------------------------------------------------------
def substitute(value: Any, supply: Any) -> Any:
    """`value` with its tensors (and arrays, specs) replaced by those that `supply` yields, in walking order."""
    kind = type(value)
    if kind is EagerTensor or kind is SymbolicTensor:
        return next(supply)
    if kind in _SCALARS or kind is float or kind is complex or isinstance(value, Variable):
        return value
    if isinstance(value, (np.ndarray, np.generic, Tensor, TensorSpec)):
        return next(supply)
    if hasattr(kind, "__tf_tracing_type__"):
        return supply.placeholder()
    if isinstance(value, CompositeSpec):
        return value._build([next(supply) for _ in value._components()])
    if isinstance(value, Composite):
        return value.with_components([substitute(v, supply) for v in value.components()])
    if _has_components(value):
        return value.from_components([next(supply) for _ in value.component_specs])
    if is_nested(value):
        return rebuild(value, [substitute(v, supply) for _, v in children(value)])
    if kind is MethodType:
        return MethodType(value.__func__, substitute(value.__self__, supply))
    if kind is slice:
        return slice(*(substitute(v, supply) for v in (value.start, value.stop, value.step)))
    return value


def same(a: Any, b: Any) -> bool:
    """Whether two structures have the same form and the very same leaves."""
    if a is b:
        return True
    if type(a) is not type(b) or not is_nested(a):
        return not is_nested(a) and not isinstance(a, (Tensor, Variable, list, tuple, dict))
    if isinstance(a, collections.abc.Mapping) and set(a) != set(b):
        return False
    parts, others = children(a), children(b)
    return len(parts) == len(others) and all(same(x, y) for (_, x), (_, y) in zip(parts, others))


class Mismatch(TypeError):
    """An argument does not have the type that a trace was made for."""


def fit(tree: Tree, dims: Any, value: Any, path: str, leaves: list[Any]) -> None:
    """Takes the tensors that `tree` wants out of `value` into `leaves`; `dims` yields the shapes wanted.

    Python numbers, lists and arrays become tensors where the tree has one.

    Raises:
      Mismatch: naming the argument, what was expected and what was found.
    """
    tag = tree[0]
    if tag == TENSOR:
        leaves.append(_fit_tensor(tree[1], next(dims), value, path, len(leaves)))
        return
    if tag in (SEQUENCE, RECORD):
        _fit_parts(tree, dims, value, path, leaves)
        return
    if tag == MAPPING:
        keys = [k for _, k in tree[2]]
        if not isinstance(value, collections.abc.Mapping):
            raise Mismatch(
                f"argument {path}: expected {describe(tree)}, found {value!r} of type {type(value).__name__}"
            )
        if set(value) != set(keys):
            raise Mismatch(
                f"argument {path}: expected a mapping with the keys {keys}, found the keys {sorted_keys(value)}"
            )
        for key, part in zip(keys, tree[3]):
            fit(part, dims, value[key], f"{path}[{key!r}]", leaves)
        return
    found = Arguments()
    other = found.tree_of(value)
    if other != tree:
        if tag == COMPOSITE and other[0] == COMPOSITE and other[1] is tree[1]:
            if isinstance(tree[2], CompositeSpec) and not tree[2]._covers(other[2]):
                raise Mismatch(f"argument {path}: expected {tree[2]!r}, found {_shown(value)}")
            if isinstance(value, Stream) and not other[2].is_subtype_of(tree[2]):
                raise Mismatch(f"argument {path}: expected {tree[2]!r}, found {_shown(value)}")
            for i, (part, piece) in enumerate(zip(tree[3], value.components())):
                fit(part, dims, piece, f"{path}.components[{i}]", leaves)
            return
        if not (tag == PROTOCOL and includes(tree, other)):
            raise Mismatch(_cast_error(tree, value, path))
    for leaf, shape in zip(found.leaves, found.dims):
        wanted = next(dims)
        if not covers(wanted, shape):
            raise Mismatch(f"argument {path}: expected shape {TensorShape(wanted)}, found {TensorShape(shape)}")
        leaves.append(leaf)


def _cast_error(tree: Tree, value: Any, path: str) -> str:
    """What TensorFlow says, then where and what."""
    text = f"argument {path}: expected {describe(tree)}, found {_shown(value)}"
    return f"Can not cast {value!r} to {describe(tree)}: {text}" if tree[0] == LITERAL else text


def _fit_parts(tree: Tree, dims: Any, value: Any, path: str, leaves: list[Any]) -> None:
    kind, parts = tree[1], tree[2]
    if kind is slice:
        pieces = [value.start, value.stop, value.step] if isinstance(value, slice) else None
    elif tree[0] == SEQUENCE:
        # a list stands for a tuple and the other way round when a signature was declared
        pieces = list(value) if isinstance(value, (list, tuple)) and not hasattr(value, "_fields") else None
    else:
        pieces = [v for _, v in children(value)] if type(value) is kind else None
        if pieces is not None and tree[3] is not None and Arguments().tree_of(value.__tf_flatten__()[0]) != tree[3]:
            pieces = None  # what is no tensor in it differs
    if pieces is None:
        raise Mismatch(f"argument {path}: expected {describe(tree)}, found {_shown(value)}")
    if len(pieces) != len(parts):
        raise Mismatch(f"argument {path}: expected {len(parts)} elements ({describe(tree)}), found {len(pieces)}")
    for i, (part, piece) in enumerate(zip(parts, pieces)):
        fit(part, dims, piece, f"{path}[{i}]", leaves)


def cxx_name(dtype: DType) -> str:
    """What TensorFlow's kernels call a dtype in their messages."""
    return {"float32": "float", "float64": "double", "float16": "half"}.get(dtype.name, dtype.name)


def _fit_tensor(dtype: DType, dims: Dims, value: Any, path: str, position: int) -> Any:
    wanted = TensorSpec(dims, dtype)
    if isinstance(value, Variable):
        value = value.value()
    if isinstance(value, Tensor):
        tensor = value
    elif value is None or isinstance(value, TypeSpec):
        raise Mismatch(f"argument {path}: expected a tensor ({wanted!r}), found {value!r}")
    else:
        try:
            tensor = convert_to_tensor_now(value, dtype)
        except (TypeError, ValueError) as error:
            why = str(error).partition("\n  at ")[0]  # the place is told by whoever refuses the call
            raise Mismatch(
                f"argument {path}: expected {wanted!r}, found {_shown(value)}, which cannot be cast to it ({why})"
            ) from None
    if tensor.dtype is not dtype:
        raise DtypeMismatch(
            f"Can not cast {TensorSpec(tensor.dims, tensor.dtype)!r} to {wanted!r}: argument {path} must be "
            f"{wanted!r}, found a tensor of shape {tensor.shape} and dtype {tensor.dtype.name}. Use "
            f"tf.cast(x, tf.{dtype.name}).",
            f"input #{position}(zero-based) was expected to be a {cxx_name(dtype)} tensor but is a "
            f"{cxx_name(tensor.dtype)} tensor: argument {path} must be {wanted!r}, found a tensor of shape "
            f"{tensor.shape} and dtype {tensor.dtype.name}. Use tf.cast(x, tf.{dtype.name}).",
        )
    if not compatible(dims, tensor.dims):
        raise ShapeMismatch(
            f"Can not cast {TensorSpec(tensor.dims, tensor.dtype)!r} to {wanted!r}: argument {path}: expected "
            f"{wanted!r}, found a tensor of shape {tensor.shape}"
        )
    return tensor


class DtypeMismatch(Mismatch, errors.InvalidArgumentError):
    """A tensor has another dtype than a trace was made for."""

    def __init__(self, declared: str, computed: str) -> None:
        errors.InvalidArgumentError.__init__(self, None, None, computed)
        self.declared = declared


class ShapeMismatch(Mismatch, ValueError):
    """A tensor has another shape than a trace was made for."""


def _shown(value: Any) -> str:
    if isinstance(value, Tensor):
        return f"a tensor of dtype {value.dtype.name} and shape {value.shape}"
    text = repr(value)
    return f"{text if len(text) < 80 else text[:77] + '...'} of type {type(value).__name__}"


def covers(general: Dims, special: Dims) -> bool:
    """Whether every tensor of shape `special` also has shape `general`."""
    if general is None:
        return True
    return (
        special is not None
        and len(general) == len(special)
        and all(g is None or g == s for g, s in zip(general, special))
    )


# --- trees as text and as specs --------------------------------------------------------------------------------------
def describe(tree: Tree, dims: Any = None) -> str:
    """`tree` as TensorFlow writes trace types; `dims` yields the shapes of the tensors and the names of their specs."""
    tag = tree[0]
    if tag == TENSOR:
        if dims is None:
            return f"a tensor of dtype {tree[1].name}"
        shape, name = next(dims)
        return repr(TensorSpec(shape, tree[1], name))
    if tag == LITERAL:
        return f"Literal[{literal_value(tree)!r}]"
    if tag == VARIABLE:
        return f"VariableSpec(shape={TensorShape(tree[3])}, dtype={tree[2]!r}, trainable={tree[4]})"
    if tag == SEQUENCE:
        name = {list: "List", tuple: "Tuple"}.get(tree[1], tree[1].__name__)
        return f"{name}[{', '.join(describe(t, dims) for t in tree[2])}]"
    if tag == MAPPING:
        parts = ", ".join(f"[{k!r}, {describe(t, dims)}]" for (_, k), t in zip(tree[2], tree[3]))
        return f"Dict[{parts}]"
    if tag == RECORD:
        return f"{tree[1].__name__}[{', '.join(describe(t, dims) for t in tree[2])}]"
    if tag == COMPOSITE:
        if isinstance(tree[2], CompositeSpec):
            if dims is None:
                return repr(tree[2])
            return repr(tree[2]._with_specs([TensorSpec(d, t[1], n) for t, (d, n) in zip(tree[3], dims)]))
        parts = ", ".join([describe(t, dims) for t in tree[3]])
        return f"{tree[1].__name__}[{parts}]" if tree[2] is None else repr(tree[2])
    if tag == METHOD:
        return f"method {describe(tree[1], dims)}"
    if tag == PROTOCOL:
        for part in tree[2]:
            describe(part, dims)
        return repr(tree[1])
    if tree[2] == "handle" and dims is not None:
        next(dims)
    thing = tree[1]()
    return f"object of type {type(thing).__name__}" if thing is not None else "an object that is gone"


def literal_value(tree: Tree) -> Any:
    """The Python value of a literal."""
    kind, value = tree[1], tree[2]
    if kind is float:
        return float.fromhex(value)
    if kind is complex:
        return complex(float.fromhex(value[0]), float.fromhex(value[1]))
    if kind is set or kind is frozenset:
        return kind(v for _, v in value)
    return value


def spec_tree(tree: Tree, dims: Any, names: Any) -> Any:
    """`tree` as a structure with a `TensorSpec` for each tensor (named by `names`) and Python values as they are."""
    tag = tree[0]
    if tag == TENSOR:
        return TensorSpec(next(dims), tree[1], next(names))
    if tag == LITERAL:
        return literal_value(tree)
    if tag == SEQUENCE:
        return tree[1]([spec_tree(t, dims, names) for t in tree[2]])
    if tag == MAPPING:
        items = [(k, spec_tree(t, dims, names)) for (_, k), t in zip(tree[2], tree[3])]
        return dict(items)
    if tag == RECORD:
        parts = [spec_tree(t, dims, names) for t in tree[2]]
        if tree[3] is not None:
            return tree[1].__tf_unflatten__(spec_tree(tree[3], dims, names), tuple(parts))
        return tree[1](*parts)
    if tag == COMPOSITE:
        specs = [spec_tree(t, dims, names) for t in tree[3]]
        if hasattr(tree[2], "element_spec"):
            return tree[2]
        return (
            tree[2]._with_specs([TensorSpec(s.shape, s.dtype) for s in specs])
            if isinstance(tree[2], CompositeSpec)
            else specs
        )
    if tag == PROTOCOL:
        for part in tree[2]:
            spec_tree(part, dims, names)
    if tag == VARIABLE:
        return TensorSpec(tree[3], tree[2])
    if tag == OBJECT:
        if tree[2] == "handle":
            next(dims), next(names)
        return tree[1]()
    if tag == METHOD:
        return spec_tree(tree[1], dims, names)
    return tree[1]


def leaf_names(tree: Tree, base: str, found: list[tuple[str, str]]) -> None:
    """For each tensor of `tree` its `(argument, full name)`: `("y", "y_q_0")` for `y["q"][0]`."""
    _names(tree, base, base, found)


def _names(tree: Tree, base: str, full: str, found: list[tuple[str, str]]) -> None:
    tag = tree[0]
    if tag == TENSOR or (tag == OBJECT and tree[2] == "handle"):
        found.append((base, full))
    elif tag in (SEQUENCE, RECORD):
        fields = getattr(tree[1], "_fields", None)
        for i, part in enumerate(tree[2]):
            _names(part, base, f"{full}_{fields[i] if fields else i}", found)
    elif tag == MAPPING:
        for (_, key), part in zip(tree[2], tree[3]):
            _names(part, base, f"{full}_{key}", found)
    elif tag == COMPOSITE:
        for i, part in enumerate(tree[3]):
            _names(part, base, f"{full}_{i}", found)
    elif tag == PROTOCOL:
        for i, part in enumerate(tree[2]):
            _names(part, base, f"{full}_{i}", found)
    elif tag == METHOD:
        _names(tree[2], base, full, found)
