"""`tf.train`: the messages that hold training examples.

>>> import graphrt as tf
>>> feature = tf.train.Feature(int64_list=tf.train.Int64List(value=[1, 2]))
>>> example = tf.train.Example(features=tf.train.Features(feature={"a": feature}))
>>> tf.train.Example.FromString(example.SerializeToString()) == example
True
"""

from graphrt.graphdef.example_messages import example_class as _example_class

BytesList = _example_class("BytesList")
Example = _example_class("Example")
Feature = _example_class("Feature")
FeatureList = _example_class("FeatureList")
FeatureLists = _example_class("FeatureLists")
Features = _example_class("Features")
FloatList = _example_class("FloatList")
Int64List = _example_class("Int64List")
SequenceExample = _example_class("SequenceExample")

__all__ = [
    "BytesList", "Example", "Feature", "FeatureList", "FeatureLists", "Features", "FloatList", "Int64List",
    "SequenceExample",
]  # fmt: skip
