"""The ops that train variables: `ResourceApplyAdam` and the like, and those that change the rows at given indices.

Each is one rule, of the arrays that are there to those that follow:

    var' = var - alpha * delta          ResourceApplyGradientDescent(var, alpha, delta)

The rows of a sparse update go through the same rule, one index after the other: an index that stands there twice is
updated twice. All arithmetic is done in the dtype of the variable.
"""

from __future__ import annotations

import functools
from collections import deque
from collections.abc import Callable, Generator, Iterator
from operator import methodcaller
from typing import Any, TypeAlias

import numpy as np

from graphrt import errors
from graphrt.ir.graph import InferContext
from graphrt.ir.op import STATEFUL, TYPED, OpDef, define
from graphrt.ops.support.kernel_helpers import bad
from graphrt.ops.support.shape_rules import require_rank
from graphrt.state.resource_ops import handle_dims
from graphrt.state.storage import Storage
from graphrt.types import dtype as dtypes
from graphrt.types.leaving import block
from graphrt.types.likes import Array
from graphrt.types.shape import Dims, merge

__all__: list[str] = []

Rule: TypeAlias = Callable[..., tuple[Array, ...]]
"""From the variable, its slots, the tensors and the attributes to the new variable and the new slots."""

FLOATS = dtypes.FLOATING
WIDE = (dtypes.float32, dtypes.float64)
INEXACT = dtypes.INEXACT


def _bad(message: str) -> errors.InvalidArgumentError:
    return errors.InvalidArgumentError(None, None, message)


# --- rules -----------------------------------------------------------------------------------------------------------
def _descended(var: Array, alpha: Array, delta: Array) -> tuple[Array, ...]:
    return (var - alpha * delta,)


def _adam(
    var: Array, m: Array, v: Array, beta1_power: Array, beta2_power: Array, lr: Array, beta1: Array, beta2: Array,
    epsilon: Array, grad: Array, *, use_nesterov: bool = False,
) -> tuple[Array, ...]:  # fmt: skip
    one = lr.dtype.type(1)
    alpha = lr * np.sqrt(one - beta2_power) / (one - beta1_power)
    m = m + (grad - m) * (one - beta1)
    v = v + (grad * grad - v) * (one - beta2)
    step = grad * (one - beta1) + beta1 * m if use_nesterov else m
    return var - step * alpha / (np.sqrt(v) + epsilon), m, v


def _amsgrad(
    var: Array, m: Array, v: Array, vhat: Array, beta1_power: Array, beta2_power: Array, lr: Array, beta1: Array,
    beta2: Array, epsilon: Array, grad: Array,
) -> tuple[Array, ...]:  # fmt: skip
    one = lr.dtype.type(1)
    alpha = lr * np.sqrt(one - beta2_power) / (one - beta1_power)
    m = m + (grad - m) * (one - beta1)
    v = v + (grad * grad - v) * (one - beta2)
    vhat = np.maximum(vhat, v)
    return var - m * alpha / (np.sqrt(vhat) + epsilon), m, v, vhat


def _adamax(
    var: Array, m: Array, v: Array, beta1_power: Array, lr: Array, beta1: Array, beta2: Array, epsilon: Array,
    grad: Array,
) -> tuple[Array, ...]:  # fmt: skip
    one = lr.dtype.type(1)
    m = m + (grad - m) * (one - beta1)
    v = np.maximum(beta2 * v, np.abs(grad))
    return var - lr / (one - beta1_power) * (m / (v + epsilon)), m, v


def _adadelta(
    var: Array, accum: Array, accum_update: Array, lr: Array, rho: Array, epsilon: Array, grad: Array
) -> tuple[Array, ...]:
    rest = rho.dtype.type(1) - rho
    accum = accum * rho + grad * grad * rest
    update = np.sqrt(accum_update + epsilon) / np.sqrt(accum + epsilon) * grad
    return var - update * lr, accum, accum_update * rho + update * update * rest


