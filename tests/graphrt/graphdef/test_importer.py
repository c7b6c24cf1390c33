"""GraphDefs of TensorFlow come in, and go out as they were; broken ones are refused.

Covers: graphrt/graphdef/imported.py, graphrt/graphdef/read_values.py.
"""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import graphrt as tf  # noqa: F401  # declares the ops
from graphrt import errors
from graphrt.executor.program import compile_graph
from graphrt.graphdef import import_graph_def, to_text
from graphrt.graphdef.export import write_tensor
from graphrt.graphdef.importer import import_function
from graphrt.graphdef.read_values import read_tensor
from graphrt.graphdef.schema import message_class
from graphrt.ir.parser import parse_graph
from graphrt.ir.printer import graph_text
from graphrt.ir.verify import verify
from graphrt.passes import run_passes
from graphrt.types import dtype as dtypes
from tests.graphrt.graphdef.goldens import NAMES, by_name, golden_text, parse


@pytest.mark.parametrize("name", NAMES)
def test_tensorflows_graph_comes_in_and_goes_out_unchanged(name):
    message = parse(golden_text(name))
    graph = verify(import_graph_def(message))
    assert to_text(by_name(graph.as_graph_def())) == to_text(by_name(message))
    text = graph_text(graph)
    assert graph_text(parse_graph(text)) == text


def test_text_bytes_and_messages_are_taken():
    text = golden_text("add_one")
    one, two, three = (import_graph_def(d) for d in (text, parse(text).SerializeToString(), parse(text)))
    assert graph_text(one) == graph_text(two) == graph_text(three)
    with pytest.raises(TypeError, match="a GraphDef is a message, bytes or text, not int"):
        import_graph_def(3)


def test_inputs_and_outputs_can_be_chosen():
    graph = import_graph_def(golden_text("nested_cond"), inputs=["y", "x"], outputs=["mul", "cond/Identity:0"])
    assert [v.name for v in graph.inputs] == ["y:0", "x:0"]
    assert [v.name for v in graph.outputs] == ["mul:0", "cond/Identity:0"]
    for inputs, outputs, why in (
        (["x"], None, "the placeholders y are not among the inputs"),
        (["x", "mul"], None, "is a Mul, not a Placeholder"),
        (None, ["nope"], "no such output exists"),
        (None, ["mul:1"], "has 1 outputs"),
    ):
        with pytest.raises(errors.InvalidArgumentError, match=why):
            import_graph_def(golden_text("nested_cond"), inputs, outputs)


def test_forward_references_and_control_edges_become_order():
    graph = import_graph_def(
        'node { name: "b" op: "Neg" input: "a" input: "^z" attr { key: "T" value { type: DT_FLOAT } } }'
        'node { name: "z" op: "Neg" input: "a" attr { key: "T" value { type: DT_FLOAT } } }'
        'node { name: "a" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }'
    )
    assert [n.name for n in graph.nodes] == ["a", "z", "b"]


def test_a_function_may_be_used_as_an_op():
    message = parse(golden_text("calls"))
    for node in message.node:
        if node.op == "PartitionedCall":
            node.op = node.attr["f"].func.name
            node.attr.clear()
    graph = verify(import_graph_def(message))
    assert [n.type for n in graph.nodes].count("PartitionedCall") == 3


def test_function_of_a_library():
    message = parse(golden_text("calls"))
    name = message.library.function[0].signature.name
    graph = verify(import_function(message.library, name))
    assert graph.name == name and len(graph.inputs) == len(graph.outputs) == 1


def node(name, op, inputs=(), **attrs):
    text = "".join(f' attr {{ key: "{k}" value {{ {v} }} }}' for k, v in attrs.items())
    edges = "".join(f' input: "{i}"' for i in inputs)
    return f'node {{ name: "{name}" op: "{op}"{edges}{text} }}\n'


