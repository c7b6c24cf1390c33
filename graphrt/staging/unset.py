"""Variables and return values that only some paths through staged code set.

for x in xs:
    if x > 3:
        r = x          after the loop `r` is a tensor and a flag, both carried by the loop: whether `r` was set.
        break          Reading it records an assertion on the flag, unless the flag is known to hold.
return r
"""

from __future__ import annotations

from typing import Any

from autograph.backends import Undefined
from graphrt import errors
from graphrt.ir.op import ops  # late: start-up, `import graphrt` reads this file
from graphrt.staging.closing import opened
from graphrt.staging.known import known_flag
from graphrt.staging.values import leaves_of, rebuilt, zeros_for
from graphrt.tensor.context import current_graph
from graphrt.tensor.convert import convert_to_tensor
from graphrt.types import structure
from graphrt.types.likes import TensorLike
from graphrt.types.structure import Composite


class SometimesSet(Undefined, Composite):
    """A variable that has the value `value` where the bool `flag` holds, and none elsewhere.

    Attributes:
      text: what the assertion says when it is read without a value.
      refusal: the error for reading it where no path could have set it but the ones that the flag tells of.
    """

    __slots__ = ("_object", "flag", "refusal", "text", "value")

    def __init__(
        self, name: str, value: Any, flag: TensorLike, text: str = "", refusal: Exception | None = None
    ) -> None:
        super().__init__(name)
        self.value = value
        self.flag = flag
        self.text = text or f"{name!r} is read, but nothing has set it"
        self.refusal = refusal
        self._object: Any = None

    def components(self) -> list[Any]:
        """The tensors of the value, and the flag."""
        return [*structure.flatten(self.value, expand_composites=True), self.flag]

    def with_components(self, components: list[Any]) -> SometimesSet:
        """The same variable with other tensors."""
        value = structure.pack_like(self.value, components[:-1], expand_composites=True)
        return SometimesSet(self.symbol_name, value, components[-1], self.text, self.refusal)

    def settled(self) -> Any:
        """The bare value if it is known to be set, else this."""
        return self.opened if known_flag(self.flag) else self

    def read(self) -> Any:
        """The value; asserts that there is one.

        Raises:
          BranchMismatchError: the conditional that leaves it unset stands right before.
        """
        if known_flag(self.flag):
            return self.opened
        if self.refusal is not None and getattr(self.flag, "graph", None) is current_graph():
            raise self.refusal
        ops.Assert(self.flag, [convert_to_tensor(self.text)])
        return self.opened

    @property
    def opened(self) -> Any:
        """The value, whether it is set or not; the same object each time."""
        if self._object is None:
            self._object = opened(self.value)
        return self._object

    @opened.setter
    def opened(self, found: Any) -> None:
        self._object = found

    def __repr__(self) -> str:
        return f"<{self.symbol_name}, which some paths do not set>"


def asked_when_run(value: Any) -> Any:
    """`value`; if it may be unset, then running the graph tells, where tracing would refuse to read it."""
    if not isinstance(value, SometimesSet) or value.refusal is None:
        return value
    return SometimesSet(value.symbol_name, value.value, value.flag, value.text)


def outside(value: Any) -> Any:
    """A copy of a value of a graph outside of that: zeros of the same types."""
    if isinstance(value, SometimesSet):
        text = f"{value.symbol_name!r} is read, but no iteration of the loop that sets it has done so"
        return SometimesSet(value.symbol_name, outside(value.value), convert_to_tensor(False), text)
    return rebuilt(value, [zeros_for(leaf) for leaf in leaves_of(value)])


class MissingReturn:
    """Marks a return value that one branch did not give."""

    __slots__ = ("branch", "location")

    def __init__(self, branch: str) -> None:
        self.branch = branch
        self.location = errors.user_location(2)


def mark_missing(tensors: list[Any], branch: str) -> None:
    """Notes on `tensors`, a return value, that they were filled in where `branch` did not return."""
    missing = MissingReturn(branch)
    for tensor in tensors:
        tensor.value.info = missing


def missing_return(leaf: Any) -> MissingReturn | None:
    """What was noted on a tensor of a return value."""
    value = leaf.value
    while value.info is None and (passed := value.passed) is not None:
        value = passed
    return value.info if isinstance(value.info, MissingReturn) else None
