# Written by tests/stubs.py from graphrt/api/exports.py.
"""Checkpoints, and the messages that hold training examples."""
from graphrt.graphdef.example_messages import (
    BytesList as BytesList, Example as Example, Feature as Feature, FeatureList as FeatureList,
    FeatureLists as FeatureLists, Features as Features, FloatList as FloatList, Int64List as Int64List,
    SequenceExample as SequenceExample
)
from graphrt.saving.checkpoint import (
    Checkpoint as Checkpoint, CheckpointOptions as CheckpointOptions, list_variables as list_variables,
    load_checkpoint as load_checkpoint, load_variable as load_variable
)
from graphrt.saving.checkpoint_state import (
    get_checkpoint_state as get_checkpoint_state, latest_checkpoint as latest_checkpoint
)
from graphrt.saving.manager import (
    CheckpointManager as CheckpointManager, checkpoints_iterator as checkpoints_iterator
)
