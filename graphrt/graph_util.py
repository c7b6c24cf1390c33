"""`tf.graph_util`: GraphDefs brought into the graph that is being traced."""

from graphrt.graphdef.imported import import_graph_def

__all__ = ["import_graph_def"]
