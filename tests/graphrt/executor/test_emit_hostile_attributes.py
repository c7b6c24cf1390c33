"""Whatever an attribute holds, the program of its node is the one that an ordinary value gives: values are data.

Every declared op is written with hostile values for every attribute, past all checks; the trees of the generated texts
are compared, and the texts run with a canary in reach.
"""

import ast
import builtins
import itertools
import re
import sys
import types

import numpy as np
import pytest

from graphrt.executor.emit import Emitter
from graphrt.ir.graph import Graph, Node, Value
from graphrt.ir.op import REGISTRY, declare_all
from graphrt.types import dtype as dtypes
from graphrt.types.dtype import DType
from tests import whole

declare_all()
CHUNKS = 2
CALL = "__import__('graphrt_canary').touch()"


class Lying:
    """Says that it is code, however it is asked."""

    def __repr__(self):
        return CALL

    __str__ = __repr__

    def __format__(self, spec):
        return CALL

    def __iter__(self):
        return iter([Lying])


class LyingText(str):
    __slots__ = ()

    def __repr__(self):
        return CALL

    __str__ = __repr__

    def __format__(self, spec):
        return CALL


class LyingNumber(int):
    def __repr__(self):
        return CALL

    __str__ = __repr__

    def __format__(self, spec):
        return CALL


class LyingReal(float):
    def __repr__(self):
        return CALL

    __str__ = __repr__


class LyingBytes(bytes):
    def __repr__(self):
        return CALL


class LyingTuple(tuple):
    __slots__ = ()

    def __repr__(self):
        return CALL


HOSTILE = [
    CALL, f"'){CALL}#", f'"){CALL}#', f"0]\n    {CALL}\n    [0", f"\\'){CALL}#", f"{{{CALL}}}", f"{{0.__class__}} {CALL}",
    f"'''\n{CALL}\n'''", f"\x00{CALL}", f"\u2028{CALL}", "\ud800", "while", "None", "é’“", f"{CALL}, " * 20,
    CALL.encode(), f"'){CALL}#".encode(), b"\x00\xff\n'\"",
    float("nan"), float("inf"), -float("inf"), -0.0, 10**40, -(10**5000), 1 + 2j, ..., None, True,
    [CALL], (CALL,), [[CALL]], (1, (CALL,)), {CALL: CALL}, (1, LyingNumber(2)), tuple(range(40)),
    np.str_(CALL), np.bytes_(CALL.encode()), np.float32(3), np.int64(-2), np.array([CALL], object), np.array(CALL, object),
    Lying(), Lying, LyingText(CALL), LyingNumber(3), LyingReal(2.5), LyingBytes(CALL.encode()), LyingTuple((1, CALL)),
]  # fmt: skip


@pytest.fixture
def canary(monkeypatch):
    touched = []
    module = types.ModuleType("graphrt_canary")
    module.touch = lambda: touched.append(1)
    monkeypatch.setitem(sys.modules, "graphrt_canary", module)
    monkeypatch.setattr(builtins, "graphrt_canary", module, raising=False)
    return touched


# --- a node of any op ------------------------------------------------------------------------------------------------
def passing(takes, gives):
    graph = Graph("inner")
    for dtype in takes:
        made = placed(graph, dtype, ())
        graph.inputs.append(made)
    graph.outputs = [next((v for v in graph.inputs if v.dtype is t), graph.inputs[0]) for t in gives]
    return graph


def placed(graph, dtype, dims):
    node = Node(graph, REGISTRY["Placeholder"], f"p{len(graph.nodes)}", [], {"dtype": dtype, "shape": dims})
    node.outputs = [Value(node, 0, dims, dtype)]
    graph.nodes.append(node)
    return node.outputs[0]