X = node("x", "Placeholder", dtype="type: DT_FLOAT", shape="shape { dim { size: 2 } }")
I0 = node("i", "Const", dtype="type: DT_INT32", value="tensor { dtype: DT_INT32 tensor_shape { } }")
NEG = node("n", "Neg", ["x"], T="type: DT_FLOAT")
FUNCTION = (
    'library { function { signature { name: "f" input_arg { name: "a" type: DT_FLOAT } '
    'output_arg { name: "r" type: DT_FLOAT } } node_def { name: "n" op: "Neg" input: "%s" '
    'attr { key: "T" value { type: DT_FLOAT } } } ret { key: "%s" value: "%s" } } }'
)
CALL = node("c", "PartitionedCall", ["x"], Tin="list { type: DT_FLOAT }", Tout="list { type: DT_FLOAT }",
            f='func { name: "f" }')  # fmt: skip


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("nonsense", "the text cannot be read"),
        (X + X, "two nodes named 'x'"),
        (node("", "NoOp"), "a node without a name"),
        (node("a/", "NoOp"), "a node whose name ends with '/': 'a/'"),
        (NEG, "takes 'x', which does not exist"),
        (X + node("n", "Nope", ["x"]), "no op 'Nope' exists here"),
        (X + node("n", "PyFunc", ["x"]), "no op 'PyFunc' exists here"),
        (X + node("n", "Neg", ["x"]), "has no attribute 'T'"),
        (X + node("n", "Neg", ["x"], T="type: DT_INT32"), "input 0 (x) must be int32, x:0 is float32"),
        (X + node("n", "Neg", ["x"], T="type: DT_FLOAT8_E5M2"), "dtype number 24 is not supported"),
        (X + node("n", "Neg", ["x"], T="type: DT_STRING"), "attribute 'T' is string, expected a dtype (bfloat16"),
        (X + node("n", "Neg", ["x"], T="i: 3"), "node 'n' (Neg): attribute 'T' is the int 3, expected a dtype"),
        (X + node("n", "_StridedSlice", ["x"], T="type: DT_FLOAT", N="i: 0", Tidx="type: DT_INT32",
                  form="s: '0]+__import__(0)+{}['"), "no op '_StridedSlice' exists here"),
        (X + node("n", "EagerPyFunc", ["x"], token="s: 'pyfunc_0'", Tin="list { type: DT_FLOAT }",
                  Tout="list { type: DT_FLOAT }"), "no op 'EagerPyFunc' exists here"),
        (X + I0 + node("n", "Sum", ["x", "i"], T="type: DT_FLOAT", keep_dims="s: '__import__(0)'"),
         "node 'n' (Sum): attribute 'keep_dims' is the string b'__import__(0)', expected a bool"),
        (X + I0 + node("n", "Sum", ["x", "i"], T="type: DT_FLOAT", Tidx="type: DT_FLOAT"),
         "node 'n' (Sum): attribute 'Tidx' is float32, expected a dtype (int32, int64)"),
        (X + node("n", "Squeeze", ["x"], T="type: DT_FLOAT", squeeze_dims="i: 1"), "attribute 'squeeze_dims' is the int 1, expected a list: an int each"),
        (X + node("n", "Squeeze", ["x"], T="type: DT_FLOAT", squeeze_dims="list { f: 1 }"), "is a list that holds floats, expected"),
        (X + node("n", "Neg", ["x", "x"], T="type: DT_FLOAT"), "takes 1 inputs, 2 are given"),
        (X + node("n", "Neg", ["x:1"], T="type: DT_FLOAT"), "'x' has 1 outputs"),
        (X + node("n", "Neg", ["x:-1"], T="type: DT_FLOAT"), "which names no output"),
        (X + node("n", "Neg", ["^x", "x"], T="type: DT_FLOAT"), "after a control input"),
        (node("a", "Neg", ["b"], T="type: DT_FLOAT") + node("b", "Neg", ["a"], T="type: DT_FLOAT"), "in a circle"),
        (X + node("c", "Const", dtype="type: DT_FLOAT", value="tensor { dtype: DT_FLOAT tensor_shape { dim { size: 2 } } "
                  'tensor_content: "abc" }'), "tensor_content of 3 bytes for 2 elements"),
        (node("c", "Const", dtype="type: DT_INT32", value="tensor { dtype: DT_FLOAT tensor_shape { } }"),
         "the value is float32, the attribute 'dtype' int32"),
        (node("c", "Const", dtype="type: DT_INT8", value="tensor { dtype: DT_INT8 tensor_shape { } int_val: 999 }"),
         "out of the range of int8"),
        (node("c", "Const", dtype="type: DT_FLOAT", value="tensor { dtype: DT_FLOAT tensor_shape { dim { size: "
              "1000000000000 } } }"), "a tensor of shape [1000000000000]"),
        (node("c", "Const", dtype="type: DT_FLOAT", value="tensor { dtype: DT_FLOAT tensor_shape { dim { size: -5 } } }"),
         "a negative dimension"),
        (node("p", "Placeholder", dtype="type: DT_FLOAT", shape="shape { unknown_rank: true dim { } }"),
         "of unknown rank has dimensions"),
        (X + CALL, "uses the function 'f', which is not in the library"),
        (X + CALL + FUNCTION % ("a", "r", "q:y:0"), "takes 'q:y:0', but no such output exists"),
        (X + CALL + FUNCTION % ("a", "r", "n:z:0"), "but Neg has no such output"),
        (X + CALL + FUNCTION % ("a", "r", "n:y:1"), "but Neg has no such output"),
        (X + CALL + FUNCTION % ("b", "r", "n:y:0"), "takes 'b', which does not exist"),
        (X + CALL + FUNCTION % ("a", "s", "n:y:0"), "result 'r' of function 'f' has no value"),
        ("versions { min_consumer: 99999 }", "needs a reader of version 99999"),
    ],
)  # fmt: skip
def test_broken_graphs_are_refused(text, why):
    with pytest.raises(errors.OpError) as caught:
        import_graph_def(text)
    assert why in str(caught.value)
    assert str(caught.value).startswith("invalid GraphDef: ")


