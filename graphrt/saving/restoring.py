"""Values of a checkpoint on their way into objects: now, or when the objects come into being.

A checkpoint holds a graph of objects. Restoring matches it with the objects of the program, child by child, by name.
What the program does not have yet is awaited: a module that gets an attribute later is told by `Module.__setattr__`.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Mapping
from typing import Any

from graphrt import errors
from graphrt.graphdef.schema import message_class
from graphrt.saving.bundle import Bundle
from graphrt.saving.objects import Array, Part, children, is_trackable, parts_of, walk
from graphrt.state.module import Module, await_attributes
from graphrt.tensor.queries import get_logger

__all__ = ["GRAPH_KEY", "CheckpointLoadStatus", "InitializationOnlyStatus", "Restoration", "object_graph"]

GRAPH_KEY = "_CHECKPOINTABLE_OBJECT_GRAPH"
_MAX_OBJECTS = 1_000_000


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


class Restoration:
    """One `restore` of a checkpoint: what has been matched, and what is awaited.

    Attributes:
      matched: by number of a node, the object that it has become.
      consumed: numbers of nodes whose values are in place.
    """

    def __init__(self, prefix: str, root: object) -> None:
        self.prefix = prefix
        self._bundle = Bundle(prefix)  # the index is read once, the data when it is needed
        with self._bundle as bundle:
            self.graph = object_graph(bundle)
            self.matched: dict[int, object] = {}
            self.consumed: set[int] = set()
            self.root = root
            self.quiet = False
            self._match(bundle, 0, root)

    def child_arrived(self, node: int, name: str, child: object) -> None:
        """A child that the object of a node waited for has been made; None stands for one that may come yet."""
        if not is_trackable(child):
            return
        before = _names_before(self.matched[node])
        for reference in self.graph.nodes[node].children:
            told = reference.local_name
            if before.get(told, told) == name and reference.node_id not in self.matched:
                with self._bundle as bundle:
                    self._match(bundle, reference.node_id, child, older=self._is_older(node))

    def look_again(self) -> None:
        """Matches what has come into being inside of matched objects."""
        open_ones = [n for n, thing in self.matched.items() if self._open_children(n)]
        with self._bundle as bundle:
            for number in open_ones:
                self._match(bundle, number, self.matched[number], again=True)

    def _open_children(self, number: int) -> bool:
        return any(c.node_id not in self.matched for c in self.graph.nodes[number].children)

    def _is_older(self, number: int) -> bool:
        """Whether an object has a child by a name of before."""
        before = _names_before(self.matched[number])
        return any(c.local_name in before for c in self.graph.nodes[number].children)

    def _match(
        self, bundle: Bundle, number: int, thing: object, again: bool = False, older: bool = False
    ) -> None:  # fmt: skip
        """Matches `thing` and what belongs to it; values are put in place when all of them are known to fit."""
        planned: list[tuple[int, Part, list[Array]]] = []
        fresh: dict[int, object] = {}
        waiting = [(number, thing, older)]
        for node_number, found, widen in waiting:
            if node_number in fresh or (node_number in self.matched and not (again and node_number == number)):
                continue
            fresh[node_number] = found
            node = self.graph.nodes[node_number]
            planned += self._values(bundle, node_number, node, found, widen)
            own, before = children(found), _names_before(found)
            is_older = any(c.local_name in before for c in node.children)
            names = [(c.node_id, before.get(c.local_name, c.local_name)) for c in node.children]
            waiting += [(n, own[name], is_older) for n, name in names if name in own]
        for _, part, arrays in planned:
            part.write(arrays)
        self.matched.update(fresh)
        self.consumed.update(n for n, _, _ in planned)
        for node_number, found in fresh.items():
            if self._open_children(node_number):
                await_attributes(found, self, node_number)

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