def ordinary(attr, dtype):
    """Values such as programs have, the first of which is taken where another attribute is at trial."""
    kind = attr.kind
    if kind.startswith("list("):
        inner = ordinary(types.SimpleNamespace(kind=kind[5:-1], default=None, choices=None, allowed=None), dtype)
        return [inner[:1], inner[:1] * 2, [], tuple(inner[:1])]
    found = {
        "type": [dtype, dtypes.float32, dtypes.int32, dtypes.bool_, dtypes.string, dtypes.complex64, dtypes.float64],
        "int": [1, 0, -1, 7], "float": [0.5, 0.0, -1.0], "bool": [False, True], "string": ["x", "", "0", "SAME"],
        "shape": [(2,), (), (2, 3), None, (None, 2)], "tensor": [np.float32(1), np.zeros(3), np.array([b"x"], object)],
        "func": [None],
    }.get(kind, [None, 1, "x"])  # fmt: skip
    if kind == "type" and attr.allowed is not None:
        found = [t for t in found if t in attr.allowed] or list(attr.allowed)
    return found


def node_of(op, dtype, dims):
    graph = Graph("outer")
    attrs, inputs = {}, []
    held = [a for a in op.attrs.values() if "func" in a.kind]
    if held:
        dtype = dtypes.bool_
    for key, attr in op.attrs.items():
        attrs[key] = ordinary(attr, dtype)[0]
    for arg in op.inputs:
        if arg.list_attr:
            attrs[arg.list_attr] = [dtype]
            inputs.append(placed(graph, dtype, dims))
            continue
        if arg.number_attr:
            attrs[arg.number_attr] = 2
        kind = arg.dtype if arg.dtype is not None else attrs[arg.type_attr]
        inputs += [placed(graph, kind, dims) for _ in range(2 if arg.number_attr else 1)]
    graph.inputs = list(inputs)
    for arg in op.outputs:
        if arg.list_attr:
            attrs[arg.list_attr] = [dtype]
    for attr in held:
        inner = passing([dtype], [dtype])
        attrs[attr.name] = [inner, inner] if attr.kind.startswith("list") else inner
    if "form" in attrs:
        attrs["form"] = "0"
    node = Node(graph, op, "n", inputs, attrs)
    outputs = op.output_dtypes(attrs)
    node.outputs = [Value(node, i, dims, t) for i, t in enumerate(outputs)]
    graph.nodes.append(node)
    graph.outputs = list(node.outputs)
    return graph, node


# --- what its program looks like -------------------------------------------------------------------------------------
class Plain(ast.NodeTransformer):
    """Makes all values alike: literals, and names that the program finds values under."""

    def __init__(self, namespace):
        self.namespace = namespace

    def visit_Constant(self, node):
        return ast.Name("VALUE")

    def visit_Name(self, node):
        assert re.fullmatch(r"[A-Za-z]\w*", node.id, re.ASCII)
        return ast.Name("VALUE") if node.id in self.namespace else node

    def visit_UnaryOp(self, node):
        inner = self.visit(node.operand)
        return inner if isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant) else node

    def visit_Tuple(self, node):
        node = self.generic_visit(node)
        return ast.Name("VALUE") if all(isinstance(e, ast.Name) and e.id == "VALUE" for e in node.elts) else node

    def visit_Call(self, node):
        called = node.func.id if isinstance(node.func, ast.Name) else None
        node = self.generic_visit(node)
        if called is not None:
            node.func = ast.Name(called)  # which function is called matters
        return node


def written(graph, known):
    """The tree of the program of `graph`, its text, what the text finds; None when the rule refuses the value."""
    emitter = Emitter()
    try:
        emitter.program(graph, "f")
    except Exception:
        return None
    text = "\n".join(emitter.text)
    key = text, frozenset(emitter.namespace)
    if key not in known:
        known[key] = ast.dump(Plain(emitter.namespace).visit(ast.parse(text)))
        run(text, emitter.namespace, len(graph.inputs))
    return known[key]


class Refusing:
    """Stands for every value and function that a program finds: nothing but the text itself can run."""

    def __getattr__(self, name):
        raise KeyError

    def __call__(self, *args, **kwargs):
        raise KeyError

    def __bool__(self):
        raise KeyError


