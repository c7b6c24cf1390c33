"""Variables: tensors whose value can be replaced.

>>> import graphrt as tf
>>> v = tf.Variable([1.0, 2.0])
>>> v.assign_add([10.0, 10.0]).numpy().tolist()
[11.0, 12.0]
"""

# long: one class, with the methods that TensorFlow's has
from __future__ import annotations

import functools
import inspect
import weakref
from collections.abc import Callable, Generator
from contextlib import nullcontext
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

import numpy as np

from graphrt import errors
from graphrt.ir.graph import Node
from graphrt.ir.html import summarized
from graphrt.ir.op import OpDef, ops  # late: start-up, `import graphrt` reads this file
from graphrt.ops.random.philox import streams_of_their_own
from graphrt.state.awaited_values import storage_class
from graphrt.state.operators import ActsAsTensor
from graphrt.state.policies import VariableAggregation, VariableSynchronization
from graphrt.state.resource_ops import (
    AssignAddVariableOp,
    AssignSubVariableOp,
    AssignVariableOp,
    ReadVariableOp,
    ResourceCountUpTo,
    ResourceGather,
    ResourceGatherNd,
    ResourceScatterAdd,
    ResourceScatterDiv,
    ResourceScatterMax,
    ResourceScatterMin,
    ResourceScatterMul,
    ResourceScatterNdAdd,
    ResourceScatterNdMax,
    ResourceScatterNdMin,
    ResourceScatterNdSub,
    ResourceScatterNdUpdate,
    ResourceScatterSub,
    ResourceScatterUpdate,
    VarIsInitializedOp,
)
from graphrt.state.slices import remember_slice
from graphrt.state.storage import Storage, check_assigned
from graphrt.tensor.changes import SWITCH, keep
from graphrt.tensor.context import building, current_graph, init_scope, recorders, stop_recording
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.lift import lift
from graphrt.tensor.promotion import assignable
from graphrt.tensor.scopes import current_scope
from graphrt.tensor.tensor import EagerTensor, Reference, SymbolicTensor, Tensor, array_text, raw_of
from graphrt.types.advice import conversion
from graphrt.types.dtype import DType, as_dtype, resource
from graphrt.types.float_warnings import silently
from graphrt.types.leaving import block, setting
from graphrt.types.likes import Array, DTypeLike, Index, ShapeLike, TensorLike
from graphrt.types.nesting import shown
from graphrt.types.shape import Dims, TensorShape, compatible, dims_of, is_static
from graphrt.types.spec import TensorSpec
from graphrt.types.structure import flatten

on_creation: ContextVar[Callable[[Any], None] | None] = ContextVar("graphrt_on_creation", default=None)
"""What the function being traced wants to be told of variables made while it is traced (it may refuse them)."""


_creators: ContextVar[tuple[Callable[..., Any], ...]] = ContextVar("graphrt_variable_creators", default=())


@block
def variable_creator_scope(variable_creator: Callable[..., Any]) -> Generator[None, None, None]:
    """Has `variable_creator(next_creator, **kwargs)` make the variables of the `with` block.

    `next_creator(**kwargs)` asks the creator of the scope around, and in the end makes the variable.

    >>> import graphrt as tf
    >>> def frozen(next_creator, **kwargs):
    ...     return next_creator(**{**kwargs, "trainable": False})
    >>> with tf.variable_creator_scope(frozen):
    ...     tf.Variable(1.0).trainable
    False
    """
    with setting(_creators, (*_creators.get(), variable_creator)):
        yield from (None,)


class _Made(type):
    """Lets the creators of the scopes around make a variable."""

    def _call(cls, *args: Any, **kwargs: Any) -> Any:
        creators = _creators.get()
        if not creators or cls is not Variable:
            return super().__call__(*args, **kwargs)
        bound = inspect.signature(Variable.__init__).bind(None, *args, **kwargs)
        bound.apply_defaults()
        make: Callable[..., Any] = super().__call__
        for creator in creators:
            make = functools.partial(creator, make)
        return make(**dict(list(bound.arguments.items())[1:]))

    if not TYPE_CHECKING:  # for type checkers a call gives an instance of the class, from what its `__init__` takes
        __call__ = _call


