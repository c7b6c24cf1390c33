"""Graphs as GraphDefs, the exchange format of TensorFlow: export, import, text.

`graph_def(graph)` gives a message that prints as TensorFlow's does, and whose bytes TensorFlow runs:

    node { name: "x" op: "Placeholder" ... } ... library { function { ... } } versions { ... }

The message classes are built from our own table (`schema.py`), in a pool of their own, so that nothing clashes when
TensorFlow lives in the same process.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from graphrt.ir.graph import Graph, Node
from graphrt.ir.op import provide

if TYPE_CHECKING:
    from graphrt.tensor.func_graph import FuncGraph


@provide
def graph_def(graph: Graph, add_shapes: bool = False) -> Any:
    """`graph` and the functions it uses as a `GraphDef` message.

    With `add_shapes` each node carries the attribute `_output_shapes`.

    >>> import graphrt as tf
    >>> concrete = tf.function(lambda x: x + 1).get_concrete_function(tf.TensorSpec([], tf.int32))
    >>> [node.op for node in graph_def(concrete.graph).node]
    ['Placeholder', 'Const', 'AddV2', 'Identity']

    Raises:
      UnimplementedError: an attribute holds something that no GraphDef can hold.
    """
    from graphrt.graphdef import export  # lazy: 30 ms of protobuf that most programs never need

    return export.graph_def(graph, add_shapes)


@provide
def node_def(node: Node) -> Any:
    """One node of a graph as a `NodeDef` message."""
    from graphrt.graphdef import export  # lazy: as above

    return export.node_def(node)


@provide
def function_def(graph: Graph) -> Any:
    """`graph` as a `FunctionDef` message: the entry that a library holds for it."""
    from graphrt.graphdef import export  # lazy: as above

    return export.function_def(graph)


def import_graph_def(
    graph_def: Any, inputs: list[str] | None = None, outputs: list[str] | None = None, name: str = "imported",
    allow_files: bool = False,
) -> FuncGraph:  # fmt: skip
    """A `GraphDef` (message of any class, bytes, or text) as a `FuncGraph`.

    `inputs` names the placeholders that become arguments, in order (all, in the order of the file, if not given);
    `outputs` the tensors returned (if not given: of the `Identity` nodes that end the graph, or else every tensor that
    nobody takes). A graph that opens files is refused unless `allow_files`: a file may come from anywhere.

    >>> import graphrt as tf
    >>> concrete = tf.function(lambda x: x + 1).get_concrete_function(tf.TensorSpec([], tf.int32))
    >>> import_graph_def(concrete.graph.as_graph_def().SerializeToString())
    <graph imported: 4 nodes>

    Raises:
      InvalidArgumentError: the GraphDef is malformed, or inconsistent.
      UnimplementedError: it uses an op that does not exist here.
      PermissionDeniedError: it opens files, and is not allowed to.
    """
    from graphrt.graphdef import importer  # lazy: as above

    return importer.import_graph_def(graph_def, inputs, outputs, name, allow_files)


def to_text(message: Any) -> str:
    """A message as text, the same on every Python and every protobuf: what TensorFlow 2.20 prints.

    >>> import graphrt as tf
    >>> concrete = tf.function(lambda: tf.constant(1.5)).get_concrete_function()
    >>> to_text(concrete.graph.as_graph_def()).splitlines()[1]
    '  name: "Const"'
    """
    from graphrt.graphdef import text  # lazy: as above

    return text.to_text(message)


__all__ = ["function_def", "graph_def", "import_graph_def", "node_def", "to_text"]
