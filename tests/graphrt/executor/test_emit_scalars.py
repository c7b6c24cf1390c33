"""The short forms for scalars give what the kernels give, bit for bit, and refuse what they refuse."""

import itertools

import numpy as np
import pytest

import graphrt as tf
from graphrt import errors
from graphrt.executor import compile_graph
from graphrt.ir.op import ops
from graphrt.passes import run_passes
from tests.graphrt.rewriting import traced

FLOATS = [0.0, -0.0, 1.0, -1.0, 2.5, -7.25, np.inf, -np.inf, np.nan, 1e30, 1e-30]
INTS = [0, 1, -1, 2, -3, 7, -8, 127, -128]


def values(dtype):
    kind = np.dtype(dtype)
    if kind.kind == "b":
        return [np.bool_(False), np.bool_(True)]
    found = FLOATS if kind.kind == "f" else [v for v in INTS if kind.kind == "i" or v >= 0]
    return [kind.type(v) for v in found]


@pytest.mark.parametrize(
    ("name", "dtype"),
    [(n, t) for n in ("Maximum", "Minimum", "FloorDiv", "FloorMod", "AddV2", "Mul", "Less", "Equal")
     for t in ("float32", "float64", "int8", "int32", "uint8", "int64")],
)  # fmt: skip
def test_binary_ops_on_scalars(name, dtype):
    op = getattr(ops, name)
    program = compile_graph(traced(lambda x, y: op(x, y), (dtype, ()), (dtype, ())))
    for a, b in itertools.product(values(dtype), repeat=2):
        try:
            with np.errstate(all="ignore"):
                wanted = op.kernel(a, b, **({"incompatible_shape_error": True} if name == "Equal" else {}))
        except errors.InvalidArgumentError as error:
            with pytest.raises(errors.InvalidArgumentError, match=str(error)):
                program(a, b)
            continue
        (found,) = program(a, b)
        assert type(found) is type(wanted)
        assert found == wanted or (found != found and wanted != wanted)
        assert np.signbit(found) == np.signbit(wanted) or found != found if dtype.startswith("f") else True


@pytest.mark.parametrize(
    ("name", "dtype"), [("LogicalNot", "bool"), ("Square", "float32"), ("Square", "int32"), ("Neg", "int8")]
)
def test_unary_ops_on_scalars(name, dtype):
    op = getattr(ops, name)
    program = compile_graph(traced(lambda x: op(x), (dtype, ())))
    for a in values(dtype):
        with np.errstate(all="ignore"):
            wanted = op.kernel(a)
        (found,) = program(a)
        assert type(found) is type(wanted)
        assert found.tobytes() == wanted.tobytes() or found != found


@pytest.mark.parametrize("index", [5, -6, 100])
def test_an_index_out_of_range_is_refused_with_the_users_line(index):
    graph = traced(lambda x, i: x[i] * 2.0, ("float32", (None,)), ("int32", ()))
    program = compile_graph(graph, prepare=run_passes)
    assert "x0[x1]" in program.source
    with pytest.raises(errors.InvalidArgumentError) as info:
        program(np.zeros(5, np.float32), np.int32(index))
    assert f"slice index {index} of dimension 0 out of bounds." in str(info.value)
    assert "[Op:StridedSlice]" in str(info.value)
    assert f"{__file__}:" in str(info.value)


SLICES = [
    lambda x, i: x[i], lambda x, i: x[i, 1], lambda x, i: x[:, i], lambda x, i: x[..., i], lambda x, i: x[i:],
    lambda x, i: x[:i, tf.newaxis], lambda x, i: x[::-1, i], lambda x, i: x[1:3, ::2], lambda x, i: x[-1],
    lambda x, i: x[i:0:-1], lambda x, i: x[tf.newaxis, ..., 0], lambda x, i: x[i, ...], lambda x, i: x[2:1],
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(SLICES)))
@pytest.mark.parametrize("dims", [(4, 3), (None, None)])
def test_slices_are_those_of_numpy(number, dims):
    x = np.arange(12, dtype=np.float32).reshape(4, 3)
    graph = traced(SLICES[number], ("float32", dims), ("int32", ()))
    program = compile_graph(graph, prepare=run_passes)
    assert "StridedSlice(" not in program.source
    for i in (0, 1, 2, -1):
        wanted = SLICES[number](x, i)
        (found,) = program(x, np.int32(i))
        assert np.array_equal(found, wanted)
        assert np.shape(found) == np.shape(wanted)


def test_strings_stay_arrays_when_indexed():
    graph = traced(lambda x, i: x[i], ("string", (None,)), ("int32", ()))
    (found,) = compile_graph(graph, prepare=run_passes)(np.array([b"a", b"b"], object), np.int32(1))
    assert isinstance(found, np.ndarray)
    assert found.shape == () and found[()] == b"b"
