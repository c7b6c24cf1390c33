"""`tf.train.Checkpoint`: the values of objects in files, as TensorFlow writes and reads them."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.graphdef.schema import message_class
from graphrt.ops.io.files import local_path
from graphrt.saving.bundle import Bundle, write_bundle
from graphrt.saving.checkpoint_state import latest_checkpoint, update_checkpoint_state
from graphrt.saving.objects import Array, children, is_trackable, key_of, parts_of, walk
from graphrt.saving.restoring import GRAPH_KEY, CheckpointLoadStatus, InitializationOnlyStatus, Restoration
from graphrt.state.awaited_values import look_for_arrived
from graphrt.state.module import child_arrived
from graphrt.state.variable import Variable
from graphrt.tensor.context import current_graph, init_scope
from graphrt.types import dtype as dtypes
from graphrt.types.dtype import DType
from graphrt.types.nesting import shown

__all__ = [
    "Checkpoint", "CheckpointOptions", "CheckpointReader", "list_variables", "load_checkpoint", "load_variable",
    "tensors_of",
]  # fmt: skip


class CheckpointOptions:
    """How checkpoints are written. There is one device and one process here, so that nothing depends on it.

    >>> import graphrt as tf
    >>> tf.train.CheckpointOptions().enable_async
    False
    """

    def __init__(
        self, experimental_io_device: str | None = None, experimental_enable_async_checkpoint: bool = False,
        experimental_write_callbacks: Any = None, enable_async: bool = False,
        experimental_skip_slot_variables: bool = False, experimental_sharding_callback: Any = None,
    ) -> None:  # fmt: skip
        self.experimental_io_device = experimental_io_device
        self.enable_async = enable_async or experimental_enable_async_checkpoint
        self.experimental_write_callbacks = experimental_write_callbacks
        self.experimental_skip_slot_variables = experimental_skip_slot_variables
        self.experimental_sharding_callback = experimental_sharding_callback


def tensors_of(root: object, variables_only: bool = False) -> dict[str, Array]:
    """The tensors of a checkpoint of `root`, and the graph of the objects that they belong to.

    With `variables_only` tables have no values in it: a SavedModel fills them by a function.
    """
    look_for_arrived()
    found: dict[str, Array] = {}
    graph = message_class("TrackableObjectGraph")()
    nodes = list(walk(root))
    numbers = {id(thing): i for i, (_, thing, _) in enumerate(nodes)}
    for path, thing, inner in nodes:
        node = graph.nodes.add()
        for name, child in inner.items():
            node.children.add(node_id=numbers[id(child)], local_name=name)
        for part in parts_of(thing) if isinstance(thing, Variable) or not variables_only else ():
            key = key_of(path, part.name)
            node.attributes.add(name=part.name, full_name=part.full_name, checkpoint_key=key)
            for suffix, array in zip(part.suffixes, part.read()):
                found[key + suffix] = array
    _mark(graph)
    found[GRAPH_KEY] = np.array(graph.SerializeToString(deterministic=True), object)
    return found


def _mark(graph: Any) -> None:
    """Says of each object whether it, or one that belongs to it, has values."""
    above: list[list[int]] = [[] for _ in graph.nodes]
    for i, node in enumerate(graph.nodes):
        for child in node.children:
            above[child.node_id].append(i)
    waiting = [i for i, node in enumerate(graph.nodes) if node.attributes]
    valued = set(waiting)
    for i in waiting:
        waiting += [a for a in above[i] if a not in valued]
        valued.update(above[i])
    for i, node in enumerate(graph.nodes):
        node.has_checkpoint_values.value = i in valued


class Checkpoint:
    """The values of objects, to be written to files and read again.

    Keyword arguments name variables, modules, layers, optimizers, tables, or containers of them; `root`, if given, is an
    object whose own parts are parts of the checkpoint. Files are those of TensorFlow: it reads them, and its files can be
    read here. Writing leaves, at any moment, the old files or the new ones.

    >>> import graphrt as tf, os, tempfile
    >>> w, step = tf.Variable([1.0, 2.0]), tf.Variable(7)
    >>> checkpoint = tf.train.Checkpoint(w=w, step=step)
    >>> path = checkpoint.save(os.path.join(tempfile.mkdtemp(), "ckpt"))
    >>> os.path.basename(path)
    'ckpt-1'
    >>> _ = w.assign([0.0, 0.0])
    >>> _ = checkpoint.restore(path).assert_consumed()
    >>> w.numpy().tolist()
    [1.0, 2.0]

    Raises:
      ValueError: something that was given cannot be in a checkpoint, or two things have one name.

    Format: https://www.tensorflow.org/guide/checkpoint
    """

    def __init__(self, root: Any = None, **kwargs: Any) -> None:
        for name, value in (("root", root), *kwargs.items()) if root is not None else kwargs.items():
            if not is_trackable(value):
                raise ValueError(
                    errors.at_user_line(
                        f"`Checkpoint` was expecting {name} to be a trackable object (a variable, module, layer, "
                        f"optimizer, table, generator, or a container of such), got {shown(value)}."
                    )
                )
        self._root = root
        own = children(root) if root is not None else {}
        for name, value in kwargs.items():
            if own.get(name, value) is not value:
                raise ValueError(
                    errors.at_user_line(
                        f"Cannot create a Checkpoint with keyword argument {name} if root.{name} already exists."
                    )
                )
            object.__setattr__(self, name, value)
        self._names = dict.fromkeys(sorted(kwargs))
        self._counter: Variable | None = None

    def __setattr__(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)
        if not name.startswith("_") and is_trackable(value):
            self._names[name] = None
            child_arrived(self, name, value)

    @property
    def _saved_root(self) -> object:
        """The object whose parts are parts of this."""
        return self._root

    def _saved_children(self) -> dict[str, object]:
        found = dict(children(self._root)) if self._root is not None else {}
        found |= {name: getattr(self, name) for name in self._names}
        if self._counter is not None:
            found["save_counter"] = self._counter
        if self._root is not None:
            found["root"] = self
        return found

    @property
    def save_counter(self) -> Variable:
        """How often `save` was called: the number in the names of the files."""
        if self._counter is None:
            with init_scope():
                self._counter = Variable(0, dtype=dtypes.int64, name="save_counter", trainable=False)
        return self._counter

    @contextlib.contextmanager
    def counted(self) -> Iterator[int]:
        """Counts one more save, and gives its number; one that fails does not count."""
        before = self.save_counter.numpy()
        self.save_counter.assign_add(1)
        try:
            yield self.save_counter.numpy().item()
        except BaseException:
            self.save_counter.assign(before)
            raise

    def _refuse_in_graph(self, what: str) -> None:
        if current_graph() is not None:
            raise NotImplementedError(
                errors.at_user_line(
                    f"tf.train.Checkpoint.{what}() cannot be called while a function is traced: it works on files now, "
                    "once, and not when the function runs. Call it outside, or in a tf.py_function."
                )
            )

    def write(self, file_prefix: Any, options: CheckpointOptions | None = None) -> str:
        """Writes the values into files whose names begin with `file_prefix`, and returns it.

        Raises:
          OSError: the files cannot be written; what stood there before is unchanged.
        """
        self._refuse_in_graph("write")
        prefix = _text(file_prefix)
        root: object = self._root if self._is_leaf() else self
        write_bundle(prefix, tensors_of(root))
        return prefix

    def _is_leaf(self) -> bool:
        return isinstance(self._root, Variable) and not self._names and self._counter is None

    def save(self, file_prefix: Any, options: CheckpointOptions | None = None) -> str:
        """Writes the values into files named `file_prefix`, a dash, and a number that grows; returns that name.

        The file `checkpoint` in the same directory names the latest one, for `tf.train.latest_checkpoint`.
        """
        self._refuse_in_graph("save")
        with self.counted() as number:
            path = self.write(f"{_text(file_prefix)}-{number}", options)
        update_checkpoint_state(os.path.dirname(path), path, [path])
        return path

    def read(self, save_path: Any, options: CheckpointOptions | None = None) -> CheckpointLoadStatus:
        """Puts the values of a checkpoint that `write` made into the objects, now or when they come into being.

        Raises:
          DataLossError: the files are damaged; nothing was changed.
          InvalidArgumentError: a value has another dtype than its variable; nothing was changed.
          NotFoundError: there is no such checkpoint.
          ValueError: a value has another shape than its variable; nothing was changed.
        """
        self._refuse_in_graph("read")
        prefix = _text(save_path)
        try:
            return CheckpointLoadStatus(Restoration(prefix, self))
        except errors.NotFoundError as error:
            raise errors.NotFoundError(
                None, None,
                f"Error when restoring from checkpoint at {prefix}: {error}\nPlease check that the path is right. It may "
                "lack the suffix of the checkpoint (the '-1' of 'path/to/ckpt-1').",
            ) from None  # fmt: skip

    def restore(self, save_path: Any, options: CheckpointOptions | None = None) -> CheckpointLoadStatus:
        """As `read`, of a checkpoint that `save` made; the counter is restored, too.

        With None nothing happens. A directory stands for the latest checkpoint in it.
        """
        if save_path is None:
            return InitializationOnlyStatus()
        path = _text(save_path)
        if os.path.isdir(path):
            path = latest_checkpoint(path) or path
        self.save_counter  # noqa: B018  made, so that it is restored
        return self.read(path, options)

    def __repr__(self) -> str:
        return f"<tf.train.Checkpoint of {', '.join(self._saved_children()) or 'nothing'}>"


def _text(path: Any) -> str:
    found = local_path(path.numpy() if hasattr(path, "numpy") else path)
    return found.decode() if isinstance(found, bytes) else found


# --- reading without objects -----------------------------------------------------------------------------------------
class CheckpointReader:
    """The tensors of a checkpoint, by name.

    >>> import graphrt as tf, os, tempfile
    >>> prefix = tf.train.Checkpoint(w=tf.Variable([1, 2])).write(os.path.join(tempfile.mkdtemp(), "one"))
    >>> reader = tf.train.load_checkpoint(prefix)
    >>> reader.get_tensor("w/.ATTRIBUTES/VARIABLE_VALUE").tolist()
    [1, 2]
    """

    def __init__(self, prefix: str) -> None:
        self._bundle = Bundle(prefix)
        self._entries = {name: self._bundle.entry(name) for name in self._bundle}

    def get_tensor(self, name: str) -> Any:
        """The tensor of a name: an array, or bytes for a single string.

        Raises:
          NotFoundError: there is none.
          DataLossError: it is damaged.
        """
        with self._bundle as bundle:
            found = bundle.read(name)
        return found.item() if found.dtype == object and not found.ndim else found[()] if not found.ndim else found

    def has_tensor(self, name: str) -> bool:
        """Whether there is a tensor of that name."""
        return name in self._entries

    def get_variable_to_shape_map(self) -> dict[str, list[int]]:
        """The shapes of all tensors."""
        return {name: list(entry.dims) for name, entry in self._entries.items()}

    def get_variable_to_dtype_map(self) -> dict[str, DType]:
        """The dtypes of all tensors."""
        return {name: entry.dtype for name, entry in self._entries.items()}

    def debug_string(self) -> bytes:
        """A line for each tensor: name, dtype, shape."""
        lines = [f"{n} ({e.dtype.name}) {list(e.dims)}" for n, e in self._entries.items()]
        return "\n".join(lines).encode()


def _prefix_of(path: Any) -> str:
    text = _text(path)
    if os.path.isdir(text):
        found = latest_checkpoint(text)
        if found is None:
            raise ValueError(
                errors.at_user_line(f"Couldn't find 'checkpoint' file or checkpoints in given directory {text}")
            )
        return found
    return text


def load_checkpoint(ckpt_dir_or_file: Any) -> CheckpointReader:
    """The tensors of a checkpoint, or of the latest one in a directory.

    >>> import graphrt as tf, os, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> _ = tf.train.Checkpoint(w=tf.Variable(3)).save(os.path.join(folder, "ckpt"))
    >>> tf.train.load_checkpoint(folder).get_tensor("w/.ATTRIBUTES/VARIABLE_VALUE").item()
    3

    Raises:
      NotFoundError: there is no such checkpoint.
      ValueError: the directory holds none.
    """
    return CheckpointReader(_prefix_of(ckpt_dir_or_file))


def load_variable(ckpt_dir_or_file: Any, name: str) -> Any:
    """One tensor of a checkpoint, or of the latest one in a directory.

    >>> import graphrt as tf, os, tempfile
    >>> prefix = tf.train.Checkpoint(w=tf.Variable(3)).write(os.path.join(tempfile.mkdtemp(), "one"))
    >>> tf.train.load_variable(prefix, "w").item()
    3

    Raises:
      NotFoundError: there is no such checkpoint, or no such tensor.
    """
    reader = load_checkpoint(ckpt_dir_or_file)
    whole = f"{name}/.ATTRIBUTES/VARIABLE_VALUE"
    return reader.get_tensor(whole if reader.has_tensor(whole) else name)


def list_variables(ckpt_dir_or_file: Any) -> list[tuple[str, list[int]]]:
    """Names and shapes of the tensors of a checkpoint, or of the latest one in a directory.

    >>> import graphrt as tf, os, tempfile
    >>> prefix = tf.train.Checkpoint(w=tf.Variable([3, 4])).write(os.path.join(tempfile.mkdtemp(), "one"))
    >>> tf.train.list_variables(prefix)
    [('_CHECKPOINTABLE_OBJECT_GRAPH', []), ('w/.ATTRIBUTES/VARIABLE_VALUE', [2])]

    Raises:
      NotFoundError: there is no such checkpoint.
    """
    return sorted(load_checkpoint(ckpt_dir_or_file).get_variable_to_shape_map().items())