def _adagrad(var: Array, accum: Array, lr: Array, grad: Array, *, update_slots: bool) -> tuple[Array, ...]:
    accum = accum + grad * grad if update_slots else accum
    return var - grad * lr / np.sqrt(accum), accum


def _adagrad_2(
    var: Array, accum: Array, lr: Array, epsilon: Array, grad: Array, *, update_slots: bool
) -> tuple[Array, ...]:
    accum = accum + grad * grad if update_slots else accum
    return var - grad * lr / (np.sqrt(accum) + epsilon), accum


def _dual_averaging(
    var: Array, total: Array, squares: Array, grad: Array, lr: Array, l1: Array, l2: Array, global_step: Array
) -> tuple[Array, ...]:
    step = lr.dtype.type(global_step)
    total, squares = total + grad, squares + grad * grad
    size = np.maximum(np.abs(total) - l1 * step, l1.dtype.type(0)) if l1 > 0 else np.abs(total)
    return -lr * np.sign(total) * size / (l2 * step * lr + np.sqrt(squares)), total, squares


def _add_sign(
    var: Array, m: Array, lr: Array, alpha: Array, sign_decay: Array, beta: Array, grad: Array
) -> tuple[Array, ...]:
    m = m * beta + grad * (beta.dtype.type(1) - beta)
    return var - lr * (alpha + sign_decay * (np.sign(grad) * np.sign(m))) * grad, m


def _power_sign(
    var: Array, m: Array, lr: Array, logbase: Array, sign_decay: Array, beta: Array, grad: Array
) -> tuple[Array, ...]:
    m = m * beta + grad * (beta.dtype.type(1) - beta)
    return var - lr * np.exp(logbase * sign_decay * (np.sign(grad) * np.sign(m))) * grad, m


def _rmsprop(
    var: Array, ms: Array, mom: Array, lr: Array, rho: Array, momentum: Array, epsilon: Array, grad: Array
) -> tuple[Array, ...]:
    ms = ms + (grad * grad - ms) * (rho.dtype.type(1) - rho)
    mom = mom * momentum + grad * lr / np.sqrt(ms + epsilon)
    return var - mom, ms, mom


def _centered_rmsprop(
    var: Array, mg: Array, ms: Array, mom: Array, lr: Array, rho: Array, momentum: Array, epsilon: Array, grad: Array
) -> tuple[Array, ...]:
    rest = rho.dtype.type(1) - rho
    ms, mg = ms + (grad * grad - ms) * rest, mg + (grad - mg) * rest
    mom = mom * momentum + grad * lr / np.sqrt(ms - mg * mg + epsilon)
    return var - mom, mg, ms, mom


def _momentum(
    var: Array, accum: Array, lr: Array, grad: Array, momentum: Array, *, use_nesterov: bool
) -> tuple[Array, ...]:
    accum = accum * momentum + grad
    step = grad * lr + accum * momentum * lr if use_nesterov else accum * lr
    return var - step, accum


def _keras_momentum(
    var: Array, accum: Array, lr: Array, grad: Array, momentum: Array, *, use_nesterov: bool
) -> tuple[Array, ...]:
    accum = accum * momentum - grad * lr
    return var + (accum * momentum - grad * lr if use_nesterov else accum), accum


def _shrunk(moved: Array, lr: Array, l1: Array, l2: Array) -> Array:
    """What lies within `lr * l1` of zero becomes zero, the rest comes nearer."""
    one = l2.dtype.type(1)
    size = np.maximum(np.abs(moved) - lr * l1, l1.dtype.type(0)) if l1 > 0 else np.abs(moved)
    return np.sign(moved) * size / (one + l2 * lr)


def _proximal_descent(var: Array, alpha: Array, l1: Array, l2: Array, delta: Array) -> tuple[Array, ...]:
    return (_shrunk(var - alpha * delta, alpha, l1, l2),)


