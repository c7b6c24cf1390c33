"""Values of a checkpoint on their way into objects: now, or when the objects come into being.

A checkpoint holds a graph of objects. Restoring matches it with the objects of the program, child by child, by name.
What the program does not have yet is awaited: a module that gets an attribute later is told by `Module.__setattr__`, and
variables that are put into a list or dictionary later ask themselves (`graphrt.state.awaited_values`).
"""

from __future__ import annotations

import hashlib
import itertools
import weakref
from collections.abc import Iterable, Mapping
from typing import Any

from graphrt import errors
from graphrt.graphdef.schema import message_class
from graphrt.saving.bundle import Bundle
from graphrt.saving.objects import Array, Part, children, is_trackable, parts_of, walk
from graphrt.state.awaited_values import look_for_arrived, wait
from graphrt.state.module import Module, Restorer, await_attributes
from graphrt.tensor.queries import get_logger

__all__ = ["GRAPH_KEY", "CheckpointLoadStatus", "InitializationOnlyStatus", "Restoration", "object_graph"]

GRAPH_KEY = "_CHECKPOINTABLE_OBJECT_GRAPH"
_MAX_OBJECTS = 1_000_000
_turns = itertools.count()  # state: counts restorations, of which the latest has the last word
_alive: dict[int, weakref.ref[Restoration]] = {}  # state: weak, by turn


def object_graph(bundle: Bundle) -> Any:
    """The `TrackableObjectGraph` of a checkpoint.

    Raises:
      DataLossError: it is damaged.
      NotFoundError: the checkpoint has none.
    """
    if GRAPH_KEY not in bundle:
        raise errors.NotFoundError(
            None, None,
            f"checkpoint {bundle.prefix!r} says nothing of objects (it has no key {GRAPH_KEY!r}): read its tensors with "
            "tf.train.load_checkpoint",
        )  # fmt: skip
    array = bundle.read(GRAPH_KEY)
    message = message_class("TrackableObjectGraph")()
    try:
        message.ParseFromString(array.item() if array.dtype == object and array.size == 1 else b"\xff")
    except Exception as error:  # the class of the error depends on the protobuf runtime
        raise errors.DataLossError(None, None, f"{bundle.prefix}: the graph of objects is damaged: {error}") from None
    count = len(message.nodes)
    if not 1 <= count <= _MAX_OBJECTS:
        raise errors.DataLossError(None, None, f"{bundle.prefix}: a graph of {count} objects")
    for node in message.nodes:
        if any(not 0 <= c.node_id < count for c in node.children):
            raise errors.DataLossError(None, None, f"{bundle.prefix}: an object has a child that does not exist")
    return message


def _names_before(thing: object) -> Mapping[str, str]:
    """Names of children in checkpoints of earlier versions, and what they are called now."""
    return thing.__saved_before__ if isinstance(thing, Module) else {}


def _widened(array: Array, like: Array) -> Array:
    """An array of whole numbers that were kept in fewer bits before."""
    whole = array.dtype.kind == like.dtype.kind == "i" and array.dtype.itemsize < like.dtype.itemsize
    return array.astype(like.dtype) if whole else array


class _Growing:
    """A list or dictionary that lacks elements, and what it was last seen with."""

    def __init__(self, thing: list[Any] | dict[Any, Any], missing: list[str]) -> None:
        self.thing = thing
        self._size = len(thing)
        size = range(len(thing)) if isinstance(thing, list) else thing
        keys: list[Any] = [int(n) for n in missing if n.isdecimal()] if isinstance(thing, list) else list(missing)
        self._others = [(key, thing[key]) for key in keys if key in size]  # None say, where a variable comes later

    def has_changed(self) -> bool:
        """Whether something has been put into it, as far as lengths and the places of missing elements tell."""
        if len(self.thing) != self._size:
            return True
        held: Any = self.thing
        return any(held[k] is not v if isinstance(held, list) else held.get(k) is not v for k, v in self._others)


