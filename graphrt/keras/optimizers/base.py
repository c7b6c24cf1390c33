"""`Optimizer`: what all share. Subclasses say in `update_step` how one variable is updated with its gradient."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, TypeAlias, TypedDict

import numpy as np

import graphrt as tf
from graphrt import errors
from graphrt.ir.tracebacks import door
from graphrt.keras.calling import call_users
from graphrt.keras.configurable import Configurable, Identifier, serialize
from graphrt.keras.initializers import get as get_initializer
from graphrt.keras.names import auto_name, building, path_scope, snake_case
from graphrt.keras.optimizers.schedules import LearningRateSchedule, deserialize
from graphrt.keras.optimizers.slots import make_slots
from graphrt.keras.variable import Variable
from graphrt.state.module import children_arrived
from graphrt.tensor.changes import SWITCH, atomically
from graphrt.tensor.tensor import Tensor
from graphrt.types.likes import DTypeLike, HasArray, HasDType, ShapeLike, TensorLike
from graphrt.types.nesting import shown

LearningRate: TypeAlias = float | HasDType | HasArray | Callable[..., object] | Mapping[str, object]
"""A number, a function that gives one, a schedule or the configuration of one."""


class OptionsWithoutDecay(TypedDict, total=False):
    """What each optimizer takes, but for `weight_decay`."""

    clipnorm: float | None
    clipvalue: float | None
    global_clipnorm: float | None
    use_ema: bool
    ema_momentum: float
    ema_overwrite_frequency: int | None
    loss_scale_factor: float | None
    gradient_accumulation_steps: int | None
    name: str | None


class OptimizerOptions(OptionsWithoutDecay, total=False):
    """What each optimizer takes."""

    weight_decay: float | None


class Optimizer(Configurable):
    """Base of optimizers.

    `learning_rate` is a number, a schedule, or a function without arguments. Gradients are first clipped (`clipnorm`,
    `clipvalue`, `global_clipnorm`); variables shrink by `weight_decay` before the update; with `use_ema` their moving
    averages are kept, and replace them every `ema_overwrite_frequency` steps and in `finalize_variable_values`.

    >>> import graphrt as tf
    >>> w = tf.Variable(5.0)
    >>> optimizer = tf.keras.optimizers.SGD(learning_rate=0.1)
    >>> with tf.GradientTape() as tape:
    ...     loss = w ** 2
    >>> optimizer.apply_gradients([(tape.gradient(loss, w), w)])
    >>> w.numpy().item(), optimizer.iterations.numpy().item()
    (4.0, 1)

    Raises:
      ValueError: options contradict each other.
    """

    _takes_slices = False  # whether `update_step` is given slices of a gradient as they are

    def __init__(
        self,
        learning_rate: LearningRate,
        weight_decay: float | None = None,
        clipnorm: float | None = None,
        clipvalue: float | None = None,
        global_clipnorm: float | None = None,
        use_ema: bool = False,
        ema_momentum: float = 0.99,
        ema_overwrite_frequency: int | None = None,
        loss_scale_factor: float | None = None,
        gradient_accumulation_steps: int | None = None,
        name: str | None = None,
        **kwargs: object,
    ) -> None:
        if kwargs:
            raise ValueError(f"Argument(s) not recognized: {kwargs}")
        if sum(v is not None for v in (clipnorm, clipvalue, global_clipnorm)) > 1:
            raise ValueError(
                "Only one of `clipnorm`, `clipvalue` and `global_clipnorm` can be set. Received: "
                f"clipnorm={clipnorm}, clipvalue={clipvalue}, global_clipnorm={global_clipnorm}"
            )
        if use_ema and not 0 <= ema_momentum <= 1:
            raise ValueError(f"`ema_momentum` must be in the range [0, 1]. Received: ema_momentum={ema_momentum}")
        if gradient_accumulation_steps is not None and gradient_accumulation_steps < 2:
            raise ValueError(
                "`gradient_accumulation_steps` must be an integer >= 2. "
                f"Received: gradient_accumulation_steps={gradient_accumulation_steps}"
            )
        self.name = name or auto_name(snake_case(type(self).__name__))
        self.weight_decay, self.clipnorm, self.clipvalue = weight_decay, clipnorm, clipvalue
        self.global_clipnorm, self.use_ema, self.ema_momentum = global_clipnorm, use_ema, ema_momentum
        self.ema_overwrite_frequency = ema_overwrite_frequency if use_ema else None
        self.loss_scale_factor, self.gradient_accumulation_steps = loss_scale_factor, gradient_accumulation_steps
        self.built = False
        self._variables: list[Any] = []
        self._trainable_variables: list[Any] = []
        self._not_decayed: tuple[set[int], list[str]] = (set(), [])
        with path_scope(self.name):
            self._iterations: Any = Variable(np.int64(0), dtype="int64", trainable=False, name="iteration")
        self._variables.append(self._iterations)
        if isinstance(learning_rate, dict):
            learning_rate = deserialize(learning_rate)
        self._learning_rate: Any = learning_rate
        if not callable(learning_rate):
            number: Any = learning_rate
            with path_scope(self.name):
                self._learning_rate = Variable(
                    np.float32(number), dtype="float32", trainable=False, name="learning_rate"
                )
            self._variables.append(self._learning_rate)

    # --- what it is ---
    @property
    def iterations(self) -> Variable:
        """How many updates were made: a variable; a tensor where gradients are accumulated."""
        done: Any = self._iterations
        if self.gradient_accumulation_steps:
            done = tf.cast(done // self.gradient_accumulation_steps, tf.int64)
        return done

    @property
    def learning_rate(self) -> Any:
        """The learning rate: a variable to assign to, or what the schedule says now."""
        if isinstance(self._learning_rate, LearningRateSchedule):
            return call_users(self._learning_rate.__call__, self.iterations)
        return self._learning_rate() if not isinstance(self._learning_rate, tf.Variable) else self._learning_rate

    @learning_rate.setter
    def learning_rate(self, value: TensorLike) -> None:
        if callable(value):
            if isinstance(self._learning_rate, tf.Variable):
                self._variables = [v for v in self._variables if v is not self._learning_rate]
            self._learning_rate = value
        elif isinstance(self._learning_rate, tf.Variable):
            self._learning_rate.assign(tf.cast(value, tf.float32))
        else:
            raise TypeError(
                "This optimizer was created with a `LearningRateSchedule` object as its `learning_rate` constructor "
                "argument, hence its learning rate is not settable. If you need the learning rate to be settable, "
                "you should instantiate the optimizer with a float `learning_rate` argument."
            )

    lr = learning_rate

    @property
    def variables(self) -> list[Any]:
        """The step, the learning rate, and what is kept for each trained variable."""
        return list(self._variables)

    def _saved_children(self) -> dict[str, object]:
        """What belongs to it in a checkpoint, by the names that it has in those of Keras."""
        found: dict[str, object] = {"_variables": self._variables, "_iterations": self._iterations}
        if isinstance(self._learning_rate, tf.Variable):
            found["_learning_rate"] = self._learning_rate
        if self.built:
            found["_trainable_variables"] = self._trainable_variables
        return found

    # --- building ---
    def build(self, variables: Iterable[Any]) -> None:
        """Makes what is kept for each of `variables`; done at the first update otherwise."""
        with building:
            if self.built:
                return
            self._trainable_variables = list(variables)
            with tf.init_scope():
                if self.use_ema:
                    (self._averages,) = make_slots(self, self._trainable_variables, "average")
                if self.gradient_accumulation_steps:
                    (self._accumulated,) = make_slots(self, self._trainable_variables, "gradient_accumulator")
                self._build_slots(self._trainable_variables)
            self.built = True
            children_arrived(self)

    def _build_slots(self, variables: list[Any]) -> None:
        """Makes what the subclass keeps for `variables`."""

    def add_variable(
        self, shape: ShapeLike, initializer: Identifier = "zeros", dtype: DTypeLike | None = None,
        aggregation: str = "none", layout: Any = None, name: str | None = None
    ) -> Variable:  # fmt: skip
        """A new variable of the optimizer."""
        with tf.init_scope(), path_scope(self.name):
            made = Variable(get_initializer(initializer), shape, dtype, trainable=False, name=name)
        self._variables.append(made)
        return made

    def add_variable_from_reference(
        self, reference_variable: Tensor, name: str | None = None, initializer: Identifier = "zeros"
    ) -> Variable:
        """A new variable of the shape and dtype of another."""
        if not isinstance(reference_variable, tf.Variable):
            raise errors.unexpected(reference_variable, "reference_variable", "a tf.Variable")
        path = getattr(reference_variable, "path", reference_variable.name).replace(":", "_")
        return self.add_variable(
            tuple(reference_variable.shape), initializer, reference_variable.dtype,
            name=f"{path.replace('/', '_')}_{name or 'slot'}",
        )  # fmt: skip

    # --- updating ---
    @door
    def apply_gradients(self, grads_and_vars: Iterable[tuple[Any, Any]]) -> Any:
        """Updates variables with their gradients, given as pairs. An update that fails changes nothing.

        Raises:
          ValueError: no variable has a gradient, or one is not among those that the optimizer was built for.
        """
        pairs = list(grads_and_vars)
        for _, variable in pairs:
            if not isinstance(variable, tf.Variable):
                raise errors.unexpected(
                    variable, "grads_and_vars", "pairs of a gradient and its tf.Variable, in this order"
                )
        self.apply([g for g, _ in pairs], [v for _, v in pairs])

    @door
    def apply(self, grads: Any, trainable_variables: Any = None) -> Any:
        """Updates `trainable_variables` (by default those it was built for) with `grads`; all of them, or none."""
        grads = list(grads)
        if trainable_variables is None:
            if not self.built:
                raise ValueError("When passing `grads` without `variables`, the optimizer must be built first: "
                                 "`optimizer.build(variables)`.")  # fmt: skip
            if len(grads) != len(self._trainable_variables):
                raise ValueError(
                    f"When passing `grads` as a list of {len(grads)}, the optimizer expects one for each of the "
                    f"{len(self._trainable_variables)} variables it was built with."
                )
            variables = self._trainable_variables
        else:
            variables = list(trainable_variables)
        grads, variables = self._with_gradients(grads, variables)
        if not self.built:
            self.build(variables if trainable_variables is None else list(trainable_variables))
        self._check_known(variables)
        if tf.executing_eagerly():
            atomically((), partial(SWITCH.while_changing, partial(self._apply, grads, variables)))
        else:  # a call of its own, which is undone when it fails
            tf.function(partial(self._apply, grads, variables), autograph=False, atomic=True)()

    def _apply(self, grads: list[Any], variables: list[Any]) -> None:
        if self.loss_scale_factor is not None or self.gradient_accumulation_steps:
            grads = [tf.convert_to_tensor(g) for g in grads]
        if self.loss_scale_factor is not None:
            grads = [g / self.loss_scale_factor for g in grads]
        if self.gradient_accumulation_steps:
            self._accumulate(grads, variables)
        else:
            self._update(grads, variables)
        self._iterations.assign_add(1)

    def _with_gradients(self, grads: list[Any], variables: list[Any]) -> tuple[list[Any], list[Any]]:
        missing = [v for g, v in zip(grads, variables) if g is None]
        if len(missing) == len(variables):
            raise ValueError("No gradients provided for any variable.")
        if missing:
            names = [getattr(v, "path", v.name) for v in missing]
            errors.warn(
                f"Gradients do not exist for variables {names} when minimizing the loss. If using `model.compile()`, "
                "did you forget to provide a `loss` argument?"
            )
        pairs = [(g, v) for g, v in zip(grads, variables) if g is not None]
        return [g for g, _ in pairs], [v for _, v in pairs]

    def _check_known(self, variables: list[Any]) -> None:
        known = {id(v) for v in self._trainable_variables}
        for variable in variables:
            if id(variable) not in known:
                raise ValueError(
                    f"Unknown variable: {shown(variable)}. This optimizer can only be called for the variables it was "
                    "originally built with. When working with a new set of variables, you should recreate a new "
                    "optimizer instance."
                )

    def _update(self, grads: list[Any], variables: list[Any]) -> None:
        grads = self._clipped(grads)
        rate = self.learning_rate
        self._decay(variables, rate)
        self._before_updates()
        for gradient, variable in zip(grads, variables):
            given = gradient if self._takes_slices else tf.convert_to_tensor(gradient)
            call_users(self.update_step, given, variable, rate)
        if self.use_ema:
            self._average(variables)
        for variable in variables:
            if variable.constraint is not None:
                variable.assign(variable.constraint(tf.convert_to_tensor(variable)))

    def _before_updates(self) -> None:
        """What an update does once for all variables."""

    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
        """Updates one variable."""
        raise NotImplementedError(f"{type(self).__name__} must define `update_step(gradient, variable, learning_rate)`")

    def _accumulate(self, grads: list[Any], variables: list[Any]) -> None:
        """Sums gradients, and updates with their mean every so many steps."""
        steps = self.gradient_accumulation_steps
        assert steps is not None
        sums = [self._accumulated.of(v) for v in variables]
        for total, gradient in zip(sums, grads):
            total.assign_add(gradient)

        def due() -> Any:
            self._update([tf.convert_to_tensor(t) / float(steps) for t in sums], variables)
            for total in sums:
                total.assign(tf.zeros_like(total))
            return tf.constant(0)

        last = tf.equal((self._iterations + 1) % steps, 0)
        if tf.executing_eagerly():
            if last:
                due()
        else:
            tf.cond(last, due, lambda: tf.constant(0))

    def _clipped(self, grads: list[Any]) -> list[Any]:
        if self.clipnorm is not None and self.clipnorm > 0:
            return [tf.clip_by_norm(g, self.clipnorm) for g in grads]
        if self.global_clipnorm is not None and self.global_clipnorm > 0:
            return list(tf.clip_by_global_norm(grads, self.global_clipnorm)[0])
        if self.clipvalue is not None and self.clipvalue > 0:
            return [tf.clip_by_value(g, -self.clipvalue, self.clipvalue) for g in grads]
        return grads

    def exclude_from_weight_decay(self, var_list: Any = None, var_names: Any = None) -> None:
        """`weight_decay` passes over these variables, and those whose names contain one of `var_names`.

        Raises:
          ValueError: the optimizer has been built already.
        """
        if self.built:
            raise ValueError("`exclude_from_weight_decay()` can only be configured before the optimizer is built.")
        self._not_decayed = ({id(v) for v in var_list or ()}, list(var_names or ()))

    def _decay(self, variables: list[Any], rate: Variable) -> None:
        if self.weight_decay is None:
            return
        ids, names = self._not_decayed
        for variable in variables:
            path = getattr(variable, "path", variable.name)
            if id(variable) in ids or any(name in path for name in names):
                continue
            share = tf.cast(rate, variable.dtype) * tf.cast(self.weight_decay, variable.dtype)
            variable.assign(variable - variable * share)

    def _average(self, variables: list[Any]) -> None:
        momentum = tf.cast(tf.not_equal(self._iterations, 0), tf.float32) * self.ema_momentum
        for variable in variables:
            average = self._averages.of(variable)
            keep = tf.cast(momentum, variable.dtype)
            average.assign(keep * average + (1 - keep) * variable)
        if self.ema_overwrite_frequency:
            due = tf.equal((self._iterations + 1) % self.ema_overwrite_frequency, 0)
            for variable in variables:
                average = self._averages.of(variable)
                variable.assign(tf.where(due, average, variable))

    def finalize_variable_values(self, var_list: Any) -> None:
        """With `use_ema`, gives variables the values of their averages."""
        if self.use_ema:
            for variable in var_list:
                variable.assign(self._averages.of(variable))

    @door
    def minimize(self, loss: Callable[..., Any], var_list: Any, tape: Any = None) -> None:
        """One update: `loss` is a function without arguments, or a tensor that `tape` has seen.

        >>> import graphrt as tf
        >>> w = tf.Variable(1.0)
        >>> tf.keras.optimizers.SGD(0.5).minimize(lambda: w ** 2, [w])
        >>> w.numpy().item()
        0.0

        Raises:
          ValueError: `loss` is a tensor, and there is no tape.
        """
        if callable(loss):
            with tf.GradientTape() as recording:
                value = loss()
            tape = recording
        elif tape is None:
            raise ValueError("`tape` is required when a `Tensor` loss is passed: the tape that recorded it")
        else:
            value = loss
        errors.expect(tape, tf.GradientTape, "tape", "the tf.GradientTape that recorded the loss")
        var_list = var_list() if callable(var_list) else var_list
        self.apply(tape.gradient(value, list(var_list)), list(var_list))

    def scale_loss(self, loss: Tensor) -> Any:
        """The loss times `loss_scale_factor`, for gradients that would vanish."""
        return loss if self.loss_scale_factor is None else loss * self.loss_scale_factor

    # --- for update_step ---
    def assign(self, variable: Variable, value: TensorLike) -> None:
        """Gives a variable a value."""
        variable.assign(tf.cast(value, variable.dtype))

    def assign_add(self, variable: Variable, value: TensorLike) -> None:
        """Adds to a variable."""
        variable.assign_add(tf.cast(value, variable.dtype))

    def assign_sub(self, variable: Variable, value: TensorLike) -> None:
        """Subtracts from a variable."""
        variable.assign_sub(tf.cast(value, variable.dtype))

    # --- saving ---
    def set_weights(self, weights: Any) -> None:
        """Gives `variables` the values of a list of arrays.

        Raises:
          ValueError: there are too many or too few, or one has another shape.
        """
        if len(weights) != len(self._variables):
            raise ValueError(
                f"You called `set_weights(weights)` on optimizer {self.name!r} with {len(weights)} arrays, but it has "
                f"{len(self._variables)} variables."
            )
        for variable, value in zip(self._variables, weights):
            if tuple(variable.shape) != tuple(np.shape(value)):
                raise ValueError(
                    f"Optimizer variable {variable.path} has shape {tuple(variable.shape)} not compatible with provided "
                    f"weight shape {tuple(np.shape(value))}."
                )
            variable.assign(tf.cast(value, variable.dtype))

    def get_weights(self) -> list[Any]:
        """The values of `variables`, as arrays."""
        return [v.numpy() for v in self._variables]

    def get_config(self) -> dict[str, Any]:
        """The arguments that make an equal optimizer."""
        config = super().get_config()
        rate = self._learning_rate
        config["learning_rate"] = float(rate.numpy()) if isinstance(rate, tf.Variable) else serialize(rate)
        return {"name": self.name, **config}

    def __repr__(self) -> str:
        return f"<{type(self).__module__}.{type(self).__name__} object {self.name!r}>"


def with_square(gradient: Any, dtype: tf.DType) -> tuple[Tensor, Tensor]:
    """A gradient and its square, both dense. Slices of one row are squared one by one, then summed, as Keras does it."""
    gradient = tf.cast(gradient, dtype)
    if not isinstance(gradient, tf.IndexedSlices):
        gradient = tf.convert_to_tensor(gradient)
        return gradient, tf.square(gradient)
    return tf.convert_to_tensor(gradient), tf.convert_to_tensor(gradient.map_values(tf.square))


def averages_of(optimizer: Optimizer) -> list[tuple[Any, Any]]:
    """The variables that an optimizer with `use_ema` trains, each with the variable that holds its moving average."""
    return [(v, optimizer._averages.of(v)) for v in optimizer._trainable_variables]