def _proximal_adagrad(var: Array, accum: Array, lr: Array, l1: Array, l2: Array, grad: Array) -> tuple[Array, ...]:
    if not lr > 0:
        raise bad(f"lr is not a positive scalar: {lr}")
    accum = accum + grad * grad
    rate = lr / np.sqrt(accum)
    return _shrunk(var - rate * grad, rate, l1, l2), accum


def _ftrl_2(
    var: Array, accum: Array, linear: Array, grad: Array, lr: Array, l1: Array, l2: Array, l2_shrinkage: Array,
    lr_power: Array, *, multiply_linear_by_lr: bool,
) -> tuple[Array, ...]:  # fmt: skip
    two = l2.dtype.type(2)
    total = accum + grad * grad
    before, after = accum**-lr_power, total**-lr_power
    rate = lr if multiply_linear_by_lr else lr.dtype.type(1)
    grad = grad + two * l2_shrinkage * var
    change = after - before
    if multiply_linear_by_lr:
        linear = linear + grad * lr - change * var
        quadratic = after + two * l2 * lr
    else:
        linear = linear + grad - change / lr * var
        quadratic = after / lr + two * l2
    edge = l1 * rate
    new = np.where(np.abs(linear) > edge, (np.sign(linear) * edge - linear) / quadratic, l1.dtype.type(0))
    return new, total, linear


def _ftrl(
    var: Array, accum: Array, linear: Array, grad: Array, lr: Array, l1: Array, l2: Array, lr_power: Array, *,
    multiply_linear_by_lr: bool,
) -> tuple[Array, ...]:  # fmt: skip
    none = l2.dtype.type(0)
    return _ftrl_2(var, accum, linear, grad, lr, l1, l2, none, lr_power, multiply_linear_by_lr=multiply_linear_by_lr)


# --- kernels ---------------------------------------------------------------------------------------------------------
@block
def _locked(storages: tuple[Storage, ...]) -> Generator[None, None, None]:
    """Holds the locks of variables, always in one order, so that two updates never wait for each other."""
    locks = [storage.lock for storage in sorted(set(storages), key=id)]
    held: list[Any] = []
    giving_back = map(methodcaller("release"), held)
    try:
        held.extend(filter(methodcaller("acquire"), locks))  # no Ctrl-C between a lock and this note of it
        yield from (None,)
    finally:
        deque(giving_back, 0)  # nor between one and the next


def _check_ftrl(multiply_linear_by_lr: bool, given: dict[str, Array]) -> None:
    """Sparse updates look at their numbers, dense ones give what comes out."""
    lr = given["lr"]
    if not (lr > 0 or (multiply_linear_by_lr and lr == 0)):
        raise _bad(f"lr must be positive{' or zero' if multiply_linear_by_lr else ''}, found {lr}")
    for name in ("l1", "l2", "l2_shrinkage"):
        if not given.get(name, np.float32(0)) >= 0:
            raise _bad(f"{name} must be at least 0, found {given[name]}")
    if not given["lr_power"] <= 0:
        raise _bad(f"lr_power must be at most 0, found {given['lr_power']}")


def _list(dims: tuple[int, ...]) -> str:
    return "[" + ",".join(map(str, dims)) + "]"


def _values(names: list[str], storages: tuple[Storage, ...]) -> list[Array]:
    """What variables hold; they have one shape and one dtype."""
    found = [np.asarray(s.value) for s in storages]
    for name, storage, value in zip(names[1:], storages[1:], found[1:]):
        if value.shape != found[0].shape:
            raise _bad(f"{names[0]} and {name} do not have the same shape{_list(found[0].shape)} {_list(value.shape)}")
        if storage.dtype is not storages[0].dtype:
            raise _bad(
                f"{names[0]} and {name} do not have the same dtype: {storages[0].dtype.name}, {storage.dtype.name}"
            )
    return found


def _check_scalars(names: list[str], tensors: tuple[Array, ...], large: tuple[str, ...]) -> None:
    for name, tensor in zip(names, tensors):
        if name not in large and np.ndim(tensor):
            raise _bad(f"{name} is not a scalar: {_list(np.shape(tensor))}")


