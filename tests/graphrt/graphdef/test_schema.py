"""Every op is declared as TensorFlow declares it, so that GraphDefs mean the same on both sides."""

import base64
import json

import pytest

import graphrt as tf  # noqa: F401  # declares the ops
from graphrt.ir.op import READS, REGISTRY, REQUIRED, STATEFUL, declare_all
from graphrt.types.dtype import as_dtype
from tests import GOLDEN

declare_all()
SCHEMAS = json.loads((GOLDEN / "op_schemas.json").read_text(encoding="utf-8"))
ONLY_KEPT = {"NoOp"}  # stateful here so that nothing drops it: it joins control inputs
# attributes that say where an op runs or how it is compiled; the importer ignores them and their default serves
PLACEMENT = {"container", "shared_name", "allowed_devices", "debug_name", "config", "config_proto", "executor_type"}


def argument(arg):
    return {
        "name": arg.name,
        "type": arg.dtype.as_datatype_enum if arg.dtype is not None else 0,
        "type_attr": arg.type_attr or "",
        "number_attr": arg.number_attr or "",
        "list_attr": arg.list_attr or "",
    }


def default(message):
    """A default as our declarations write it."""
    if not message:
        return []
    ((kind, value),) = message.items()
    if kind == "type":
        names = {"DT_FLOAT": "float32", "DT_DOUBLE": "float64", "DT_HALF": "float16"}
        return as_dtype(names.get(value, value.removeprefix("DT_").lower()))
    if kind == "i":
        return int(value)
    if kind == "f":
        return float(value)
    if kind == "s":
        return base64.b64decode(value).decode()
    if kind == "shape":
        return None if value.get("unknownRank") else tuple(int(d.get("size", 0)) for d in value.get("dim", []))
    if kind == "list":
        ((inner, values),) = value.items() if value else (("i", []),)
        return [default({inner: v}) for v in values]
    return value


def test_every_op_is_known_to_tensorflow():
    unknown = {n for n in REGISTRY if n not in SCHEMAS and not n.startswith("_")}  # passes make ops of their own
    assert not unknown, (
        "new? run python -m tests.golden.record_op_schemas; not an op of TensorFlow? begin its name with _"
    )


@pytest.mark.parametrize("letter", sorted({name[0] for name in SCHEMAS}))
def test_declarations_are_tensorflows(letter):
    wrong = []
    for name in sorted(name for name in SCHEMAS if name[0] == letter and name in REGISTRY):
        try:
            compare(name)
        except AssertionError as error:
            wrong.append(f"{name}: {error}")
    assert not wrong, "\n".join(wrong)


def compare(name):
    op, theirs = REGISTRY[name], SCHEMAS[name]
    assert [argument(a) for a in op.inputs] == theirs["inputs"]
    assert [argument(a) for a in op.outputs] == theirs["outputs"]
    wanted = {a["name"]: a for a in theirs["attrs"]}
    extra = [a for a in op.attrs if a not in wanted and not a.startswith("_")]
    assert extra == [], "attributes that TensorFlow does not know"
    missing = [a for a in wanted if a not in op.attrs and a not in PLACEMENT]
    assert missing == [], "attributes that TensorFlow writes"
    for attr in op.attrs.values():
        if attr.name.startswith("_"):
            continue
        their = wanted[attr.name]
        assert attr.kind == their["kind"], attr.name
        if attr.kind == "string":
            assert list(attr.choices or []) == their.get("allowed", []), attr.name
        assert (attr.minimum or 0) == their.get("minimum", 0), attr.name
        if "default" in their:
            assert attr.default is not REQUIRED, f"{attr.name} has the default {default(their['default'])!r}"
            assert attr.default == default(their["default"]) and type(attr.default) is type(
                default(their["default"])
            ), attr.name
    assert theirs["stateful"] == bool({STATEFUL, READS} & op.traits) or name in ONLY_KEPT
