"""`tf.nest`: nested structures.

>>> import graphrt as tf
>>> tf.nest.map_structure(lambda x: x + 1, {"a": 1, "b": [2, 3]})
{'a': 2, 'b': [3, 4]}
"""

from graphrt.types.nest import assert_same_structure, flatten, is_nested, map_structure, pack_sequence_as

__all__ = ["assert_same_structure", "flatten", "is_nested", "map_structure", "pack_sequence_as"]
