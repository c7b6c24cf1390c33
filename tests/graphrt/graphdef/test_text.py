"""The text of messages equals what TensorFlow prints.

Covers: graphrt/graphdef/written.py.
"""

import math
import struct

import pytest
from google.protobuf import text_format
from google.protobuf.internal import api_implementation
from hypothesis import given, settings
from hypothesis import strategies as st

from graphrt.graphdef import to_text
from graphrt.graphdef.schema import message_class
from graphrt.graphdef.text import number
from tests.graphrt.graphdef.goldens import NAMES, golden_text, parse


@pytest.mark.parametrize("name", NAMES)
def test_text_is_tensorflows(name):
    text = golden_text(name)
    assert to_text(parse(text)) == text
    if api_implementation.Type() == "upb":
        assert str(parse(text)) == text


def test_bytes_come_back():
    message = parse(golden_text("rnn"))
    again = message_class("GraphDef").FromString(message.SerializeToString())
    assert again == message


@pytest.mark.parametrize(
    ("value", "single", "text"),
    [
        (0.1, False, "0.1"), (0.1, True, "0.1"), (1 / 3, False, "0.33333333333333331"), (1e-7, True, "1e-07"),
        (16777216.0, True, "16777216"), (-0.0, True, "-0"), (math.inf, True, "inf"), (-math.inf, False, "-inf"),
        (math.nan, True, "nan"), (1e300, False, "1e+300"), (2.0, True, "2"),
    ],
)  # fmt: skip
def test_numbers(value, single, text):
    assert number(value, single) == text


@given(st.floats(allow_nan=False))
def test_doubles_come_back(value):
    assert float(number(value, False)) == value


@given(st.floats(width=32, allow_nan=False))
def test_floats_come_back(value):
    assert struct.pack("<f", float(number(value, True))) == struct.pack("<f", value)


@settings(deadline=None)  # the first example waits for what is imported
@given(st.binary(), st.text(st.characters(exclude_categories=["Cs"])))
def test_strings_come_back(data, text):
    message = message_class("GraphDef")()
    node = message.node.add(name=text)
    node.attr["key"].s = data
    assert text_format.Parse(to_text(message), message_class("GraphDef")()) == message
    if api_implementation.Type() == "upb":
        assert str(message) == to_text(message)


@given(st.sets(st.text("ab_1T", max_size=4), min_size=1))
def test_order_of_keys_is_that_of_the_printer_in_c(keys):
    message = message_class("NodeDef")()
    for key in keys:
        message.attr[key].b = True
    if api_implementation.Type() == "upb":
        assert str(message) == to_text(message)
    assert text_format.Parse(to_text(message), message_class("NodeDef")()) == message