def run(text, namespace, count):
    given = {name: Refusing() for name in namespace}
    given |= {"get_error_mode": lambda: None, "set_error_mode": lambda _: None}
    given |= {"reset_error_mode": lambda _: None, "IGNORE": None}

    def explain(error):
        raise KeyError

    given["explain"] = explain
    exec(compile(text, "<hostile>", "exec"), given)
    try:
        given["f"](*[Refusing() for _ in range(count)])
    except (KeyError, TypeError, AttributeError, RecursionError):
        pass


def variants(op, turn):
    wanted = [dtypes.float32, dtypes.int32, dtypes.bool_, dtypes.string, dtypes.complex64, dtypes.resource]
    if op.emit is None:
        yield node_of(op, dtypes.float32, (2, 3))
        return
    for dims, dtype in whole.some(itertools.product([(), (2, 3), None], wanted), 4, turn):
        yield node_of(op, dtype, dims)


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_no_attribute_gets_into_a_program(chunk, canary):
    seen, known = 0, {}
    turns = itertools.count(chunk)  # each node and attribute is tried with other values than the one before
    for name in sorted(REGISTRY)[chunk::CHUNKS]:
        op = REGISTRY[name]
        for graph, node in variants(op, next(turns)):
            for key, attr in op.attrs.items():
                kept = node.attrs[key]
                values = [kept, *ordinary(attr, dtypes.float32)]
                if any(key in (a.number_attr, a.list_attr) for a in op.inputs):  # says how inputs are grouped
                    values += [*range(-2, 4), *([None] * n for n in range(70))]
                if key == "form":
                    values += ["None", ":", "0:1"]
                usual = set()
                for value in values:
                    node.attrs[key] = value
                    usual.add(written(graph, known))
                for value in whole.some(HOSTILE, 8, next(turns)):
                    node.attrs[key] = value
                    found = written(graph, known)
                    assert found is None or found in usual, f"{name}.{key} = {type(value).__name__}: {found}"
                    seen += found is not None
                node.attrs[key] = kept
    assert not canary
    assert seen > 700


def test_the_canary_sings(canary):
    with pytest.raises(KeyError):
        exec(f"{CALL}\nraise KeyError", {})
    assert canary


# --- names -----------------------------------------------------------------------------------------------------------
NAMES = [
    CALL, f"a\n    {CALL}\nb", "class", "None", "__debug__", "print", "é", "", "\x00", "\ud800", "0", "x" * 5000,
    "a:=1", "f", "explain", "token", "ª", "𝐟",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES, ids=ascii)
def test_no_name_gets_into_a_program(name, canary):
    from graphrt.executor import compile_graph

    graph = Graph(name)
    x = placed(graph, dtypes.float32, ())
    x.node.name = name
    graph.inputs = [x]
    inner = passing([dtypes.float32], [dtypes.float32])
    inner.name = inner.nodes[0].name = name
    call = Node(graph, REGISTRY["PartitionedCall"], name, [x], {"Tin": [x.dtype], "Tout": [x.dtype], "f": inner})
    call.outputs = [Value(call, 0, (), x.dtype)]
    neg = Node(graph, REGISTRY["Neg"], name, [call.outputs[0]], {"T": x.dtype})
    neg.outputs = [Value(neg, 0, (), x.dtype)]
    graph.nodes += [call, neg]
    graph.outputs = [neg.outputs[0], x]
    program = compile_graph(graph, name or None)
    assert program(np.float32(2)) == (-2.0, 2.0)
    assert not canary
    identifiers = {n.id for n in ast.walk(ast.parse(program.source)) if isinstance(n, ast.Name)}
    assert all(re.fullmatch(r"[A-Za-z]\w{0,120}", i, re.ASCII) for i in identifiers)


def test_every_attribute_kind_is_tried():
    kinds = {a.kind for op in REGISTRY.values() for a in op.attrs.values()}
    assert {"type", "int", "float", "bool", "string", "shape", "tensor", "func", "list(func)", "python"} <= kinds
    assert all(isinstance(t, DType) for t in ordinary(REGISTRY["Neg"].attrs["T"], dtypes.float32))