def test_recursion_is_refused():
    body = FUNCTION.replace('op: "Neg"', 'op: "f"').replace('attr { key: "T" value { type: DT_FLOAT } }', "")
    with pytest.raises(errors.UnimplementedError, match="f -> f call each other in a circle"):
        import_graph_def(X + CALL + body % ("a", "r", "n:y:0"))


@pytest.mark.parametrize(("depth", "refused"), [(90, False), (150, True), (2000, True)])
def test_deep_nesting_is_bounded(depth, refused):
    message = parse(X + CALL + FUNCTION % ("a", "r", "n:y:0"))
    first = message.library.function[0]
    for i in range(depth):
        function = message.library.function.add()
        function.CopyFrom(first)
        function.signature.name = f"f{i}"
        function.node_def[0].op = "f" if i == 0 else f"f{i - 1}"
        function.node_def[0].ClearField("attr")
        function.ret["r"] = "n:output:0"
    message.node[1].attr["f"].func.name = f"f{depth - 1}"
    if refused:
        with pytest.raises(
            errors.InvalidArgumentError,
            match="nested 101 deep, at 'f.*', the limit is 100. If that is meant, raise the limit: tf.config.limits",
        ):
            import_graph_def(message)
    else:
        graph = import_graph_def(message)
        assert len(graph.functions()) == depth + 1
        assert graph_text(parse_graph(graph_text(graph))) == graph_text(graph)


def test_a_long_chain_of_constants_does_no_harm():
    nodes = [node("c", "Const", dtype="type: DT_INT32", value="tensor { dtype: DT_INT32 tensor_shape { } int_val: 2 }")]
    previous = "c"
    for i in range(3000):
        nodes.append(node(f"n{i}", "Neg", [previous], T="type: DT_INT32"))
        previous = f"n{i}"
    nodes.append(node("r", "Range", ["c", previous, "c"], Tidx="type: DT_INT32"))
    try:
        import_graph_def("".join(nodes))
    except errors.InvalidArgumentError as error:
        assert "Range" in str(error) or "nested too deep" in str(error)


def test_branch_that_does_not_fit_is_refused():
    text = golden_text("simple_relu").replace("type: DT_INT32\n        type: DT_INT32", "")
    message = parse(text)
    conditional = next(n for n in message.node if n.op == "StatelessIf")
    conditional.input[1] = "Greater"
    conditional.attr["Tin"].list.type[0] = 10
    with pytest.raises(errors.InvalidArgumentError, match="the arguments of then_branch"):
        import_graph_def(message)


NUMERIC = [t for t in dtypes.ALL if t.kind in "fiucb" and t is not dtypes.bfloat16]


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(NUMERIC).flatmap(lambda t: hnp.arrays(t.as_numpy_dtype, hnp.array_shapes(min_dims=0, min_side=0))),
       st.booleans())  # fmt: skip
