"""What every iterable that a graph loops over has, its rest behind some elements, and itself where a flag holds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from graphrt import errors
from graphrt.ir.graph import static_value
from graphrt.ir.op import ops  # late: start-up, `import graphrt` reads this file
from graphrt.staging.iterators import Uses
from graphrt.tensor.tensor import SymbolicTensor


class StagedIterable:
    """Base of the iterables that a graph loops over."""

    labels: list[str]
    numbers: list[bool] = []  # which of its tensors, if not none, are numbers to the user, such as those of `range`
    uses: Uses | None = None  # of those that Python goes through once
    may_fail = False  # whether to ask for more may fail, which Python does after a `break` no more

    def begin(self) -> list[Any]:
        """The tensors that say where the iteration starts."""
        raise TypeError(f"{type(self).__name__} does not say where it begins")

    def more(self, own: list[Any]) -> Any:
        """Whether there is an element at `own`: a bool tensor."""
        raise TypeError(f"{type(self).__name__} does not say where it ends")

    def item(self, own: list[Any]) -> Any:
        """The element at `own`."""
        raise TypeError(f"{type(self).__name__} has no elements")

    def following(self, own: list[Any]) -> list[Any]:
        """The tensors of the next iteration."""
        raise TypeError(f"{type(self).__name__} does not say how it goes on")

    def length(self) -> Any:
        """The number of elements: an int32 tensor, or a Python int.

        Raises:
          TypeError: it is not known before the iteration.
        """
        raise TypeError(errors.at_user_line(f"the length of a staged {type(self).__name__} is not known"))

    def static_length(self) -> int | None:
        """The number of elements if it is known while tracing."""
        try:
            count = self.length()
        except TypeError:
            return None
        known = static_value(count.value) if isinstance(count, SymbolicTensor) else count
        return None if known is None else int(known)

    def after(self, own: list[Any]) -> StagedIterable:
        """The rest of this iterable, from `own` on."""
        return _Rest(self, own)

    def only_if(self, flag: Any) -> StagedIterable:
        """This iterable if the bool tensor `flag` holds, else an empty one."""
        return _Guarded(self, flag)

    def unrolled(self) -> Iterator[Any]:
        """The elements one by one, for Python to iterate over; their number must be known."""
        own = self.begin()
        for _ in range(self.static_length() or 0):
            yield self.item(own)
            own = self.following(own)

    def __iter__(self) -> Iterator[Any]:
        if self.static_length() is not None:
            return self.unrolled()
        raise errors.OperatorNotAllowedInGraphError(
            errors.at_user_line(
                "iterating over a symbolic tensor of unknown length is not allowed here: this is not a loop that "
                "AutoGraph converts. Write a `for` statement in a converted function, give the tensor a known length, or "
                "use tf.map_fn or tf.while_loop."
            )
        )

    def __bool__(self) -> bool:
        return True


class _Rest(StagedIterable):
    def __init__(self, whole: StagedIterable, own: list[Any]) -> None:
        self.whole = whole
        self.own = own
        self.labels = whole.labels
        self.numbers = whole.numbers

    def begin(self) -> list[Any]:
        return self.own

    def more(self, own: list[Any]) -> Any:
        return self.whole.more(own)

    def item(self, own: list[Any]) -> Any:
        return self.whole.item(own)

    def following(self, own: list[Any]) -> list[Any]:
        return self.whole.following(own)


class _Guarded(_Rest):
    def __init__(self, whole: StagedIterable, flag: Any) -> None:
        super().__init__(whole, whole.begin())
        self.flag = flag

    def more(self, own: list[Any]) -> Any:
        return ops.LogicalAnd(self.flag, self.whole.more(own))