class Variable(ActsAsTensor, metaclass=_Made):
    """A value that persists from call to call and is changed with `assign` and its kin.

    `initial_value` is anything that can be a tensor, or a function without arguments that returns it. `shape` may
    leave dimensions open, so that values of several shapes can be assigned. In expressions a variable is its value;
    `assign`, eagerly, returns the variable.

    >>> import graphrt as tf
    >>> counter = tf.Variable(1, name="counter")
    >>> counter
    <tf.Variable 'counter:0' shape=() dtype=int32, numpy=1>
    >>> (counter + 1).numpy().item()
    2

    Raises:
      ValueError: there is no initial value, or it does not fit `shape`.
    """

    def __init__(
        self,
        initial_value: object = None,
        trainable: bool | None = None,
        validate_shape: bool = True,
        caching_device: Any = None,
        name: str | None = None,
        variable_def: Any = None,
        dtype: DTypeLike | None = None,
        import_scope: str | None = None,
        constraint: Callable[..., Any] | None = None,
        synchronization: VariableSynchronization = VariableSynchronization.AUTO,
        aggregation: VariableAggregation = VariableAggregation.NONE,
        shape: ShapeLike = None,
        experimental_enable_variable_lifting: bool = True,
    ) -> None:
        if initial_value is None:
            raise ValueError(
                "The `initial_value` arg to `tf.Variable` must be specified: a value, or a function without arguments "
                "that returns one."
            )
        if name is not None and not isinstance(name, str):
            raise ValueError(
                f"the name of a variable must be a string, found {shown(name)} of type {type(name).__name__}"
            )
        if constraint is not None and not callable(constraint):
            raise ValueError(
                f"Argument `constraint` must be None or a callable. Got a {type(constraint)}: {shown(constraint)}"
            )
        if trainable is None:
            trainable = synchronization is not VariableSynchronization.ON_READ
        self._trainable = bool(trainable)
        self._constraint = constraint
        self._synchronization = synchronization
        self._aggregation = aggregation
        scope = current_scope()
        base = name or "Variable"
        self._name = f"{scope}/{base}" if scope else base
        value = _initial(initial_value, dtype, name)
        dims = value.dims
        if shape is not None:
            declared = dims_of(shape)
            if not compatible(declared, dims):
                raise ValueError(
                    f"In this `tf.Variable` creation, the initial value's shape ({TensorShape(dims)}) is not "
                    f"compatible with the explicitly supplied `shape` argument ({TensorShape(declared)})."
                )
            dims = declared
        elif not validate_shape:
            dims = None
        self._storage = storage_class()(value.dtype, dims, self._name, self._trainable)
        self._handle: Tensor = EagerTensor(self._storage, resource)
        self._pending: SymbolicTensor | None = None
        if isinstance(value, EagerTensor):
            self._storage.value = raw_of(value)
        else:
            self._pending = value
        told = on_creation.get()
        if told is not None and current_graph() is not None:
            told(self)

    @classmethod
    def over(
        cls, storage: Storage, synchronization: VariableSynchronization = VariableSynchronization.AUTO,
        aggregation: VariableAggregation = VariableAggregation.NONE,
    ) -> Variable:  # fmt: skip
        """A variable whose value lives in `storage`."""
        made = cls.from_handle(EagerTensor(storage, resource), storage)
        made._synchronization, made._aggregation = synchronization, aggregation
        return made

    @classmethod
    def from_handle(cls, handle: Tensor, storage: Storage, like: Variable | None = None) -> Variable:
        """A variable object over an existing handle."""
        made = object.__new__(Variable)
        made._storage = storage
        made._handle = handle
        made._name = storage.name
        made._trainable = storage.trainable
        made._constraint = like._constraint if like is not None else None
        made._synchronization = like._synchronization if like is not None else VariableSynchronization.AUTO
        made._aggregation = like._aggregation if like is not None else VariableAggregation.NONE
        made._pending = None
        return made

    # --- what it is ---
    @property
    def storage(self) -> Storage:
        """Where its value lives."""
        return self._storage

    @property
    def dtype(self) -> DType:
        """The element type."""
        return self._storage.dtype

    @property
    def dims(self) -> Dims:
        """The static shape as a tuple."""
        return self._storage.dims

    @property
    def shape(self) -> TensorShape:
        """The static shape; dimensions that may change are unknown."""
        return TensorShape(self._storage.dims)

    def get_shape(self) -> TensorShape:
        """The static shape."""
        return self.shape

    def set_shape(self, shape: ShapeLike) -> None:
        """Checks, and remembers, that the shape is `shape`; ValueError when it contradicts what is known."""
        self._storage.dims = dims_of(self.shape.merge_with(shape))

    @property
    def ndim(self) -> int | None:
        """The rank, or None when unknown."""
        return None if self.dims is None else len(self.dims)

    @property
    def name(self) -> str:
        """The variable's name with `:0` appended."""
        return f"{self._name}:0"

    @property
    def _shared_name(self) -> str:
        return self._name

    @property
    def trainable(self) -> bool:
        """Whether gradient tapes watch it without being asked."""
        return self._trainable

    @property
    def constraint(self) -> Callable[..., Any] | None:
        """The function given as `constraint`."""
        return self._constraint

    @property
    def synchronization(self) -> VariableSynchronization:
        """As given when it was made."""
        return self._synchronization

    @property
    def aggregation(self) -> VariableAggregation:
        """As given when it was made."""
        return self._aggregation

    @property
    def handle(self) -> Tensor:
        """The resource tensor that ops on variables take."""
        graph = current_graph()
        if graph is not None and type(self._handle) is EagerTensor:  # an argument's is told by who gives it
            graph.watch_variable(self)
        return self._handle

    def passed(self) -> Tensor:
        """The handle, for a call of a function that may write to the variable."""
        return self._target

    @property
    def device(self) -> str:
        """Where the value lives: always the CPU."""
        return "/job:localhost/replica:0/task:0/device:CPU:0"

    @property
    def spec(self) -> TensorSpec:
        """Shape and dtype as a `TensorSpec`."""
        return TensorSpec(self.dims, self.dtype)

    def ref(self) -> Reference:
        """A hashable reference to this variable, for use in sets and as dictionary key."""
        return Reference(self)

    experimental_ref = ref

    # --- reading ---
    def touch(self) -> None:
        """Tells the tapes that the variable is read."""
        for tape in recorders():
            watch = getattr(tape, "variable_accessed", None)
            if watch is not None:
                watch(self)

    def _read(self, name: str | None = None) -> Tensor:
        graph = current_graph()
        if graph is None and not recorders():
            return EagerTensor(self._storage.value, self._storage.dtype)
        self.touch()
        return ReadVariableOp(self.handle, dtype=self._storage.dtype, name=name)

    def __tf_value__(self) -> Tensor:
        """The value now, as a tensor, of variables of all kinds."""
        return self.value()

    def value(self) -> Tensor:
        """The value now, as a tensor."""
        return self._read()

    def read_value(self) -> Tensor:
        """The value now, as a tensor."""
        if current_graph() is None:
            return self._read()
        return ops.Identity(self._read("Read/ReadVariableOp"))

    read_value_no_copy = read_value

    def numpy(self) -> Any:
        """The value as a NumPy array of the caller's own.

        Raises:
          NotImplementedError: a graph is being traced.
        """
        if current_graph() is not None:
            raise NotImplementedError(
                errors.at_user_line(
                    f"numpy() is only available when ops run at once: {self.name!r} has no value while a graph is "
                    "traced."
                )
            )
        return EagerTensor(self._storage.value, self._storage.dtype).numpy()

    def __tf_tensor__(self, dtype: DTypeLike | None = None, name: str | None = None) -> Tensor:
        if dtype is not None and self.dtype is not as_dtype(dtype):
            call = conversion(self.dtype, as_dtype(dtype))
            raise ValueError(
                errors.at_user_line(
                    f"Incompatible type conversion requested to type {as_dtype(dtype).name!r} for variable of type "
                    f"{self.dtype.name!r}: {self!r}." + (call and f" Use {call} to convert its value.")
                )
            )
        if name and "/" in name and current_graph() is not None:
            return self._read(f"{name.rpartition('/')[0]}/ReadVariableOp")
        return self._read()

    def is_initialized(self, name: str | None = None) -> Tensor:
        """Whether the variable has a value, as a boolean tensor."""
        return VarIsInitializedOp(self.handle, name=name)

    def initialized_value(self) -> Tensor:
        """The value: variables are initialized when they are made."""
        return self.__tf_value__()

    def sparse_read(self, indices: TensorLike, name: str | None = None) -> Tensor:
        """The rows that `indices` select along the first axis.

        Raises:
          InvalidArgumentError: an index is out of range.
        """
        self.touch()
        return ResourceGather(self.handle, indices, dtype=self.dtype, name=name or "Gather")

    def gather_nd(self, indices: Any, name: str | None = None) -> Tensor:
        """The elements or slices that the rows of `indices` select.

        Raises:
          InvalidArgumentError: an index is out of range.
        """
        self.touch()
        return ResourceGatherNd(self.handle, indices, dtype=self.dtype, name=name or "GatherNd")

    # --- assigning ---
    @property
    def _target(self) -> Tensor:
        """The handle, for an op that writes."""
        settle_earlier(self)
        return self.handle

    def _converted(self, value: Any, name: str | None = None, what: str = "assign") -> Any:
        if SWITCH.promoting:
            value = assignable(value, self.dtype, what)
        try:
            return convert_to_tensor(value, dtype=self._storage.dtype, name=name)
        except (TypeError, ValueError) as error:
            error.add_note(f"while assigning to variable {self.name!r}, which holds {self.dtype.name}")
            raise

    def _assigned(self, operation: Any, read_value: bool) -> Any:
        if not read_value:
            return None if current_graph() is None else operation
        return self if current_graph() is None else AssignedVariable._after(self, operation.node)

    def assign(
        self, value: TensorLike | None, use_locking: bool | None = None, name: str | None = None,
        read_value: bool = True
    ) -> Variable:  # fmt: skip
        """Replaces the value. Returns the variable (None if `read_value` is False).

        While tracing, what it returns has the value as of this assignment, whatever comes after.

        >>> import graphrt as tf
        >>> v = tf.Variable(1.0)
        >>> v.assign(2.0)
        <tf.Variable 'Variable:0' shape=() dtype=float32, numpy=2.0>

        Raises:
          ValueError: the shape does not fit, or the value is a tensor of another dtype.
          TypeError: the value cannot be of the variable's dtype.
        """
        tensor = self._converted(value)
        storage = self._storage
        try:
            check_assigned(storage, tensor.dims)
        except errors.ShapeError as error:
            raise errors.ShapeError(errors.at_user_line(str(error))) from None
        if current_graph() is None:
            if type(tensor) is not EagerTensor:
                AssignVariableOp(self._handle, tensor)  # refuses, and says where the tensor comes from
            given: Any = self if read_value else None  # what has no truth says so before anything is assigned
            keep((storage,))
            storage.value = raw_of(tensor)
            return given
        fixed = is_static(storage.dims)
        return self._assigned(AssignVariableOp(self._target, tensor, name=name, validate_shape=fixed), read_value)

    def _update(
        self, op: OpDef, combine: np.ufunc, delta: TensorLike | None, name: str | None, read_value: bool
    ) -> Any:
        tensor = self._converted(delta, what="assign_add" if combine is np.add else "assign_sub")
        storage = self._storage
        graph = current_graph()
        if graph is None and type(tensor) is EagerTensor and storage.dtype.is_numeric:
            given = self if read_value else None
            try:
                keep((storage,))
                silently(storage.update, raw_of(tensor), combine)
            except errors.ShapeError as error:
                raise errors.ShapeError(errors.at_user_line(str(error))) from None
            return given
        with stop_recording():
            operation = op(self._target, tensor, name=name)
        return self._assigned(operation, read_value)

    def assign_add(
        self, delta: TensorLike | None, use_locking: bool | None = None, name: str | None = None,
        read_value: bool = True
    ) -> Variable:  # fmt: skip
        """Adds `delta`, which must have the variable's shape. Returns the variable.

        >>> import graphrt as tf
        >>> tf.Variable(1).assign_add(2).numpy().item()
        3

        Raises:
          ShapeError: the shapes differ.
        """
        return self._update(AssignAddVariableOp, np.add, delta, name, read_value)

    def assign_sub(
        self, delta: TensorLike | None, use_locking: bool | None = None, name: str | None = None,
        read_value: bool = True
    ) -> Variable:  # fmt: skip
        """Subtracts `delta`, which must have the variable's shape. Returns the variable.

        >>> import graphrt as tf
        >>> tf.Variable(5).assign_sub(2).numpy().item()
        3

        Raises:
          ShapeError: the shapes differ.
        """
        return self._update(AssignSubVariableOp, np.subtract, delta, name, read_value)

    def count_up_to(self, limit: int) -> Tensor:
        """Adds one and returns the value before; OutOfRangeError when that is `limit`."""
        return ResourceCountUpTo(self._target, limit=limit, T=self.dtype)

    def _scatter(self, op: OpDef, sparse_delta: Any, name: str | None) -> Any:
        indices, values = _rows_of(sparse_delta)
        values = self._converted(values)
        return self._assigned(op(self._target, indices, values, dtype=self.dtype, name=name), True)

    def scatter_update(self, sparse_delta: object, use_locking: bool = False, name: str | None = None) -> Variable:
        """Replaces the rows `sparse_delta.indices` by `sparse_delta.values`. Returns the variable."""
        return self._scatter(ResourceScatterUpdate, sparse_delta, name)

    def scatter_add(self, sparse_delta: object, use_locking: bool = False, name: str | None = None) -> Variable:
        """Adds `sparse_delta.values` to the rows `sparse_delta.indices`. Returns the variable."""
        return self._scatter(ResourceScatterAdd, sparse_delta, name)

    def scatter_sub(self, sparse_delta: object, use_locking: bool = False, name: str | None = None) -> Variable:
        """Subtracts `sparse_delta.values` from the rows `sparse_delta.indices`. Returns the variable."""
        return self._scatter(ResourceScatterSub, sparse_delta, name)

    def scatter_mul(self, sparse_delta: object, use_locking: bool = False, name: str | None = None) -> Variable:
        """Multiplies the rows `sparse_delta.indices` by `sparse_delta.values`. Returns the variable."""
        return self._scatter(ResourceScatterMul, sparse_delta, name)

    def scatter_div(self, sparse_delta: object, use_locking: bool = False, name: str | None = None) -> Variable:
        """Divides the rows `sparse_delta.indices` by `sparse_delta.values`. Returns the variable."""
        return self._scatter(ResourceScatterDiv, sparse_delta, name)

    def scatter_min(self, sparse_delta: object, use_locking: bool = False, name: str | None = None) -> Variable:
        """Takes the minimum of the rows `sparse_delta.indices` and `sparse_delta.values`. Returns the variable."""
        return self._scatter(ResourceScatterMin, sparse_delta, name)

    def scatter_max(self, sparse_delta: object, use_locking: bool = False, name: str | None = None) -> Variable:
        """Takes the maximum of the rows `sparse_delta.indices` and `sparse_delta.values`. Returns the variable."""
        return self._scatter(ResourceScatterMax, sparse_delta, name)

    def batch_scatter_update(self, sparse_delta: Any, use_locking: bool = False, name: str | None = None) -> Variable:
        """Replaces, in each batch, the rows that the last axis of `sparse_delta.indices` selects."""
        indices = convert_to_tensor(_rows_of(sparse_delta)[0])
        rank = len(indices.dims or ())
        if rank <= 1:
            return self._scatter(ResourceScatterUpdate, sparse_delta, name)
        shape = ops.shape(indices)
        columns = []
        for axis in range(rank - 1):
            column = ops.range(0, shape[axis], 1)
            columns.append(ops.broadcast_to(ops.reshape(column, [-1 if a == axis else 1 for a in range(rank)]), shape))
        columns.append(indices)
        return self.scatter_nd_update(ops.stack(columns, axis=-1), sparse_delta.values, name)

    def _scatter_nd(self, op: OpDef, indices: Any, updates: Any, name: str | None) -> Any:
        updates = self._converted(updates)
        return self._assigned(op(self._target, indices, updates, name=name), True)

    def scatter_nd_update(self, indices: TensorLike, updates: TensorLike, name: str | None = None) -> Variable:
        """Replaces the elements or slices that the rows of `indices` select. Returns the variable.

        >>> import graphrt as tf
        >>> tf.Variable([1, 2, 3]).scatter_nd_update([[1]], [9]).numpy().tolist()
        [1, 9, 3]
        """
        return self._scatter_nd(ResourceScatterNdUpdate, indices, updates, name)

    def scatter_nd_add(self, indices: TensorLike, updates: TensorLike, name: str | None = None) -> Variable:
        """Adds to the elements or slices that the rows of `indices` select. Returns the variable."""
        return self._scatter_nd(ResourceScatterNdAdd, indices, updates, name)

    def scatter_nd_sub(self, indices: TensorLike, updates: TensorLike, name: str | None = None) -> Variable:
        """Subtracts from the elements or slices that the rows of `indices` select. Returns the variable."""
        return self._scatter_nd(ResourceScatterNdSub, indices, updates, name)

    def scatter_nd_min(self, indices: TensorLike, updates: TensorLike, name: str | None = None) -> Variable:
        """Takes the minimum with the elements or slices that the rows of `indices` select. Returns the variable."""
        return self._scatter_nd(ResourceScatterNdMin, indices, updates, name)

    def scatter_nd_max(self, indices: TensorLike, updates: TensorLike, name: str | None = None) -> Variable:
        """Takes the maximum with the elements or slices that the rows of `indices` select. Returns the variable."""
        return self._scatter_nd(ResourceScatterNdMax, indices, updates, name)

    # --- Python's protocols ---
    def __getitem__(self, key: Index) -> Tensor:
        piece = self.__tf_value__()[key]
        if isinstance(piece, Tensor):
            remember_slice(piece, self, key)
        return piece

    def __setitem__(self, key: Index, value: object) -> None:
        raise TypeError(
            errors.at_user_line(
                "'Variable' object does not support item assignment. Use `v[...].assign(value)`, which changes it."
            )
        )

    def __hash__(self) -> int:
        raise TypeError(f"Variable is unhashable. Instead, use variable.ref() as the key. (Variable: {self!r})")

    def __copy__(self) -> Variable:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Variable:
        if current_graph() is not None:
            raise NotImplementedError("A variable cannot be deep-copied while a graph is being traced.")
        made = _restored(
            type(self),
            np.array(self._storage.value),
            self._storage.dtype.name,
            self._storage.dims,
            self._name,
            self._trainable,
        )
        memo[id(self)] = made
        return made

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        if current_graph() is not None:
            raise TypeError("A variable cannot be pickled while a graph is being traced.")
        s = self._storage
        return _restored, (type(self), np.asarray(s.value), s.dtype.name, s.dims, self._name, self._trainable)

    def __repr__(self) -> str:
        head = f"<tf.Variable {self.name!r} shape={self.shape} dtype={self.dtype.name}"
        if current_graph() is not None or isinstance(self._handle, SymbolicTensor):
            return f"{head}>"
        if not self._storage.initialized:
            return f"{head}, not initialized>"
        return f"{head}, numpy={array_text(self._storage.value)}>"

    def _repr_html_(self) -> str | None:
        """What notebooks show of a large variable: what is in it, and its text."""
        if current_graph() is not None or isinstance(self._handle, SymbolicTensor) or not self._storage.initialized:
            return None
        return summarized(repr(self), self._storage.value)


