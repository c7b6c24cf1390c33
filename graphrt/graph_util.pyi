# Written by tests/stubs.py from graphrt/api/exports.py.
"""GraphDefs brought into the graph that is being traced."""
from graphrt.graphdef.imported import (
    import_graph_def as import_graph_def
)