def _keep(storages: tuple[Storage, ...], found: tuple[Array, ...]) -> None:
    """Assigns what a rule gave: slots first, so that a variable is as new as its slots when both are one."""
    for storage, value in zip(storages[::-1], found[::-1]):
        storage.value = np.asarray(value, storage.dtype.as_numpy_dtype)


def _dense_kernel(rule: Rule, handles: list[str], tensors: list[str], gradient: str) -> Callable[..., None]:
    @functools.wraps(rule)  # whose attributes it takes
    def kernel(*inputs: Array, **attrs: bool) -> None:
        storages: tuple[Storage, ...] = inputs[: len(handles)]  # type: ignore[assignment]
        given = inputs[len(handles) :]
        with _locked(storages), np.errstate(all="ignore"):
            values = _values(handles, storages)
            _check_scalars(tensors, given, (gradient,))
            delta = given[tensors.index(gradient)]
            if np.shape(delta) != values[0].shape:
                raise _bad(
                    f"var and {gradient} do not have the same shape{_list(values[0].shape)} {_list(np.shape(delta))}"
                )
            _keep(storages, rule(*values, *given, **attrs))

    return kernel


def _rounds(indices: Array) -> Iterator[Array]:
    """Positions of indices, such that each index stands once in a round, and rounds follow each other."""
    order = np.argsort(indices, kind="stable")
    ordered = indices[order]
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
    turn = np.empty(len(indices), np.int64)
    turn[order] = np.arange(len(indices)) - np.repeat(starts, np.diff(np.r_[starts, len(indices)]))
    for i in range(int(turn.max()) + 1):
        yield np.flatnonzero(turn == i)


def _check_rows(indices: Array, size: int) -> None:
    outside = (indices < 0) | (indices >= size)
    if outside.any():
        at = int(np.flatnonzero(outside)[0])
        raise _bad(f"Index {indices[at]} at offset {at} in indices is out of range")


def _sparse_kernel(rule: Rule, handles: list[str], tensors: list[str]) -> Callable[..., None]:
    at_gradient, at_indices = tensors.index("grad"), tensors.index("indices")

    @functools.wraps(rule)  # whose attributes it takes
    def kernel(*inputs: Array, **attrs: bool) -> None:
        storages: tuple[Storage, ...] = inputs[: len(handles)]  # type: ignore[assignment]
        given = inputs[len(handles) :]
        gradient, indices = np.asarray(given[at_gradient]), np.asarray(given[at_indices])
        with _locked(storages), np.errstate(all="ignore"):
            values = [np.array(value) for value in _values(handles, storages)]  # readers keep the old ones
            _check_scalars(tensors, given, ("grad", "indices"))
            if indices.ndim != 1:
                raise _bad("indices must be one-dimensional")
            if values[0].ndim == 0:
                raise _bad("var must be at least 1 dimensional")
            if gradient.ndim == 0 or len(gradient) != len(indices):
                raise _bad("grad must be the same size as indices in the first dimension.")
            if gradient.shape[1:] != values[0].shape[1:]:
                raise _bad(
                    f"var and grad must match in all but the first dimension, found {_list(values[0].shape)} and "
                    f"{_list(gradient.shape)}"
                )
            _check_rows(indices, len(values[0]))
            if rule in (_ftrl, _ftrl_2):
                _check_ftrl(attrs["multiply_linear_by_lr"], dict(zip(tensors, given)))
            for positions in _rounds(indices) if len(indices) else ():
                rows = indices[positions]
                part = [t for i, t in enumerate(given) if i != at_indices]
                part[at_gradient - (at_gradient > at_indices)] = gradient[positions]
                for value, new in zip(values, rule(*(value[rows] for value in values), *part, **attrs)):
                    value[rows] = new
            _keep(storages, tuple(values))

    return kernel