class Restoration:
    """One `restore` of a checkpoint: what has been matched, and what is awaited.

    Attributes:
      turn: how many there were before.
      matched: by number of a node, the object that it has become.
      consumed: numbers of nodes whose values are in place.
    """

    def __init__(self, prefix: str, root: object) -> None:
        look_for_arrived()  # by earlier ones
        self.prefix = prefix
        self.turn = next(_turns)
        self._bundle = Bundle(prefix)  # the index is read once, the data when it is needed
        with self._bundle as bundle:
            self.graph = object_graph(bundle)
            self._said = hashlib.sha256(self.graph.SerializeToString(deterministic=True)).digest()
            self.matched: dict[int, object] = {}
            self.consumed: set[int] = set()
            self._owners: dict[int, int] = {}  # by number of a matched object: itself, or what holds the container
            self._growing: dict[int, _Growing] = {}
            self.root = root
            self.quiet = False
            self._match(bundle, 0, root)
        turn = self.turn
        _alive[turn] = weakref.ref(self, lambda _: _alive.pop(turn, None))

    def child_arrived(self, node: int, name: str, child: object) -> None:
        """A child that the object of a node waited for has been made; None stands for one that may come yet."""
        if not is_trackable(child):
            return
        before = _names_before(self.matched[node])
        for reference in self.graph.nodes[node].children:
            told = reference.local_name
            if before.get(told, told) == name and reference.node_id not in self.matched:
                with self._bundle as bundle:
                    self._match(bundle, reference.node_id, child, older=self._is_older(node), owner=self._owners[node])

    def look_again(self) -> None:
        """Matches what has come into being inside of matched objects."""
        look_for_arrived()
        open_ones = [n for n, thing in self.matched.items() if self._open_children(n)]
        with self._bundle as bundle:
            for number in open_ones:
                self._match(bundle, number, self.matched[number], again=True)

    def look_into_containers(self) -> bool:
        """Matches what has been put into matched lists and dictionaries; whether elements are still missing."""
        refused: Exception | None = None  # what does not fit keeps nothing from what does
        for number, growing in dict(self._growing).items():
            if growing.has_changed():
                for name, child in children(growing.thing).items():
                    try:
                        self.child_arrived(number, name, child)
                    except Exception as error:
                        refused = refused or error
                missing = self._missing(number)
                if missing:
                    self._growing[number] = _Growing(growing.thing, missing)  # one complaint is enough
                else:
                    self._growing.pop(number, None)
        if refused is not None:
            try:
                raise refused
            finally:
                del refused  # its traceback holds this frame
        return bool(self._growing)

    def replaces(self, other: Restorer, node: int, others: int) -> bool:
        """Whether `other` is no later than this, and has values for nothing that this has no values for."""
        if not isinstance(other, Restoration) or node != others or other.turn > self.turn:
            return False
        return self._said == other._said

    def _missing(self, number: int) -> list[str]:
        return [c.local_name for c in self.graph.nodes[number].children if c.node_id not in self.matched]

    def _open_children(self, number: int) -> bool:
        return any(c.node_id not in self.matched for c in self.graph.nodes[number].children)

    def _is_older(self, number: int) -> bool:
        """Whether an object has a child by a name of before."""
        before = _names_before(self.matched[number])
        return any(c.local_name in before for c in self.graph.nodes[number].children)

    def _match(
        self, bundle: Bundle, number: int, thing: object, again: bool = False, older: bool = False, owner: int = 0
    ) -> None:  # fmt: skip
        """Matches `thing` and what belongs to it; values are put in place when all of them are known to fit."""
        planned: list[tuple[int, Part, list[Array]]] = []
        fresh: dict[int, object] = {}
        owners: dict[int, int] = {}
        waiting = [(number, thing, older, self._owners.get(number, owner))]
        for node_number, found, widen, holder in waiting:
            if node_number in fresh or (node_number in self.matched and not (again and node_number == number)):
                continue
            fresh[node_number] = found
            owners[node_number] = holder = holder if isinstance(found, (list, dict, tuple)) else node_number
            node = self.graph.nodes[node_number]
            planned += self._values(bundle, node_number, node, found, widen)
            own, before = children(found), _names_before(found)
            is_older = any(c.local_name in before for c in node.children)
            names = [(c.node_id, before.get(c.local_name, c.local_name)) for c in node.children]
            waiting += [(n, own[name], is_older, holder) for n, name in names if name in own]
        newer = self._written_since()
        for node_number, part, arrays in planned:
            if id(fresh[node_number]) not in newer:
                part.write(arrays)
        self.matched.update(fresh)
        self._owners.update(owners)
        self.consumed.update(n for n, _, _ in planned)
        for node_number, found in fresh.items():
            missing = self._missing(node_number)
            self._growing.pop(node_number, None)
            if not missing:
                continue
            if isinstance(found, (list, dict)):
                self._growing[node_number] = _Growing(found, missing)
                wait(self)
            owning = self.matched[owners[node_number]]
            for told in (owning, getattr(owning, "_saved_root", None)):
                await_attributes(told, self, owners[node_number])  # which keeps this

    def _written_since(self) -> set[int]:
        """Ids of the objects that later restorations have put values into: theirs are the last word."""
        later = [r for turn, reference in dict(_alive).items() if turn > self.turn and (r := reference()) is not None]
        return {id(r.matched[n]) for r in later for n in list(r.consumed)}

    def _values(
        self, bundle: Bundle, number: int, node: Any, thing: object, widen: bool
    ) -> Iterable[tuple[int, Part, list[Array]]]:
        if number in self.consumed:
            return
        own = {part.name: part for part in parts_of(thing)}
        for attribute in node.attributes:
            part = own.get(attribute.name)
            if part is not None:
                arrays = [bundle.read(attribute.checkpoint_key + suffix) for suffix in part.suffixes]
                if widen:
                    arrays = [_widened(array, like) for array, like in zip(arrays, part.read())]
                part.check(arrays, attribute.checkpoint_key)
                yield number, part, arrays

    # --- what is left ---
    def unused(self) -> list[str]:
        """The objects of the checkpoint with values that nothing took, as paths from the root."""
        paths = {0: "(root)"}
        waiting = [0]
        for number in waiting:
            for reference in self.graph.nodes[number].children:
                if reference.node_id not in paths:
                    paths[reference.node_id] = f"{paths[number]}.{reference.local_name}"
                    waiting.append(reference.node_id)
        return [
            paths.get(i, f"object {i}") for i, n in enumerate(self.graph.nodes) if n.attributes and i not in self.consumed
        ]  # fmt: skip

    def untouched(self) -> list[object]:
        """The objects of the program with values that the checkpoint did not have."""
        done = {id(self.matched[n]) for n in self.consumed}
        return [thing for _, thing, _ in walk(self.root) if parts_of(thing) and id(thing) not in done]

    def tell(self) -> None:
        """Says in the log which values were not used, unless that was expected."""
        left = [] if self.quiet else self.unused()
        if left:
            self.quiet = True
            get_logger().warning(
                "Checkpoint %s was restored in part only. Values that no object took: %s. To say that this is meant, "
                "use `status.expect_partial()`.", self.prefix, ", ".join(left),
            )  # fmt: skip