def test_tensors_come_back_bit_for_bit(array, fill):
    message = message_class("TensorProto")()
    write_tensor(message, array, fill)
    found = np.asarray(read_tensor(message, "it"))
    assert found.dtype == array.dtype and found.shape == array.shape
    if array.dtype.kind == "f":
        assert np.array_equal(np.isnan(found), np.isnan(array))
    else:
        assert found.tobytes() == np.ascontiguousarray(array).tobytes()


def test_strings_come_back():
    array = np.array([[b"", b"\xff\x00"], ["é".encode(), b"x"]], object)
    message = message_class("TensorProto")()
    write_tensor(message, array)
    assert read_tensor(message, "it").tolist() == array.tolist()


@pytest.mark.parametrize(
    ("values", "size", "expected"),
    [([1, 2], 4, [1, 2, 2, 2]), ([], 3, [0, 0, 0]), ([5], 2, [5, 5]), ([1, 2, 3], 2, [1, 2])],
)
def test_short_and_long_lists_of_values(values, size, expected):
    message = message_class("TensorProto")(dtype=3, int_val=values)
    message.tensor_shape.dim.add(size=size)
    assert read_tensor(message, "it").tolist() == expected


def test_a_small_file_cannot_ask_for_much_memory():
    message = message_class("TensorProto")(dtype=1, float_val=[1.0])
    message.tensor_shape.dim.add(size=1 << 27)
    array = read_tensor(message, "it")
    assert array.strides == (0,)
    message.float_val.append(2.0)
    with pytest.raises(errors.InvalidArgumentError, match="2 values for"):
        read_tensor(message, "it")


@pytest.mark.parametrize("name", ["collatz", "tensor_array", "calls", "variables"])
def test_damaged_bytes_are_refused_or_read(name):
    data = parse(golden_text(name)).SerializeToString()
    generator = random.Random(name)
    refused = 0
    for _ in range(150):
        damaged = bytearray(data)
        for _ in range(generator.randint(1, 4)):
            position = generator.randrange(len(damaged))
            what = generator.randrange(3)
            if what == 0:
                damaged[position] = generator.randrange(256)
            elif what == 1:
                del damaged[position : position + generator.randint(1, 9)]
            else:
                damaged[position:position] = damaged[generator.randrange(len(damaged)) :][:5]
        try:
            verify(import_graph_def(bytes(damaged)))
        except errors.OpError as error:
            assert not isinstance(error, errors.InternalError), error
            refused += 1
    assert refused > 50


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("collatz", [np.int64(27)], [111]),
        ("nested_cond", [np.float32(1), np.float32(2)], [6.0]),
        ("nested_while", [np.int32(5)], [10]),
        ("tensor_array", [np.int32(4)], [[0, 1, 4, 9]]),
        ("switch_case", [np.int32(2), np.array([1, 2, 3], np.float32)], [[-1, -2, -3]]),
        ("power", [np.full((2, 2), 3, np.int32), np.int32(2)], [[[9, 9], [9, 9]]]),
        ("break_loop", [np.arange(5).astype(np.float32), np.float32(2.5)], [3]),
        ("early_return", [np.float32(-2)], [-1]),
        ("structures", [np.float32(i) for i in range(1, 5)], [3.0, 8.0, 3.0]),
    ],
)
def test_tensorflows_graph_runs(name, arguments, expected):
    program = compile_graph(run_passes(import_graph_def(golden_text(name))))
    assert [np.asarray(v).tolist() for v in program(*arguments)] == expected


# --- files -----------------------------------------------------------------------------------------------------------
def read_lines():
    return tf.data.TextLineDataset("/etc/passwd").reduce(tf.constant(0), lambda n, line: n + 1)


def read_in_a_branch(p):
    return tf.cond(p, lambda: tf.io.read_file("/etc/passwd"), lambda: tf.constant(""))


def read_in_a_map():
    names = tf.data.Dataset.from_tensors("/etc/passwd").map(tf.io.read_file)
    return names.reduce(tf.constant(""), lambda a, b: a + b)


def write(text):
    tf.io.write_file("/tmp/x", text)
    return text


def print_into_a_file(x):
    tf.print(x, output_stream="file:///tmp/x")
    return x


def cache_in_a_file():
    return tf.data.Dataset.range(3).cache("/tmp/x").reduce(tf.constant(0, tf.int64), lambda a, b: a + b)


