"""The inert part of `tf.compat.v1`: what programs of TensorFlow 2 still take from there.

What switches to TensorFlow 2's behaviour has nothing to do; what switches back is refused. Placeholders, collections and
`get_variable` belong to TensorFlow 1, and are not here.
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, NoReturn

from graphrt import errors
from graphrt.ops.array.gather_scatter import gather as gather_
from graphrt.ops.array.selection import where as where_
from graphrt.ops.array.shape import broadcast_to, reshape
from graphrt.ops.array.shape import shape as shape_
from graphrt.ops.math import reduction
from graphrt.ops.math.arg_extrema import argmax as argmax_
from graphrt.ops.math.arg_extrema import argmin as argmin_
from graphrt.ops.math.casting import cast
from graphrt.ops.random.sampling_ops import set_seed
from graphrt.ops.support.shape_rules import as_tensor
from graphrt.tensor.context import scope
from graphrt.tensor.scopes import group
from graphrt.tensor.tensor import SymbolicTensor, Tensor, TensorLike
from graphrt.types import dtype as dtypes
from graphrt.types import structure

__all__ = [
    "ConfigProto", "Session", "argmax",
    "argmin",
    "assign",
    "assign_add",
    "assign_sub",
    "control_flow_v2_enabled",
    "disable_control_flow_v2",
    "disable_eager_execution",
    "disable_resource_variables",
    "disable_tensor_equality",
    "disable_v2_behavior",
    "disable_v2_tensorshape",
    "enable_control_flow_v2",
    "enable_eager_execution",
    "enable_resource_variables",
    "enable_tensor_equality",
    "enable_v2_behavior",
    "enable_v2_tensorshape",
    "executing_eagerly_outside_functions",
    "gather",
    "global_variables_initializer",
    "initialize_all_variables",
    "local_variables_initializer",
    "name_scope",
    "reduce_all",
    "reduce_any",
    "reduce_logsumexp",
    "reduce_max",
    "reduce_mean",
    "reduce_min",
    "reduce_prod",
    "reduce_sum",
    "resource_variables_enabled",
    "set_random_seed",
    "tables_initializer",
    "to_bfloat16",
    "to_complex64",
    "to_complex128",
    "to_double",
    "to_float",
    "to_int32",
    "to_int64",
    "where",
]  # fmt: skip


# --- switches --------------------------------------------------------------------------------------------------------
def _inert(name: str, found: bool | None = None) -> Callable[[], bool | None]:
    def switch() -> bool | None:
        return found

    switch.__name__ = switch.__qualname__ = name
    switch.__doc__ = f"""{"True" if found else "Nothing to do"}: there is TensorFlow 2's behaviour only.

    >>> import graphrt as tf
    >>> tf.compat.v1.{name}()
    {"True" if found else ""}
    """.replace("\n    \n", "\n")
    return switch


def _refused(name: str) -> Callable[[], NoReturn]:
    def switch() -> NoReturn:
        raise RuntimeError(
            errors.at_user_line(
                f"tf.compat.v1.{name}() is refused: graphrt has TensorFlow 2's behaviour only. Sessions and placeholders "
                "of TensorFlow 1 become functions: tf.function"
            )
        )

    switch.__name__ = switch.__qualname__ = name
    switch.__doc__ = f"""Refused: there is TensorFlow 2's behaviour only.

    >>> import graphrt as tf
    >>> tf.compat.v1.{name}()
    Traceback (most recent call last):
    ...
    RuntimeError: tf.compat.v1.{name}() is refused: ...

    Raises:
      RuntimeError: always.
    """
    return switch


enable_control_flow_v2 = _inert("enable_control_flow_v2")
enable_eager_execution = _inert("enable_eager_execution")
enable_resource_variables = _inert("enable_resource_variables")
enable_tensor_equality = _inert("enable_tensor_equality")
enable_v2_behavior = _inert("enable_v2_behavior")
enable_v2_tensorshape = _inert("enable_v2_tensorshape")
control_flow_v2_enabled = _inert("control_flow_v2_enabled", True)
executing_eagerly_outside_functions = _inert("executing_eagerly_outside_functions", True)
resource_variables_enabled = _inert("resource_variables_enabled", True)
disable_control_flow_v2 = _refused("disable_control_flow_v2")
disable_eager_execution = _refused("disable_eager_execution")
disable_resource_variables = _refused("disable_resource_variables")
disable_tensor_equality = _refused("disable_tensor_equality")
disable_v2_behavior = _refused("disable_v2_behavior")
disable_v2_tensorshape = _refused("disable_v2_tensorshape")


class ConfigProto:
    """Settings of a session, which are remembered and change nothing.

    >>> import graphrt as tf
    >>> config = tf.compat.v1.ConfigProto(log_device_placement=True)
    >>> config.gpu_options.allow_growth = True
    """

    def __init__(self, **settings: object) -> None:
        self.gpu_options = SimpleNamespace()
        self.graph_options = SimpleNamespace(rewrite_options=SimpleNamespace(), optimizer_options=SimpleNamespace())
        self.__dict__.update(settings)


class Session:
    """A block around ops that run at once, as in TensorFlow 2; there are no graphs of TensorFlow 1 to run.

    >>> import graphrt as tf
    >>> with tf.compat.v1.Session() as session:
    ...     session.run([tf.constant(1), tf.constant(2)])
    [np.int32(1), np.int32(2)]

    Raises:
      RuntimeError: `run` is given values for placeholders, or tensors of a graph.
    """

    def __init__(self, target: str = "", graph: object = None, config: object = None) -> None:
        self.graph = graph

    def run(self, fetches: Any, feed_dict: Any = None, options: object = None, run_metadata: object = None) -> Any:
        """The values of tensors and variables, in the structure given."""
        leaves = structure.flatten(fetches)
        if feed_dict or any(isinstance(v, SymbolicTensor) for v in leaves):
            raise RuntimeError(errors.at_user_line("graphs of TensorFlow 1 do not run here: use tf.function"))
        return structure.pack_like(fetches, [v.numpy() if hasattr(v, "numpy") else v for v in leaves])

    def as_default(self) -> Session:
        """The session, as the block of a `with` statement."""
        return self

    def close(self) -> None:
        """Nothing to do."""

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *error: object) -> None:
        return None


def set_random_seed(seed: int) -> None:
    """`tf.random.set_seed`.

    >>> import graphrt as tf
    >>> tf.compat.v1.set_random_seed(1)
    """
    set_seed(seed)


def _initializer(name: str) -> Callable[..., Any]:
    def initializer(*args: object, **kwargs: Any) -> Any:
        return group(name=kwargs.get("name"))

    initializer.__name__ = initializer.__qualname__ = name
    initializer.__doc__ = f"""Nothing to do: variables and tables have their values from the start.

    >>> import graphrt as tf
    >>> tf.compat.v1.{name}()
    """
    return initializer


global_variables_initializer = _initializer("global_variables_initializer")
initialize_all_variables = _initializer("initialize_all_variables")
local_variables_initializer = _initializer("local_variables_initializer")
tables_initializer = _initializer("tables_initializer")


class name_scope:
    """A scope of names: that of `name`, or of `default_name` where `name` is None.

    >>> import graphrt as tf
    >>> with tf.compat.v1.name_scope(None, "outer", values=[tf.constant(1)]) as name:
    ...     name
    'outer/'

    Raises:
      TypeError: there is neither.
    """

    def __init__(self, name: str | None, default_name: str | None = None, values: object = None) -> None:
        if name is None and default_name is None and values is not None:
            raise TypeError(errors.at_user_line("`name` and `default_name` are both None"))
        self._name = name or default_name or ""
        self._scope = scope(name, self._name)

    def __enter__(self) -> str:
        found = self._scope.__enter__() or self._name
        return found if not found or found.endswith("/") else f"{found}/"

    def __exit__(self, *error: Any) -> Any:
        return self._scope.__exit__(*error)


# --- values ----------------------------------------------------------------------------------------------------------
def assign(
    ref: Any, value: TensorLike, validate_shape: object = None, use_locking: object = None, name: str | None = None
) -> Any:
    """`ref.assign(value)`.

    >>> import graphrt as tf
    >>> tf.compat.v1.assign(tf.Variable(1), 2).numpy().item()
    2
    """
    return ref.assign(value, name=name)


def assign_add(ref: Any, value: TensorLike, use_locking: object = None, name: str | None = None) -> Any:
    """`ref.assign_add(value)`.

    >>> import graphrt as tf
    >>> tf.compat.v1.assign_add(tf.Variable(1), 2).numpy().item()
    3
    """
    return ref.assign_add(value, name=name)


def assign_sub(ref: Any, value: TensorLike, use_locking: object = None, name: str | None = None) -> Any:
    """`ref.assign_sub(value)`.

    >>> import graphrt as tf
    >>> tf.compat.v1.assign_sub(tf.Variable(1), 2).numpy().item()
    -1
    """
    return ref.assign_sub(value, name=name)


def _to(name: str, dtype: dtypes.DType) -> Callable[..., Tensor]:
    def convert(x: TensorLike, name: str | None = None) -> Tensor:
        return cast(x, dtype, name=name)

    convert.__name__ = convert.__qualname__ = name
    convert.__doc__ = f"""`tf.cast(x, tf.{dtype.name})`.

    >>> import graphrt as tf
    >>> tf.compat.v1.{name}(1).dtype
    tf.{dtype.name}
    """
    return convert


to_bfloat16 = _to("to_bfloat16", dtypes.bfloat16)
to_complex128 = _to("to_complex128", dtypes.complex128)
to_complex64 = _to("to_complex64", dtypes.complex64)
to_double = _to("to_double", dtypes.float64)
to_float = _to("to_float", dtypes.float32)
to_int32 = _to("to_int32", dtypes.int32)
to_int64 = _to("to_int64", dtypes.int64)


def where(
    condition: TensorLike, x: TensorLike | None = None, y: TensorLike | None = None, name: str | None = None
) -> Tensor:
    """As `tf.where`; a vector `condition` chooses among the rows of `x` and `y`.

    >>> import graphrt as tf
    >>> tf.compat.v1.where([True, False], [[1, 1], [2, 2]], [[3, 3], [4, 4]]).numpy().tolist()
    [[1, 1], [4, 4]]
    """
    if x is None or y is None:
        return where_(condition, x, y, name=name)
    test, first = as_tensor(condition), as_tensor(x, y.dtype if isinstance(y, Tensor) else None)
    if test.dims is not None and first.dims is not None and len(test.dims) == 1 < len(first.dims):
        test = broadcast_to(reshape(test, [-1, *[1] * (len(first.dims) - 1)]), shape_(first))
    return where_(test, first, y, name=name)


def gather(
    params: TensorLike, indices: TensorLike, validate_indices: object = None, name: str | None = None, axis: Any = None,
    batch_dims: int = 0,
) -> Tensor:  # fmt: skip
    """`tf.gather`, with the arguments in the older order.

    >>> import graphrt as tf
    >>> tf.compat.v1.gather([1, 2, 3], [2]).numpy().tolist()
    [3]
    """
    return gather_(params, indices, axis=axis, batch_dims=batch_dims, name=name)


def _axis(axis: Any, older: Any, name: str) -> Any:
    if axis is not None and older is not None:
        raise ValueError(errors.at_user_line(f"Cannot specify both 'axis' and '{name}'"))
    return older if axis is None else axis


def _reduction(name: str) -> Callable[..., Tensor]:
    newer = getattr(reduction, name)

    def function(
        input_tensor: TensorLike, axis: Any = None, keepdims: bool | None = None, name: str | None = None,
        reduction_indices: Any = None, keep_dims: bool | None = None,
    ) -> Any:  # fmt: skip
        kept = keep_dims if keepdims is None else keepdims
        return newer(input_tensor, _axis(axis, reduction_indices, "reduction_indices"), bool(kept), name=name)

    function.__name__ = function.__qualname__ = name
    value = [True] if name in ("reduce_all", "reduce_any") else [1.0]
    function.__doc__ = f"""`tf.{name}`, which takes `reduction_indices` and `keep_dims`, too.

    >>> import graphrt as tf
    >>> tf.compat.v1.{name}({value}, keep_dims=True).shape
    TensorShape([1])

    Raises:
      ValueError: the axis is given twice.
    """
    return function


reduce_all, reduce_any = _reduction("reduce_all"), _reduction("reduce_any")
reduce_logsumexp, reduce_mean = _reduction("reduce_logsumexp"), _reduction("reduce_mean")
reduce_max, reduce_min = _reduction("reduce_max"), _reduction("reduce_min")
reduce_prod, reduce_sum = _reduction("reduce_prod"), _reduction("reduce_sum")


def argmax(input: TensorLike, axis: Any = None, name: str | None = None, dimension: Any = None,
           output_type: Any = dtypes.int64) -> Tensor:  # fmt: skip
    """`tf.argmax`, with the arguments in the older order.

    >>> import graphrt as tf
    >>> tf.compat.v1.argmax([1, 3, 2], dimension=0).numpy().item()
    1
    """
    return argmax_(input, _axis(axis, dimension, "dimension"), output_type, name=name)


def argmin(input: TensorLike, axis: Any = None, name: str | None = None, dimension: Any = None,
           output_type: Any = dtypes.int64) -> Tensor:  # fmt: skip
    """`tf.argmin`, with the arguments in the older order.

    >>> import graphrt as tf
    >>> tf.compat.v1.argmin([3, 1, 2], dimension=0).numpy().item()
    1
    """
    return argmin_(input, _axis(axis, dimension, "dimension"), output_type, name=name)
