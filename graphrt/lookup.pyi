# Written by tests/stubs.py from graphrt/api/exports.py.
"""Tables of keys and values."""
from graphrt.resources.tables import (
    KeyValueTensorInitializer as KeyValueTensorInitializer, StaticHashTable as StaticHashTable,
    StaticVocabularyTable as StaticVocabularyTable, TextFileIndex as TextFileIndex,
    TextFileInitializer as TextFileInitializer
)
from graphrt.api import lookup_experimental as lookup_experimental
experimental = lookup_experimental
