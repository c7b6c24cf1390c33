"""Functions of functions: `map_fn`, `vectorized_map`, `foldl`, `foldr`, `scan`.

Each is one loop over the first dimension of its elements, recorded as a `While` node while tracing and run as a Python
loop otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from graphrt import errors
from graphrt.control_flow.row_types import has_rows, over_tensors, spec_of
from graphrt.control_flow.while_loop import while_loop
from graphrt.ops.array.concat_split import concat, stack
from graphrt.ops.array.shape import Shape, broadcast_to
from graphrt.ops.lists.tensor_array import TensorArray
from graphrt.ops.math.reduction import reduce_max
from graphrt.tensor.context import building
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.func_graph import FuncGraph
from graphrt.tensor.tensor import Tensor
from graphrt.types import structure
from graphrt.types.dtype import DType, int32
from graphrt.types.likes import DTypeLike, TensorLike
from graphrt.types.nesting import shown
from graphrt.types.spec import CompositeSpec, TensorSpec, any_element, element_of


def _elements(elems: Any, what: str, broadcast: bool = False) -> tuple[Any, list[Tensor], Any]:
    """The structure of `elems`, its tensors, and the number of elements (an int when it is known)."""
    tensors = [convert_to_tensor(e) for e in structure.flatten(elems)]
    if not tensors:
        raise ValueError(errors.at_user_line(f"{what} needs at least one tensor in `elems`"))
    for tensor in tensors:
        if tensor.dims == ():
            raise ValueError(
                errors.at_user_line(
                    f"{what} works along the first dimension of its elements, but {shown(tensor)} is a scalar"
                )
            )
    known = {t.dims[0] for t in tensors if t.dims is not None and t.dims[0] is not None}
    if broadcast and len(known) > 1:
        known.discard(1)
    if len(known) > 1:
        raise errors.ShapeError(
            errors.at_user_line(f"the elements of {what} must have one length, found {sorted(known)}")
        )
    size = known.pop() if known else Shape(tensors[0])[0]
    return elems, tensors, size


def _arrays(tensors: list[Tensor], size: int) -> list[TensorArray]:
    return [
        TensorArray(t.dtype, size=size, element_shape=None if t.dims is None else t.dims[1:]).unstack(t)
        for t in tensors
    ]


def _results(dtypes: list[Any], shapes: list[Any], size: int) -> list[TensorArray]:
    return [TensorArray(d, size=size, element_shape=s, infer_shape=s is None) for d, s in zip(dtypes, shapes)]


def _stacked(arrays: Sequence[TensorArray], size: int, like: list[Any]) -> list[Tensor]:
    out = []
    for array, dims in zip(arrays, like):
        stacked = array.stack()
        if dims is not None and not stacked.shape.is_fully_defined():
            stacked.set_shape((size if isinstance(size, int) else None, *dims))
        out.append(stacked)
    return out


def map_fn(
    fn: Callable[[Any], Any],
    elems: object,
    dtype: DTypeLike | None = None,
    parallel_iterations: int | None = None,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    name: str | None = None,
    fn_output_signature: object = None,
) -> Any:
    """Applies `fn` to each element along the first dimension of `elems`, and stacks the results.

    `elems` is a tensor or a structure of tensors of one length; `fn` gets one element of each. `fn_output_signature`
    gives the dtypes or specs of what `fn` returns where they differ from those of `elems`.

    >>> import graphrt as tf
    >>> tf.map_fn(lambda x: x * x, tf.constant([1, 2, 3])).numpy().tolist()
    [1, 4, 9]

    Raises:
      TypeError: `fn` is not callable, or its results do not have the dtypes announced.
      ValueError: the elements are scalars, or of several lengths.
    """
    if not callable(fn):
        raise TypeError(f"The provided function {shown(fn)} is not callable.")
    announced = fn_output_signature if fn_output_signature is not None else dtype
    if any(has_rows(e) for e in structure.flatten([elems, announced])):
        return over_tensors(map_fn, fn, elems, announced, parallel_iterations=parallel_iterations, name=name)
    if any(isinstance(e, (structure.Dispatching, CompositeSpec)) for e in structure.flatten([elems, announced])):
        from graphrt.control_flow.ragged_map import map_rows  # lazy: few programs have ragged tensors

        return map_rows(fn, elems, announced, name)
    like, tensors, size = _elements(elems, "map_fn")
    signature = fn_output_signature if fn_output_signature is not None else dtype
    wanted = like if signature is None else signature
    specs = [_spec(s) for s in (tensors if signature is None else structure.flatten(signature))]
    inputs = _arrays(tensors, size)
    outputs = _results(
        [s.dtype for s in specs], [s.dims if signature is not None and s.dims else None for s in specs], size
    )
    inferred: list[Any] = [None] * len(specs)

    def body(i: Tensor, arrays: list[TensorArray]) -> tuple[Tensor, list[TensorArray]]:
        result = fn(structure.pack_like(like, [a.read(i) for a in inputs]))
        structure.assert_same_structure(wanted, result, check_types=False)
        values = [convert_to_tensor(v, dtype_hint=s.dtype) for v, s in zip(structure.flatten(result), specs)]
        for k, (value, spec) in enumerate(zip(values, specs)):
            if value.dtype is not spec.dtype:
                origin = ": that is the dtype of `elems`" if signature is None else ""
                raise TypeError(
                    errors.at_user_line(
                        f"map_fn: the function returns {value.dtype.name}, but {spec.dtype.name} was expected{origin}. "
                        f"Say `fn_output_signature=tf.{value.dtype.name}`."
                    )
                )
            inferred[k] = value.dims
        return i + 1, [a.write(i, v) for a, v in zip(arrays, values)]

    _, arrays = while_loop(
        lambda i, _: i < size,
        body,
        (convert_to_tensor(0), outputs),
        parallel_iterations=parallel_iterations or 10,
        maximum_iterations=size,
        name=name or "map/while",
    )
    return structure.pack_like(wanted, _stacked(arrays, size, inferred))


def _spec(value: DType | Tensor | TensorSpec) -> TensorSpec:
    if isinstance(value, TensorSpec):
        return value
    if isinstance(value, Tensor):
        return TensorSpec(value.shape[1:], value.dtype)
    return TensorSpec(None, value)


def vectorized_map(
    fn: Callable[[Any], Any], elems: TensorLike, fallback_to_while_loop: bool = True, warn: bool = True
) -> Tensor:
    """Applies `fn` to each element along the first dimension of `elems`; types of the results are free.

    Where the elements of one tensor are many and another has a single one, that one goes with each of them.

    >>> import graphrt as tf
    >>> tf.vectorized_map(lambda x: tf.cast(x, tf.float32) / 2, tf.constant([1, 2])).numpy().tolist()
    [0.5, 1.0]

    Raises:
      ValueError: the elements are scalars, or of several lengths.
    """
    leaves: list[Any] = structure.flatten(elems)
    leaves = [e if isinstance(e, structure.Composite) else convert_to_tensor(e) for e in leaves]
    if not any(isinstance(e, structure.Composite) for e in leaves):
        leaves = _of_one_length(_elements(elems, "vectorized_map", broadcast=True)[1])
    elems = structure.pack_like(elems, leaves)
    example = _example(fn, elems, leaves)
    specs = structure.map_structure(_type_of, example)

    def row(element: Any) -> Any:
        return structure.map_structure(lambda v: 0 if v is None else v, fn(element))

    found = map_fn(row, elems, fn_output_signature=specs)
    return structure.map_structure(lambda e, v: None if e is None else v, example, found)


def _of_one_length(tensors: list[Tensor]) -> list[Tensor]:
    """Tensors of one element repeat it, where others have more."""
    lengths = [None if t.dims is None else t.dims[0] for t in tensors]
    if len(tensors) == 1 or (None not in lengths and len(set(lengths)) == 1):
        return tensors
    shapes = [Shape(t) for t in tensors]
    known = [n for n in lengths if n not in (None, 1)]
    size: Any = known[0] if known else reduce_max(stack([s[0] for s in shapes]), 0)
    found = [broadcast_to(t, concat([[size], s[1:]], 0)) for t, s in zip(tensors, shapes)]
    for tensor, wide in zip(tensors, found):
        if tensor.dims is not None:
            wide.set_shape((known[0] if known else None, *tensor.dims[1:]))
    return found


def _example(fn: Callable[[Any], Any], elems: object, leaves: list[Any]) -> Any:
    """What `fn` returns for one element, traced for its types alone."""
    scratch = FuncGraph("scratch", is_part=True)

    def held(spec: TensorSpec) -> Tensor:
        return scratch.placeholder(spec.dtype, spec.dims, "element")

    def one_of(leaf: Any) -> Any:
        if not isinstance(leaf, structure.Composite):
            return held(TensorSpec(None if leaf.dims is None else leaf.dims[1:], leaf.dtype))
        spec = element_of(spec_of(leaf))
        return any_element(spec, [held(s) for s in spec.component_specs])

    with building(scratch):
        result = fn(structure.pack_like(elems, [one_of(leaf) for leaf in leaves]))
        return structure.map_structure(
            lambda v: v if v is None or isinstance(v, structure.Composite) else convert_to_tensor(v), result
        )


def _type_of(result: Any) -> Any:
    if result is None:
        return TensorSpec((), int32)  # something has to stand for it
    if isinstance(result, structure.Composite):
        return spec_of(result)
    return TensorSpec(result.dims, result.dtype)


def foldl(
    fn: Callable[[Any, Any], Any],
    elems: TensorLike,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Tensor:
    """Combines the elements from the first to the last: `fn(fn(initializer, e0), e1)` and so on.

    Without `initializer` the first element takes its place.

    >>> import graphrt as tf
    >>> tf.foldl(lambda a, x: a * 10 + x, tf.constant([1, 2, 3])).numpy()
    np.int32(123)

    Raises:
      TypeError: `fn` is not callable.
      ValueError: the elements are scalars, or of several lengths.
    """
    return _fold(fn, elems, initializer, False, parallel_iterations, name or "foldl")


def foldr(
    fn: Callable[[Any, Any], Any],
    elems: TensorLike,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Tensor:
    """Combines the elements from the last to the first.

    >>> import graphrt as tf
    >>> tf.foldr(lambda a, x: a * 10 + x, tf.constant([1, 2, 3])).numpy()
    np.int32(321)

    Raises:
      TypeError: `fn` is not callable.
      ValueError: the elements are scalars, or of several lengths.
    """
    return _fold(fn, elems, initializer, True, parallel_iterations, name or "foldr")


def _fold(
    fn: Callable[..., Any], elems: Any, initializer: Any, backwards: bool, parallel_iterations: int, name: str
) -> Tensor:
    if not callable(fn):
        raise TypeError(f"The provided function {shown(fn)} is not callable.")
    like, tensors, size = _elements(elems, name)
    inputs = _arrays(tensors, size)

    def element(i: Tensor) -> Tensor:
        at = size - 1 - i if backwards else i
        return structure.pack_like(like, [a.read(at) for a in inputs])

    start = 0
    if initializer is None:
        if isinstance(size, int) and size == 0:
            raise ValueError(errors.at_user_line(f"{name} of no elements needs an initializer"))
        initializer, start = element(convert_to_tensor(0)), 1
    first = structure.map_structure(convert_to_tensor, initializer)
    _, result = while_loop(
        lambda i, _: i < size,
        lambda i, a: (i + 1, fn(a, element(i))),
        (convert_to_tensor(start), first),
        parallel_iterations=parallel_iterations,
        maximum_iterations=size,
        name=f"{name}/while",
    )
    return result


def scan(
    fn: Callable[[Any, Any], Any],
    elems: TensorLike,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    reverse: bool = False,
    name: str | None = None,
) -> Tensor:
    """All intermediate results of a fold, stacked: `[fn(initializer, e0), fn(fn(initializer, e0), e1), ...]`.

    Without `initializer` the first element is the first result.

    >>> import graphrt as tf
    >>> tf.scan(lambda a, x: a + x, tf.constant([1, 2, 3])).numpy().tolist()
    [1, 3, 6]

    Raises:
      TypeError: `fn` is not callable.
      ValueError: the elements are scalars, or of several lengths.
    """
    if not callable(fn):
        raise TypeError(f"The provided function {shown(fn)} is not callable.")
    like, tensors, size = _elements(elems, "scan")
    inputs = _arrays(tensors, size)

    def position(i: Tensor) -> Tensor:
        return size - 1 - i if reverse else i

    def element(i: Tensor) -> Tensor:
        return structure.pack_like(like, [a.read(position(i)) for a in inputs])

    start = 0
    if initializer is None:
        if isinstance(size, int) and size == 0:
            raise ValueError(errors.at_user_line("scan of no elements needs an initializer"))
        initializer, start = element(convert_to_tensor(0)), 1
    first = structure.map_structure(convert_to_tensor, initializer)
    leaves = structure.flatten(first)
    outputs = _results([t.dtype for t in leaves], [t.dims for t in leaves], size)
    if start:
        zero = position(convert_to_tensor(0))
        outputs = [a.write(zero, t) for a, t in zip(outputs, leaves)]

    def body(i: Tensor, state: Tensor, arrays: list[TensorArray]) -> tuple[Tensor, Tensor, list[TensorArray]]:
        following = fn(state, element(i))
        structure.assert_same_structure(first, following, check_types=False)
        following = structure.map_structure(lambda f, v: convert_to_tensor(v, dtype_hint=f.dtype), first, following)
        return i + 1, following, [a.write(position(i), t) for a, t in zip(arrays, structure.flatten(following))]

    _, _, arrays = while_loop(
        lambda i, *_: i < size,
        body,
        (convert_to_tensor(start), first, outputs),
        parallel_iterations=parallel_iterations,
        maximum_iterations=size,
        name=f"{name or 'scan'}/while",
    )
    return structure.pack_like(first, _stacked(arrays, size, [t.dims for t in leaves]))