class CheckpointLoadStatus:
    """What `Checkpoint.restore` returns: assertions about how much of the checkpoint found its object.

    >>> import graphrt as tf, os, tempfile
    >>> prefix = os.path.join(tempfile.mkdtemp(), "two")
    >>> _ = tf.train.Checkpoint(a=tf.Variable(1), b=tf.Variable(2)).write(prefix)
    >>> a = tf.Variable(0)
    >>> status = tf.train.Checkpoint(a=a).read(prefix).expect_partial()
    >>> a.numpy().item()
    1
    >>> status.assert_consumed()
    Traceback (most recent call last):
    ...
    AssertionError: Unresolved object in checkpoint: (root).b
    """

    def __init__(self, restoration: Restoration) -> None:
        self._restoration = restoration
        self._finalizer = weakref.finalize(self, Restoration.tell, restoration)
        self._finalizer.atexit = False

    def assert_consumed(self) -> CheckpointLoadStatus:
        """Raises AssertionError unless each value found its object, and each object its value."""
        r = self._restoration
        r.look_again()
        left = r.unused()
        if left:
            raise AssertionError(f"Unresolved object in checkpoint: {', '.join(left)}")
        self.assert_existing_objects_matched()
        return self

    def assert_existing_objects_matched(self) -> CheckpointLoadStatus:
        """Raises AssertionError unless each object of the program found its value."""
        r = self._restoration
        r.look_again()
        left = r.untouched()
        if left:
            raise AssertionError(
                f"Found {len(left)} Python objects that were not bound to checkpointed values, likely due to changes in "
                f"the Python program. Showing {min(10, len(left))} of {len(left)} unmatched objects: {left[:10]}"
            )
        return self

    def assert_nontrivial_match(self) -> CheckpointLoadStatus:
        """Raises AssertionError if nothing but the root was found."""
        r = self._restoration
        r.look_again()
        if len(r.matched) <= 1 and not r.consumed:
            raise AssertionError(
                "Nothing except the root object matched a checkpointed value. Typically this means that the checkpoint "
                f"does not match the Python program. The following objects have no matching checkpointed value: "
                f"{r.untouched()}"
            )
        return self

    def expect_partial(self) -> CheckpointLoadStatus:
        """Says that it is right if values remain unused."""
        self._restoration.quiet = True
        return self

    def run_restore_ops(self, session: Any = None) -> None:
        """Does nothing: values are in place already."""

    def initialize_or_restore(self, session: Any = None) -> None:
        """Does nothing: values are in place already."""


class InitializationOnlyStatus(CheckpointLoadStatus):
    """What `Checkpoint.restore(None)` returns: nothing was restored, so its assertions fail."""

    def __init__(self) -> None:
        pass

    def _refuse(self) -> CheckpointLoadStatus:
        raise AssertionError("No checkpoint specified (save_path=None); nothing is being restored.")

    assert_consumed = assert_existing_objects_matched = assert_nontrivial_match = _refuse

    def expect_partial(self) -> CheckpointLoadStatus:
        """Says nothing: there is nothing that could be unused."""
        return self
