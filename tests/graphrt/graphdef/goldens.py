"""The recorded GraphDef texts, and how two GraphDefs are compared."""

import importlib.util
import re

from google.protobuf import text_format

from graphrt.graphdef import to_text
from graphrt.graphdef.schema import message_class
from tests import GOLDEN

FOLDER = GOLDEN
_spec = importlib.util.spec_from_file_location("graphdef_programs", FOLDER / "graphdef_programs.py")
programs = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(programs)
PROGRAMS = {p.__name__: p for p in programs.PROGRAMS}
NAMES = sorted(PROGRAMS)


def golden_text(name):
    return (FOLDER / "graphdef" / f"{name}.pbtxt").read_text(encoding="utf-8")


def parse(text):
    return text_format.Parse(text, message_class("GraphDef")())


def by_name(message):
    """A copy with the library in the order of names (in TensorFlow's files it has the order of a hash table)."""
    copy = type(message)()
    copy.CopyFrom(message)
    del copy.library.function[:]
    copy.library.function.extend(sorted(message.library.function, key=lambda f: f.signature.name))
    return copy


def normal_text(message):
    """Text of a GraphDef in which functions are numbered in the order in which its nodes use them."""
    library = {f.signature.name: f for f in message.library.function}
    order = []

    def visit(nodes):
        for node in nodes:
            for key in sorted(node.attr):
                value = node.attr[key]
                for func in (value.func, *value.list.func):
                    if func.name and func.name not in order:
                        order.append(func.name)
                        visit(library[func.name].node_def)

    visit(message.node)
    copy = type(message)()
    copy.CopyFrom(message)
    del copy.library.function[:]
    copy.library.function.extend(library[n] for n in order)
    text = to_text(copy)
    for number, name in enumerate(order):
        plain = re.sub(r"_\d+$", "", name)
        text = text.replace(f'"{name}"', f'"{plain}#{number}"').replace(f"{name}___", f"{plain}#___")
    return text