class AssignedVariable(Variable):
    """What `assign` returns while tracing: the variable, whose value is read right after that assignment."""

    _variable: Variable
    _assignment: Any
    _seen: Any

    @classmethod
    def _after(cls, variable: Variable, node: Node) -> AssignedVariable:
        made = object.__new__(cls)
        made.__dict__.update(variable.__dict__)
        made._variable = variable._variable if isinstance(variable, AssignedVariable) else variable
        made._assignment = node
        made._seen = None
        made._name = "UnreadVariable"
        _register(made)
        return made

    @property
    def name(self) -> str:
        """The name under which TensorFlow shows the result of an assignment."""
        return self._name

    @property
    def handle(self) -> Tensor:
        """The handle of the variable."""
        return self._variable.handle

    def _read(self, name: str | None = None) -> Tensor:
        graph = current_graph()
        home = self._assignment.graph
        if graph is None or (graph is home and not self._is_settled()):
            return super()._read(name)  # nothing has been written since: a read here is a read there
        return self._settle()

    def _is_settled(self) -> bool:
        """Whether the value has been read, by a node that still is in its graph (a loop's tried test may be undone)."""
        seen = self._seen
        return seen is not None and any(n is seen.value.node for n in reversed(self._assignment.graph.nodes))

    def _settle(self) -> Tensor:
        """Reads the value at the end of the assignment's graph, before another write to the variable is recorded."""
        if not self._is_settled():
            with building(self._assignment.graph):
                self._seen = super()._read()
        return self._seen


