"""`KerasTensor`: what stands for the data while a model is put together, and remembers how it was made.

>>> import graphrt as tf
>>> x = tf.keras.Input((3,))
>>> y = tf.keras.layers.Dense(2)(x)
>>> y.shape, y.dtype
((None, 2), 'float32')
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn, TypeVar

import graphrt as tf
from graphrt.keras.config import standardize_dtype
from graphrt.keras.masks import mask_of, set_mask
from graphrt.keras.names import auto_name
from graphrt.tensor.func_graph import FuncGraph
from graphrt.tensor.tensor import Tensor
from graphrt.tensor.trace import trace_into
from graphrt.types import structure
from graphrt.types.likes import DTypeLike, ShapeLike, TensorLike
from graphrt.types.nesting import shown, told

_F = TypeVar("_F", bound=Callable[..., Any])


class Node:
    """One call of a layer on symbolic arguments: `layer(*args, **kwargs)` gave `outputs`.

    `masks` are those that the layer takes along with its arguments. They are computed while the model runs; here they
    only stand for the operations that Keras counts.
    """

    def __init__(
        self, layer: Any, args: tuple[Any, ...], kwargs: dict[str, Any], outputs: list[KerasTensor],
        masks: Sequence[KerasTensor] = (),
    ) -> None:  # fmt: skip
        self.layer, self.args, self.kwargs, self.outputs, self.masks = layer, args, kwargs, outputs, masks
        self.index = len(layer._nodes)
        layer._nodes.append(self)
        for position, output in enumerate(outputs):
            output._keras_history = (layer, self.index, position)
            output._node = self

    @property
    def inputs(self) -> list[KerasTensor]:
        """The symbolic tensors among the arguments."""
        return [t for t in structure.flatten((self.args, self.kwargs)) if isinstance(t, KerasTensor)]


def call_behind(tensor: KerasTensor) -> Node | None:
    """The call that gave a symbolic tensor; None for one that no layer made."""
    return tensor._node


def place_behind(tensor: KerasTensor) -> tuple[Node, int]:
    """The call that gave a symbolic tensor, and which of its outputs it is.

    Raises:
      ValueError: no layer made it.
    """
    if tensor._node is None or tensor._keras_history is None:
        raise ValueError(f"{shown(tensor)} was made by no layer: begin with `keras.Input`.")
    return tensor._node, tensor._keras_history[2]


def calls_of(layer: Any) -> list[Node]:
    """The calls of a layer on symbolic arguments, in their order."""
    return list(getattr(layer, "_nodes", ()))


class KerasTensor:
    """A tensor without a value, of known dtype and partly known shape; operators make further ones.

    >>> import graphrt as tf
    >>> (tf.keras.KerasTensor((None, 3)) * 2.0)[:, 0].shape
    (None,)
    """

    def __init__(
        self, shape: ShapeLike, dtype: DTypeLike = "float32", sparse: bool = False, ragged: bool = False,
        record_history: bool = True, name: str | None = None, **kwargs: object,
    ) -> None:  # fmt: skip
        self.shape = tuple(tf.TensorShape(shape).as_list())
        self.dtype = standardize_dtype(dtype)
        self.name = name or auto_name("keras_tensor")
        self.sparse, self.ragged = sparse, ragged
        self._keras_history: tuple[Any, int, int] | None = None
        self._node: Node | None = None
        self._keras_mask: Any = None

    @property
    def ndim(self) -> int:
        """The rank."""
        return len(self.shape)

    def __repr__(self) -> str:
        kind = f"sparse={self.sparse}, ragged={self.ragged}"
        return f"<KerasTensor shape={self.shape}, dtype={self.dtype}, {kind}, name={self.name}>"

    def _refuse(self, what: str, error: type[Exception] = TypeError) -> NoReturn:
        raise error(
            f"A KerasTensor cannot be {what}: it stands for data that comes later, and is only to be given to layers, "
            "operators and functions of `keras.ops`. To use other functions, wrap them in a layer: "
            "`keras.layers.Lambda(function)(x)`, or a Layer with the function in `call`."
        )

    def __tf_tensor__(self, dtype: DTypeLike | None = None, name: str | None = None) -> Any:
        self._refuse("used as input to a TensorFlow function", ValueError)

    def __array__(self, *args: Any, **kwargs: object) -> Any:
        self._refuse("turned into a NumPy array", ValueError)

    def __bool__(self) -> bool:
        self._refuse("used as a boolean")

    def __int__(self) -> int:
        self._refuse("turned into an int")

    def __float__(self) -> float:
        self._refuse("turned into a float")

    def __iter__(self) -> NoReturn:
        self._refuse("iterated over", NotImplementedError)

    __hash__ = object.__hash__

    def __getitem__(self, key: tuple[slice, int]) -> Any:
        return apply_symbolically(item, "get_item", (self, key), None, _of_numpy("get_item"))

    def __len__(self) -> NoReturn:
        self._refuse("measured with len()")


def item(x: Any, key: object) -> object:
    """What stands in `x` at `key`: an index, or several, of which files make a list."""
    return x[tuple(key) if isinstance(key, list) else key]


def _of_numpy(label: str) -> dict[str, object]:
    """What files say of an operator: the class in Keras that stands for it."""
    kind = "".join(map(str.capitalize, label.split("_")))
    return {
        "module": "keras.src.ops.numpy", "class_name": kind, "config": {"name": auto_name(label)},
        "registered_name": kind,
    }  # fmt: skip


def _operator(name: str, label: str, is_turned: bool = False) -> None:
    function = getattr(tf.Tensor, name)

    def straight(x: TensorLike, *others: object) -> object:
        return function(tf.convert_to_tensor(x), *others)

    def turned(other: object, x: TensorLike) -> object:
        return function(tf.convert_to_tensor(x), other)

    def method(self: KerasTensor, *others: float) -> Any:
        args = (*others, self) if is_turned else (self, *others)
        return apply_symbolically(turned if is_turned else straight, label, args, None, _of_numpy(label))

    setattr(KerasTensor, name, method)


for _name, _label in {
    "add": "add", "sub": "subtract", "mul": "multiply", "truediv": "true_divide", "floordiv": "floor_divide",
    "mod": "mod", "pow": "power", "matmul": "matmul", "and": "logical_and", "or": "logical_or", "xor": "logical_xor",
}.items():  # fmt: skip
    _operator(f"__{_name}__", _label)
    _operator(f"__r{_name}__", _label, True)
for _name, _label in {
    "lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal",
    "neg": "negative", "abs": "absolute", "invert": "logical_not",
}.items():  # fmt: skip
    _operator(f"__{_name}__", _label)


def any_symbolic(value: object) -> bool:
    """Whether a `KerasTensor` is somewhere in the structure.

    Raises:
      ValueError: the structure is nested too deep, or holds itself.
    """
    try:
        return _any_symbolic(value)
    except RecursionError as error:
        raise told([value], error) from None


def _any_symbolic(value: object) -> bool:
    if isinstance(value, (list, tuple)):
        return any(_any_symbolic(v) for v in value)
    if isinstance(value, dict):
        return any(_any_symbolic(v) for v in value.values())
    return isinstance(value, KerasTensor)


def substitute(value: Any, replace: Callable[[KerasTensor], Any]) -> Any:
    """The structure with each `KerasTensor` replaced."""
    return structure.map_structure(lambda v: replace(v) if isinstance(v, KerasTensor) else v, value)


def traced_spec(function: Callable[..., Any], args: TensorLike, kwargs: dict[str, Any]) -> Any:
    """What `function` gives for tensors like the `KerasTensor`s among the arguments: new ones, in the same structure.

    The function is traced on placeholders, and the graph thrown away; weights that it makes stay.
    """
    with tf.init_scope():
        graph = FuncGraph("keras_spec")

        def run() -> Tensor:
            def placeholder(t: KerasTensor) -> Tensor:
                made = graph.placeholder(tf.as_dtype(t.dtype), t.shape, "input")
                if isinstance(mask := mask_of(t), KerasTensor):  # `call` may insist on one
                    set_mask(made, placeholder(mask))
                return made

            given_args, given_kwargs = substitute((args, kwargs), placeholder)
            return function(*given_args, **given_kwargs)

        trace_into(graph, run)
    return structure.map_structure(
        lambda t: None if t is None else KerasTensor(t.shape, t.dtype), graph.structured_outputs
    )


class FunctionLayer:
    """A function that was called on symbolic tensors, in the place that a layer has in a model.

    `described` is what a file said of it, with its name, which another file can say again.
    """

    def __init__(self, function: Callable[..., Any], label: str, described: Mapping[str, Any] | None = None) -> None:
        self.function = function
        self.name = described["config"]["name"] if described is not None else auto_name(label)
        self._nodes: list[Node] = []
        self.label, self.described = label, described

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.function(*args, **kwargs)


def apply_symbolically(
    function: Callable[..., Any], label: str, args: tuple[Any, ...], kwargs: dict[Any, Any] | None = None,
    described: Mapping[str, Any] | None = None,
) -> Any:  # fmt: skip
    """`function` of symbolic tensors, as a further step of the model."""
    kwargs = kwargs or {}
    outputs = traced_spec(function, args, kwargs)
    step = FunctionLayer(function, label, described)
    Node(step, args, kwargs, [t for t in structure.flatten(outputs) if t is not None])
    return outputs


def works_on_symbols(function: _F) -> _F:
    """Decorates a function of tensors so that it takes `KerasTensor`s too."""

    @functools.wraps(function)
    def either(*args: Any, **kwargs: Any) -> Any:
        try:
            if any_symbolic(args) or any_symbolic(kwargs):
                return apply_symbolically(function, function.__name__, args, kwargs)
            return function(*args, **kwargs)
        except RecursionError as error:
            raise told((*args, *kwargs.values()), error) from None

    return either  # type: ignore[return-value]


def is_keras_tensor(x: TensorLike) -> bool:
    """Whether `x` is a symbolic tensor of which models are put together.

    >>> import graphrt as tf
    >>> tf.keras.utils.is_keras_tensor(tf.keras.Input([3])), tf.keras.utils.is_keras_tensor(tf.ones([3]))
    (True, False)
    """
    return isinstance(x, KerasTensor)