# --- declarations ----------------------------------------------------------------------------------------------------
def _infer(
    handles: int, scalars: list[int], gradient: int, indices: int | None
) -> Callable[[InferContext], list[Dims]]:
    def infer(c: InferContext) -> list[Dims]:
        for i in scalars:
            require_rank(c, i, 0)
        dims: Dims = None
        for i in range(handles):
            dims = merge(dims, handle_dims(c.inputs[i]))
        if indices is None:
            merge(dims, c.dims(gradient))
            return []
        require_rank(c, indices, 1)
        delta, rows = c.dims(gradient), c.dims(indices)
        if dims and delta:
            merge(dims[1:], delta[1:])
        if delta and rows:
            merge(delta[:1], rows)
        return []

    return infer


def _train_op(
    type_: str, rule: Rule, handles: str, tensors: str, flags: tuple[tuple[str, bool], ...] = (),
    allowed: tuple[dtypes.DType, ...] = INEXACT,
) -> OpDef:  # fmt: skip
    """Declares an op by the names of its variables and of its tensors; one with `indices` among these is sparse."""
    slots, given = handles.split(), tensors.split()
    sparse = "indices" in given
    gradient = "delta" if "delta" in given else "grad"
    types = {"indices": "Tindices", "global_step": "int64"}
    schema = [f"{n}: resource" for n in slots] + [f"{n}: {types.get(n, 'T')}" for n in given]
    large = {gradient, "indices"}
    return define(
        type_, f"{', '.join(schema)} ->",
        attrs="; ".join(f"{n}: bool = {v}" for n, v in (("use_locking", False), *flags)),
        allowed={"T": allowed, **({"Tindices": dtypes.INDEX} if sparse else {})},
        infer=_infer(
            len(slots), [len(slots) + i for i, n in enumerate(given) if n not in large],
            len(slots) + given.index(gradient), len(slots) + given.index("indices") if sparse else None,
        ),
        kernel=_sparse_kernel(rule, slots, given) if sparse else _dense_kernel(rule, slots, given, gradient),
        traits=(STATEFUL, TYPED),
    )  # fmt: skip


_NESTEROV = (("use_nesterov", False),)
_SLOTS = (("update_slots", True),)
_LINEAR = (("multiply_linear_by_lr", False),)