def _rows_of(sparse_delta: object) -> tuple[Any, Any]:
    """The indices and values of rows that are to change."""
    indices, values = getattr(sparse_delta, "indices", None), getattr(sparse_delta, "values", None)
    if indices is None or values is None or callable(values):
        raise TypeError(
            f"sparse_delta is not IndexedSlices: {sparse_delta!r}. Make one with tf.IndexedSlices(values, indices)."
        )
    return indices, values


def _register(assigned: AssignedVariable) -> None:
    table = assigned._assignment.graph.collections.setdefault("assigned_variables", {})
    table.setdefault(id(assigned._storage), []).append(weakref.ref(assigned))


# --- making and moving -----------------------------------------------------------------------------------------------
def _initial(value: Any, dtype: Any, name: str | None) -> Any:
    """The initial value as a tensor: concrete, unless it depends on arguments of a function being traced."""
    if isinstance(value, (list, tuple)) and any(isinstance(v, SymbolicTensor) for v in flatten(value)):
        value = convert_to_tensor(value, dtype=dtype, name=name)
    traced = current_graph() is not None
    with init_scope(), streams_of_their_own() if traced else nullcontext():
        if callable(value) and not isinstance(value, (Tensor, Variable)):
            value = value()
        if isinstance(value, SymbolicTensor):
            concrete = lift(value)
            if concrete is None:
                return _checked_dtype(value, dtype)
            value = concrete
        if isinstance(value, Variable):
            value = value.__tf_value__()
        try:
            tensor = convert_to_tensor(value, dtype=dtype, name=name)
        except (TypeError, ValueError) as error:
            error.add_note("while making a tf.Variable of this initial value")
            raise
        return tensor


