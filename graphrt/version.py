"""`tf.version`: the version of this package, and of the GraphDefs it writes."""

__version__ = "0.1.0"

VERSION = __version__
GIT_VERSION = f"v{__version__}"
COMPILER_VERSION = ""
GRAPH_DEF_VERSION = 2288
GRAPH_DEF_VERSION_MIN_CONSUMER = 0
GRAPH_DEF_VERSION_MIN_PRODUCER = 0
TENSORFLOW_VERSION = "2.20.0"  # the version whose formats and names are followed