def list_files():
    return tf.io.matching_files("/etc/*")


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (read_lines, []), (read_in_a_branch, [tf.TensorSpec([], tf.bool)]), (read_in_a_map, []),
        (write, [tf.TensorSpec([], tf.string)]), (print_into_a_file, [tf.TensorSpec([], tf.int32)]),
        (cache_in_a_file, []), (list_files, []),
    ],
    ids=lambda v: getattr(v, "__name__", ""),
)  # fmt: skip
def test_files_are_only_opened_when_that_is_allowed(function, arguments):
    data = tf.function(function).get_concrete_function(*arguments).graph.as_graph_def().SerializeToString()
    with pytest.raises(tf.errors.PermissionDeniedError, match="allow_files=True"):
        import_graph_def(data)
    verify(import_graph_def(data, allow_files=True))


def test_caches_in_memory_and_prints_need_no_leave():
    def f():
        tf.print("x")
        return tf.data.Dataset.range(3).cache().reduce(tf.constant(0, tf.int64), lambda a, b: a + b)

    import_graph_def(tf.function(f).get_concrete_function().graph.as_graph_def().SerializeToString())


# --- work in proportion to the file ----------------------------------------------------------------------------------
TYPES = 'attr {{ key: "{0}" value {{ list {{ {1} }} }} }} '
BOTH = "type: DT_BOOL type: DT_FLOAT"
HELD = {
    "StatelessIf": 'node_def { name: "n" op: "StatelessIf" input: "p" input: "p" input: "x" '
                   'attr { key: "Tcond" value { type: DT_BOOL } } ' + TYPES.format("Tin", BOTH) +
                   TYPES.format("Tout", "type: DT_FLOAT") + 'attr { key: "then_branch" value { func { name: "%s" } } } '
                   'attr { key: "else_branch" value { func { name: "%s" } } } } ret { key: "r" value: "n:output:0" } ',
    "StatelessCase": 'node_def { name: "i" op: "Cast" input: "p" attr { key: "SrcT" value { type: DT_BOOL } } '
                     'attr { key: "DstT" value { type: DT_INT32 } } } '
                     'node_def { name: "n" op: "StatelessCase" input: "i:y:0" input: "p" input: "x" ' +
                     TYPES.format("Tin", BOTH) + TYPES.format("Tout", "type: DT_FLOAT") +
                     'attr { key: "branches" value { list { func { name: "%s" } func { name: "%s" } } } } } '
                     'ret { key: "r" value: "n:output:0" } ',
    "PartitionedCall": "".join(
        f'node_def {{ name: "n{i}" op: "PartitionedCall" input: "p" input: "{x}" ' + TYPES.format("Tin", BOTH) +
        TYPES.format("Tout", "type: DT_FLOAT") + 'attr { key: "f" value { func { name: "%s" } } } } '
        for i, x in enumerate(["x", "n0:output:0"])) + 'ret { key: "r" value: "n1:output:0" } ',
}  # fmt: skip


def doubling(op, depth):
    """Functions, each of which holds the next one twice."""
    text = ""
    for i in range(depth):
        text += (
            f'function {{ signature {{ name: "f{i}" input_arg {{ name: "p" type: DT_BOOL }} '
            'input_arg { name: "x" type: DT_FLOAT } output_arg { name: "r" type: DT_FLOAT } } '
        )
        if i < depth - 1:
            text += HELD[op] % (f"f{i + 1}", f"f{i + 1}")
        else:
            text += 'node_def { name: "n" op: "Neg" input: "x" attr { key: "T" value { type: DT_FLOAT } } } '
            text += 'ret { key: "r" value: "n:y:0" } '
        text += "} "
    return (
        f"library {{ {text} }} "
        + node("p", "Placeholder", dtype="type: DT_BOOL", shape="shape { }")
        + node("x", "Placeholder", dtype="type: DT_FLOAT", shape="shape { }")
        + node("c", "PartitionedCall", ["p", "x"], Tin=f"list {{ {BOTH} }}", Tout="list { type: DT_FLOAT }",
               f='func { name: "f0" }')
    )  # fmt: skip


