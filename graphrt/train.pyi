# Written by tests/stubs.py from graphrt/api/exports.py.
"""The messages that hold training examples."""
from graphrt.graphdef.example_messages import (
    BytesList as BytesList, Example as Example, Feature as Feature, FeatureList as FeatureList,
    FeatureLists as FeatureLists, Features as Features, FloatList as FloatList, Int64List as Int64List,
    SequenceExample as SequenceExample
)
