"""`tf.lookup`: tables of keys and values."""

from graphrt import lookup_experimental as experimental
from graphrt.state.tables import (
    KeyValueTensorInitializer,
    StaticHashTable,
    StaticVocabularyTable,
    TextFileIndex,
    TextFileInitializer,
)

__all__ = [
    "KeyValueTensorInitializer", "StaticHashTable", "StaticVocabularyTable", "TextFileIndex", "TextFileInitializer",
    "experimental",
]  # fmt: skip