@pytest.mark.parametrize(("op", "depth"), [("StatelessIf", 40), ("StatelessCase", 40), ("PartitionedCall", 11)])
def test_functions_that_hold_the_next_one_twice_do_not_explode(op, depth):
    graph = import_graph_def(doubling(op, depth))
    program = compile_graph(graph, prepare=run_passes)
    expected = 2.0 if op == "PartitionedCall" else -2.0
    assert program(np.bool_(True), np.float32(2)) == program(np.bool_(False), np.float32(2)) == (expected,)
    assert len(program.source) < 100_000
    assert graph.as_graph_def().ByteSize() < 200_000
    verify(graph)


def test_gradients_of_branches_that_share_a_function_do_not_explode():
    @tf.function
    def gradient(p, x):
        (y,) = tf.graph_util.import_graph_def(data, {"p:0": p, "x:0": x}, ["c:0"])
        return tf.gradients(y, x)[0]

    data = doubling("StatelessIf", 24)
    assert gradient(tf.constant(True), tf.constant(1.0)).numpy() == -1.0


def test_small_functions_are_shared_as_they_are():
    graph = import_graph_def(doubling("StatelessIf", 3))
    assert [f.signature.name for f in graph.as_graph_def().library.function] == ["f0", "f1", "f2"]


def test_all_missing_ops_are_listed_with_their_nodes():
    inner = """library { function { signature { name: "f" } node_def { name: "deep" op: "Nowhere" } } }"""
    text = X + node("a", "Nope", ["x"]) + node("b", "Nope", ["x"]) + node("c", "f", []) + inner
    with pytest.raises(tf.errors.UnimplementedError) as caught:
        import_graph_def(text)
    assert caught.value.message.splitlines()[-2:] == ["  Nope: a, b", "  Nowhere: f/deep"]


def test_graphs_show_tensors_as_tensorflow_does():
    concrete = tf.function(lambda x: x + 1).get_concrete_function(tf.TensorSpec([2, 2], name="x"))
    assert repr(concrete.graph.inputs) == "[<tf.Tensor 'x:0' shape=(2, 2) dtype=float32>]"
    assert repr(concrete.graph.outputs) == "[<tf.Tensor 'Identity:0' shape=(2, 2) dtype=float32>]"
    assert concrete.inputs[0].device == ""
    assert tf.constant(1).device == "/job:localhost/replica:0/task:0/device:CPU:0"
    message = concrete.graph.as_graph_def()
    assert [n.op for n in message.node] == ["Placeholder", "Const", "AddV2", "Identity"]
    assert (message.versions.producer, len(message.library.function)) == (2288, 0)


def test_loops_and_branches_that_were_imported_have_gradients():
    def powers(x):
        total = x
        for _ in tf.range(3):
            total = total * x if total > 0.0 else total - x
        return total

    concrete = tf.function(powers).get_concrete_function(tf.TensorSpec([], tf.float32))
    data = concrete.graph.as_graph_def().SerializeToString()
    (given,), (result,) = [t.name for t in concrete.inputs], [t.name for t in concrete.outputs]
    imported = tf.function(lambda x: tf.graph_util.import_graph_def(data, {given: x}, [result])[0])

    @tf.function
    def gradient(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            found = imported(x)
        return tape.gradient(found, x)

    for x, wanted in ((2.0, 32.0), (-2.0, 4.0)):
        x = tf.constant(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            found = imported(x)
        assert tape.gradient(found, x).numpy() == gradient(x).numpy() == wanted


def test_placeholders_whose_names_differ_in_case_alone():
    text = X + X.replace('"x"', '"X"') + node("y", "Sub", ["X", "x"], T="type: DT_FLOAT")
    graph = import_graph_def(text)
    assert [v.node.name for v in graph.inputs] == ["x", "X_1"]
    assert len(import_graph_def(text, inputs=["X:0", "x:0"], outputs=["y:0"]).inputs) == 2


@pytest.mark.parametrize("said", [1, 3])
def test_shapes_of_other_outputs_than_there_are(said):
    @tf.function
    def f(x):
        return tf.cond(x > 0, lambda: (x, x + 1), lambda: (x - 1, x))

    made = f.get_concrete_function(tf.TensorSpec([], tf.float32)).graph.as_graph_def()
    (branch,) = (n for n in made.node if n.op == "StatelessIf")
    shapes = branch.attr["output_shapes"].list.shape
    del shapes[:]
    for _ in range(said):
        shapes.add()
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=f"'output_shapes' has {said} shapes, the op has 2 outputs"
    ):
        import_graph_def(made)
