"""`a == b`, `a != b` and `x in container` of staged values."""

from __future__ import annotations

from collections import UserList
from collections.abc import Mapping, Set

from graphrt import errors
from graphrt.ir.op import ops  # late: start-up, `import graphrt` reads this file
from graphrt.staging.items import StagedItems
from graphrt.staging.lists import StagedList
from graphrt.staging.maybe_none import MaybeNone
from graphrt.staging.sequences import elements
from graphrt.staging.staged_iterable import StagedIterable
from graphrt.state.variable import Variable
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import Tensor
from graphrt.types.likes import TensorLike


def equal(a: TensorLike, b: TensorLike) -> Tensor:
    """`a == b`."""
    for one, other in ((a, b), (b, a)):
        if isinstance(one, MaybeNone):
            return one.equals(other)
    return ops.tensor_equals(a, b) if isinstance(a, (Tensor, Variable)) else ops.tensor_equals(b, a)


def unequal(a: TensorLike, b: TensorLike) -> Tensor:
    """`a != b`."""
    if isinstance(a, MaybeNone) or isinstance(b, MaybeNone):
        return ops.LogicalNot(equal(a, b))
    return ops.tensor_not_equals(a, b) if isinstance(a, (Tensor, Variable)) else ops.tensor_not_equals(b, a)


def _in_one(x: TensorLike, values: list[TensorLike] | tuple[TensorLike, ...]) -> Tensor:
    """`x in values`: also of staged lists, of which `==` knows no more."""
    tensors = (Tensor, Variable, MaybeNone)
    found = [equal(x, v) if isinstance(v, tensors) or isinstance(x, tensors) else x == v for v in values]
    staged = [convert_to_tensor(v) for v in found if isinstance(v, tensors)]
    known = any(v for v in found if not isinstance(v, tensors))
    if known or not staged:
        return convert_to_tensor(known)
    return ops.reduce_any(ops.Pack(staged), None)


def contains(x: TensorLike, container: object) -> Tensor:
    """`x in container`."""
    if isinstance(x, MaybeNone) and not isinstance(container, (list, tuple, Set, Mapping, UserList)):
        return ops.LogicalAnd(x.flag, contains(x.value, container))
    if isinstance(container, (Set, Mapping, UserList)):
        container = list(container)
    if isinstance(container, StagedIterable):
        container = elements(container)
    if isinstance(container, (list, tuple)):
        if not container:
            return convert_to_tensor(False)
        return _in_one(x, container)
    if isinstance(container, Tensor) and container.dims == () and container.dtype.kind == "S":
        raise errors.OperatorNotAllowedInGraphError(
            errors.at_user_line(
                "`in` cannot look into a string that is a tensor: use tf.strings.regex_full_match(s, '.*part.*')"
            )
        )
    if isinstance(container, StagedItems):
        found = container.ahead()
        return container.up_to_first(
            found.matches(x) if isinstance(found, StagedList) else ops.Pack([equal(v, x) for v in found])
        )
    if isinstance(container, StagedList):
        return container.count(x) > 0
    return ops.reduce_any(ops.Equal(container, x), None)
