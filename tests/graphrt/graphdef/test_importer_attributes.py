"""Each attribute of each op, wrong in each way: the import is refused, and says node, attribute, what was found and expected.

Covers: graphrt/ir/attributes.py.
"""

import pytest

from graphrt import errors
from graphrt.graphdef import import_graph_def
from graphrt.graphdef.schema import message_class
from graphrt.ir.op import CALLS_PYTHON, INTERNAL, REGISTRY, declare_all
from graphrt.types.dtype import ALL

declare_all()
FIELDS = {"string": "s", "int": "i", "float": "f", "bool": "b", "type": "type", "shape": "shape", "tensor": "tensor",
          "func": "func"}  # fmt: skip
VALUES = {"s": b"x", "i": 1, "f": 0.5, "b": True, "type": 1}
CHUNKS = 4


def fill(message, field, value=None):
    """Sets an `AttrValue` to a value of the kind that `field` holds."""
    if field == "shape":
        message.shape.dim.add().size = 2
    elif field == "tensor":
        message.tensor.dtype = 1
        message.tensor.tensor_shape.SetInParent()
    elif field == "func":
        message.func.name = "f"
    else:
        setattr(message, field, VALUES[field] if value is None else value)


def extend(message, field, value=None, count=1):
    """Sets an `AttrValue` to a list."""
    message.list.SetInParent()
    for _ in range(count):
        if field == "shape":
            message.list.shape.add().dim.add().size = 2
        elif field == "tensor":
            fill(type(message)(), "tensor")
            message.list.tensor.add().dtype = 1
        elif field == "func":
            message.list.func.add().name = "f"
        else:
            getattr(message.list, field).append(VALUES[field] if value is None else value)


def good(message, attr):
    """Sets an `AttrValue` to something that `attr` allows."""
    kind = attr.kind.removeprefix("list(").removesuffix(")")
    value = attr.choices[0].encode() if attr.choices else attr.allowed[0].as_datatype_enum if attr.allowed else None
    if attr.kind == kind:
        fill(message, FIELDS[kind], value if attr.minimum is None else max(attr.minimum, 1))
    else:
        extend(message, FIELDS[kind], value, max(attr.minimum or 0, 1))


def wrong(attr):
    """What `attr` must not be, as functions that set an `AttrValue`."""
    kind = attr.kind.removeprefix("list(").removesuffix(")")
    for field in FIELDS.values():
        if attr.kind == kind and field != FIELDS[kind]:
            yield lambda m, field=field: fill(m, field)
        elif attr.kind != kind:
            yield lambda m, field=field: fill(m, field)
            if field != FIELDS[kind]:
                yield lambda m, field=field: extend(m, field)
    if attr.kind == kind:
        yield lambda m: extend(m, FIELDS[kind])
    if attr.kind == kind == "int" and attr.minimum is not None:
        yield lambda m: fill(m, "i", attr.minimum - 1)
        yield lambda m: fill(m, "i", -(1 << 63))
    if attr.kind != kind and attr.minimum:
        yield lambda m: extend(m, FIELDS[kind], None, attr.minimum - 1)
    if attr.choices is not None:
        yield lambda m: fill(m, "s", b"__import__('os')")
        yield lambda m: fill(m, "s", b"\xff")
    if attr.allowed is not None:
        for dtype in [t for t in ALL if t not in attr.allowed][:2]:
            number = dtype.as_datatype_enum
            yield lambda m, n=number: fill(m, "type", n) if attr.kind == kind else extend(m, "type", n)


def graph_def(op):
    graph = message_class("GraphDef")()
    function = graph.library.function.add()
    function.signature.name = "f"
    node = graph.node.add()
    node.name, node.op = "n", op.type
    for key, attr in op.attrs.items():
        good(node.attr[key], attr)
    return graph, node


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_wrong_attributes_are_refused(chunk):
    tried = 0
    for name in sorted(REGISTRY)[chunk::CHUNKS]:
        op = REGISTRY[name]
        if {INTERNAL, CALLS_PYTHON} & op.traits or name == "Placeholder":
            continue
        graph, node = graph_def(op)
        for key, attr in op.attrs.items():
            kept = type(node.attr[key])()
            kept.CopyFrom(node.attr[key])
            for spoil in wrong(attr):
                node.attr[key].Clear()
                spoil(node.attr[key])
                with pytest.raises(errors.InvalidArgumentError) as caught:
                    import_graph_def(graph, allow_files=True)
                text = str(caught.value)
                assert text.startswith(f"invalid GraphDef: node 'n' ({name}): attribute {key!r} "), text
                assert ", expected a" in text or "not supported" in text, text
                tried += 1
            node.attr[key].CopyFrom(kept)
    assert tried > 1500


def test_good_attributes_are_not():
    unexpected = {}
    for name, op in REGISTRY.items():
        if {INTERNAL, CALLS_PYTHON} & op.traits or name == "Placeholder":
            continue
        try:
            import_graph_def(graph_def(op)[0], allow_files=True)
        except errors.OpError as error:
            if "expected" in str(error) or "supported" in str(error):
                unexpected[name] = str(error)
    assert not unexpected
