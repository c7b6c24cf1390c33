"""The messages that hold training examples: `Example`, `SequenceExample` and their parts; in `tf.train`.

>>> import graphrt as tf
>>> feature = tf.train.Feature(int64_list=tf.train.Int64List(value=[1, 2]))
>>> example = tf.train.Example(features=tf.train.Features(feature={"a": feature}))
>>> tf.train.Example.FromString(example.SerializeToString()) == example
True
"""

from __future__ import annotations

from typing import Any

from google.protobuf import descriptor_pool, message_factory

from graphrt.errors import InternalError
from graphrt.graphdef.schema import PACKAGE, file_descriptor, once

__all__ = [
    "BytesList", "Example", "Feature", "FeatureList", "FeatureLists", "Features", "FloatList", "Int64List",
    "SequenceExample", "example_class",
]  # fmt: skip

_MESSAGES = """
BytesList: value=1 bytes*
FloatList: value=1 float*
Int64List: value=1 int64*
Feature: bytes_list=1 BytesList ?kind; float_list=2 FloatList ?kind; int64_list=3 Int64List ?kind
Features: feature=1 map<string,Feature>
FeatureList: feature=1 Feature*
FeatureLists: feature_list=1 map<string,FeatureList>
Example: features=1 Features
SequenceExample: context=1 Features; feature_lists=2 FeatureLists
"""
NAMES = tuple(line.partition(":")[0] for line in _MESSAGES.strip().splitlines())


@once
def _pool() -> Any:
    pool = descriptor_pool.DescriptorPool()  # private: TensorFlow's own may hold the same names
    proto = file_descriptor(_MESSAGES, "graphrt/example.proto")
    pool.AddSerializedFile(proto.SerializeToString())
    return pool


# state: bounded by the messages there are
@once
def example_class(name: str) -> Any:
    """The class of message `name` ('Example', 'Feature', ...)."""
    if name not in NAMES:
        raise InternalError(None, None, f"no message {name!r} is declared in graphdef/example_messages.py")
    descriptor = _pool().FindMessageTypeByName(f"{PACKAGE}.{name}")
    factory: Any = message_factory
    if hasattr(factory, "GetMessageClass"):
        return factory.GetMessageClass(descriptor)
    return factory.MessageFactory(_pool()).GetPrototype(descriptor)  # protobuf before 4.22


BytesList = example_class("BytesList")
Example = example_class("Example")
Feature = example_class("Feature")
FeatureList = example_class("FeatureList")
FeatureLists = example_class("FeatureLists")
Features = example_class("Features")
FloatList = example_class("FloatList")
Int64List = example_class("Int64List")
SequenceExample = example_class("SequenceExample")