def _checked_dtype(value: SymbolicTensor, dtype: Any) -> SymbolicTensor:
    if dtype is not None and value.dtype is not as_dtype(dtype):
        raise ValueError(
            f"initial_value: Tensor conversion requested dtype {as_dtype(dtype).name} for Tensor with dtype "
            f"{value.dtype.name}: {shown(value)}"
        )
    return value


def _restored(kind: type, array: Array, dtype: str, dims: Dims, name: str, trainable: bool) -> Variable:
    storage = Storage(as_dtype(dtype), dims, name, trainable)
    storage.value = array if array.ndim or array.dtype == object else array[()]
    made = Variable.from_handle(EagerTensor(storage, resource), storage)
    made.__class__ = kind if issubclass(kind, Variable) else Variable
    return made


def handle_of(variable: Variable) -> Tensor:
    """The resource tensor of a variable; the graph that is being traced is not told, as `variable.handle` tells it."""
    return variable._handle


def settle_earlier(variable: Variable) -> None:
    """Results of earlier assignments that are still in use are read now, before the next one is recorded."""
    graph = current_graph()
    while graph is not None:
        table = graph.collections.get("assigned_variables")
        for reference in table.pop(id(variable.storage), ()) if table else ():
            assigned = reference()
            if assigned is not None:
                assigned._settle()
        graph = graph.outer
