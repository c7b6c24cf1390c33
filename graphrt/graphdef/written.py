"""Graphs written to files: `tf.io.write_graph`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from google.protobuf.message import Message

from graphrt import errors
from graphrt.graphdef import graph_def
from graphrt.graphdef.text import to_text
from graphrt.ir.graph import Graph
from graphrt.ops.io.files import local_path
from graphrt.ops.io.whole_files import replaced
from graphrt.types.likes import PathLike

if TYPE_CHECKING:
    from graphrt.tensor.func_graph import FuncGraph

__all__ = ["write_graph"]


def write_graph(graph_or_graph_def: FuncGraph | Message, logdir: PathLike, name: str, as_text: bool = True) -> str:
    """Writes a graph (or a `GraphDef`) to the file `name` in `logdir`, and gives the path.

    >>> import graphrt as tf, tempfile
    >>> concrete = tf.function(lambda x: x + 1).get_concrete_function(tf.TensorSpec([], name="x"))
    >>> path = tf.io.write_graph(concrete.graph, tempfile.mkdtemp(), "graph.pbtxt")
    >>> open(path).readline()
    'node {\\n'
    """
    if not isinstance(graph_or_graph_def, Message):
        errors.expect(graph_or_graph_def, Graph, "graph_or_graph_def", "a graph or a GraphDef")
    message = graph_or_graph_def if isinstance(graph_or_graph_def, Message) else graph_def(graph_or_graph_def)
    folder = local_path(logdir)
    path = local_path(os.path.join(folder, name))
    os.makedirs(folder, exist_ok=True)
    with replaced(path) as file:
        file.write(to_text(message).encode("utf-8") if as_text else message.SerializeToString(deterministic=True))
    return path