ResourceApplyGradientDescent = _train_op("ResourceApplyGradientDescent", _descended, "var", "alpha delta")
ResourceApplyAdam = _train_op(
    "ResourceApplyAdam", _adam, "var m v", "beta1_power beta2_power lr beta1 beta2 epsilon grad", _NESTEROV
)
ResourceApplyAdamWithAmsgrad = _train_op(
    "ResourceApplyAdamWithAmsgrad", _amsgrad, "var m v vhat",
    "beta1_power beta2_power lr beta1 beta2 epsilon grad", allowed=FLOATS,
)  # fmt: skip
ResourceApplyAdaMax = _train_op(
    "ResourceApplyAdaMax", _adamax, "var m v", "beta1_power lr beta1 beta2 epsilon grad", allowed=FLOATS
)
ResourceApplyAdadelta = _train_op("ResourceApplyAdadelta", _adadelta, "var accum accum_update", "lr rho epsilon grad")
ResourceSparseApplyAdadelta = _train_op(
    "ResourceSparseApplyAdadelta", _adadelta, "var accum accum_update", "lr rho epsilon grad indices"
)
ResourceApplyAdagrad = _train_op("ResourceApplyAdagrad", _adagrad, "var accum", "lr grad", _SLOTS)
ResourceSparseApplyAdagrad = _train_op(
    "ResourceSparseApplyAdagrad", _adagrad, "var accum", "lr grad indices", _SLOTS
)  # fmt: skip
ResourceApplyAdagradV2 = _train_op("ResourceApplyAdagradV2", _adagrad_2, "var accum", "lr epsilon grad", _SLOTS)
ResourceSparseApplyAdagradV2 = _train_op(
    "ResourceSparseApplyAdagradV2", _adagrad_2, "var accum", "lr epsilon grad indices", _SLOTS
)
ResourceApplyAdagradDA = _train_op(
    "ResourceApplyAdagradDA", _dual_averaging, "var gradient_accumulator gradient_squared_accumulator",
    "grad lr l1 l2 global_step", allowed=WIDE,
)  # fmt: skip
ResourceSparseApplyAdagradDA = _train_op(
    "ResourceSparseApplyAdagradDA", _dual_averaging, "var gradient_accumulator gradient_squared_accumulator",
    "grad indices lr l1 l2 global_step", allowed=WIDE,
)  # fmt: skip
ResourceApplyAddSign = _train_op(
    "ResourceApplyAddSign", _add_sign, "var m", "lr alpha sign_decay beta grad", allowed=FLOATS
)
ResourceApplyPowerSign = _train_op(
    "ResourceApplyPowerSign", _power_sign, "var m", "lr logbase sign_decay beta grad", allowed=FLOATS
)
ResourceApplyRMSProp = _train_op("ResourceApplyRMSProp", _rmsprop, "var ms mom", "lr rho momentum epsilon grad")
ResourceSparseApplyRMSProp = _train_op(
    "ResourceSparseApplyRMSProp", _rmsprop, "var ms mom", "lr rho momentum epsilon grad indices"
)
ResourceApplyCenteredRMSProp = _train_op(
    "ResourceApplyCenteredRMSProp", _centered_rmsprop, "var mg ms mom", "lr rho momentum epsilon grad"
)
ResourceSparseApplyCenteredRMSProp = _train_op(
    "ResourceSparseApplyCenteredRMSProp", _centered_rmsprop, "var mg ms mom", "lr rho momentum epsilon grad indices"
)
ResourceApplyMomentum = _train_op("ResourceApplyMomentum", _momentum, "var accum", "lr grad momentum", _NESTEROV)
ResourceSparseApplyMomentum = _train_op(
    "ResourceSparseApplyMomentum", _momentum, "var accum", "lr grad indices momentum", _NESTEROV
)
ResourceApplyKerasMomentum = _train_op(
    "ResourceApplyKerasMomentum", _keras_momentum, "var accum", "lr grad momentum", _NESTEROV
)
ResourceSparseApplyKerasMomentum = _train_op(
    "ResourceSparseApplyKerasMomentum", _keras_momentum, "var accum", "lr grad indices momentum", _NESTEROV
)
ResourceApplyProximalGradientDescent = _train_op(
    "ResourceApplyProximalGradientDescent", _proximal_descent, "var", "alpha l1 l2 delta", allowed=WIDE
)
ResourceSparseApplyProximalGradientDescent = _train_op(
    "ResourceSparseApplyProximalGradientDescent", _proximal_descent, "var", "alpha l1 l2 grad indices", allowed=WIDE
)
ResourceApplyProximalAdagrad = _train_op(
    "ResourceApplyProximalAdagrad", _proximal_adagrad, "var accum", "lr l1 l2 grad", allowed=WIDE
)
ResourceSparseApplyProximalAdagrad = _train_op(
    "ResourceSparseApplyProximalAdagrad", _proximal_adagrad, "var accum", "lr l1 l2 grad indices", allowed=WIDE
)
ResourceApplyFtrl = _train_op(
    "ResourceApplyFtrl", _ftrl, "var accum linear", "grad lr l1 l2 lr_power", _LINEAR, FLOATS
)  # fmt: skip
ResourceSparseApplyFtrl = _train_op(
    "ResourceSparseApplyFtrl", _ftrl, "var accum linear", "grad indices lr l1 l2 lr_power", _LINEAR, FLOATS
)
ResourceApplyFtrlV2 = _train_op(
    "ResourceApplyFtrlV2", _ftrl_2, "var accum linear", "grad lr l1 l2 l2_shrinkage lr_power", _LINEAR, FLOATS
)
ResourceSparseApplyFtrlV2 = _train_op(
    "ResourceSparseApplyFtrlV2", _ftrl_2, "var accum linear", "grad indices lr l1 l2 l2_shrinkage lr_power", _LINEAR,
    FLOATS,
)  # fmt: skip
