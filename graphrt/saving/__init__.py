"""Checkpoints and SavedModels: variables, and functions with them, in TensorFlow's formats, both ways.

| file | holds |
|---|---|
| `sorted_table` | the index of a checkpoint: sorted keys in blocks, LevelDB's table format |
| `bundle` | tensors by name in files: TensorFlow's checkpoint format |
| `messages` | the message types of object graphs and SavedModels |
| `objects` | which objects belong to an object, by what names |
| `checkpoint` | `tf.train.Checkpoint` |
| `manager` | `tf.train.CheckpointManager` |
"""
