# Written by tests/stubs.py from graphrt/api/exports.py.
from graphrt.io import (
    match_filenames_once as match_filenames_once, write_graph as write_graph
)
from graphrt.train import (
    BytesList as BytesList, Example as Example, Feature as Feature, FeatureList as FeatureList,
    FeatureLists as FeatureLists, Features as Features, FloatList as FloatList, Int64List as Int64List,
    SequenceExample as SequenceExample
)
