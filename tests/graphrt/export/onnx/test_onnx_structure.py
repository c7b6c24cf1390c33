"""The files written for ONNX, as text; what they refuse. Needs neither onnx nor a runtime."""

import os
import pathlib

import numpy as np
import pytest

import graphrt as tf
from graphrt.export.onnx.mappings import FAMILIES, all_rules
from graphrt.ir.op import REGISTRY, declare_all
from tests.graphrt import rewriting
from tests.graphrt.export.onnx import programs

PATH = pathlib.Path(__file__).with_name("structures.txt")


def text_of(concrete, folder):
    path = os.path.join(folder, "model.onnx")
    tf.export.to_onnx(concrete, path)
    return tf.export.onnx_text(path)


@pytest.mark.parametrize("name", [case[0] for case in rewriting.cases(PATH)])
def test_text(name, tmp_path):
    function, arguments = programs.CASES[name]
    concrete = tf.function(function).get_concrete_function(*programs.specs(arguments))
    rewriting.expect(PATH, name, text_of(concrete, tmp_path))


def test_rules_are_of_ops_that_there_are_and_stand_in_one_family():
    declare_all()
    names = [name for family in FAMILIES for name in family.RULES]
    assert sorted(set(names)) == sorted(names)
    assert [name for name in names if name not in REGISTRY] == []
    assert len(all_rules()) == len(names) > 230


def concrete(function, *specs):
    return tf.function(function).get_concrete_function(*specs)


def test_what_cannot_be_mapped_is_listed_by_node_and_line_and_nothing_is_written(tmp_path):
    def f(x):
        tf.print(x)
        y = tf.math.lgamma(x)
        return y + tf.math.digamma(x)

    path = tmp_path / "model.onnx"
    path.write_bytes(b"before")
    with pytest.raises(tf.errors.UnimplementedError) as caught:
        tf.export.to_onnx(concrete(f, tf.TensorSpec([3])), path)
    lines = str(caught.value).splitlines()
    first = f.__code__.co_firstlineno
    assert lines[0] == "f has 4 nodes that ONNX cannot express; nothing was written:"
    assert [line.split(":")[1].strip() for line in lines[1:]] == ["StringFormat", "PrintV2", "Lgamma", "Digamma"]
    assert [line.rstrip(")").rpartition(":")[2] for line in lines[1:]] == [str(first + i) for i in (1, 1, 2, 3)]
    assert path.read_bytes() == b"before"
    assert os.listdir(tmp_path) == ["model.onnx"]


def test_nodes_inside_of_branches_and_loops_are_listed(tmp_path):
    def f(x):
        for _ in tf.range(3):
            if x[0] > 0:
                x = tf.math.lgamma(x)
        return x

    with pytest.raises(tf.errors.UnimplementedError, match="Lgamma: ONNX has no counterpart"):
        tf.export.to_onnx(concrete(f, tf.TensorSpec([3])), tmp_path / "model.onnx")
    assert os.listdir(tmp_path) == []


def test_variables_that_change_are_refused(tmp_path):
    v = tf.Variable(1.0)

    def f(x):
        v.assign_add(1.0)
        return x * v

    with pytest.raises(tf.errors.UnimplementedError, match="AssignAddVariableOp: ONNX has no effects"):
        tf.export.to_onnx(concrete(f, tf.TensorSpec([])), tmp_path / "model.onnx")


def test_a_function_that_is_not_concrete_is_refused(tmp_path):
    with pytest.raises(TypeError, match="found Function: call get_concrete_function"):
        tf.export.to_onnx(tf.function(lambda x: x), tmp_path / "model.onnx")


def test_arguments_of_unknown_rank_are_refused_with_the_remedy(tmp_path):
    with pytest.raises(
        tf.errors.UnimplementedError, match="the argument 'x' has no known rank.*with None for what is open"
    ):
        tf.export.to_onnx(concrete(lambda x: x + 1.0, tf.TensorSpec(None, name="x")), tmp_path / "model.onnx")


def test_complex_arguments_are_refused(tmp_path):
    with pytest.raises(tf.errors.UnimplementedError, match="of dtype complex64, which ONNX does not have"):
        tf.export.to_onnx(concrete(lambda x: x, tf.TensorSpec([2], tf.complex64)), tmp_path / "model.onnx")


def test_complex_results_and_what_leads_to_them_are_refused(tmp_path):
    for body, told in [
        (lambda x: (x, tf.constant([1j])), "the result 'output_1' is of dtype complex128, which ONNX does not have"),
        (lambda x: tf.abs(tf.complex(x, x)), "Complex: it gives numbers of dtype complex64, which ONNX does not have"),
    ]:
        with pytest.raises(tf.errors.UnimplementedError, match=told):
            tf.export.to_onnx(concrete(body, tf.TensorSpec([2])), tmp_path / "model.onnx")
    assert os.listdir(tmp_path) == []


def test_an_interrupted_write_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "model.onnx"
    path.write_bytes(b"before")

    def fail(*_):
        raise OSError("no room")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="no room"):
        tf.export.to_onnx(concrete(lambda x: x + 1.0, tf.TensorSpec([2])), path)
    assert path.read_bytes() == b"before"
    assert os.listdir(tmp_path) == ["model.onnx"]


def test_results_have_the_names_of_a_dict(tmp_path):
    found = text_of(concrete(lambda x: {"b": x + 1.0, "a": x}, tf.TensorSpec([2], name="x")), tmp_path)
    assert found.splitlines()[0].endswith("(x: float32[2]) -> (a: float32[2], b: float32[2])")


def test_a_result_that_is_an_argument_or_a_constant_or_twice_the_same(tmp_path):
    def f(x):
        y = x * 2.0
        return x, tf.constant([1.0]), y, y

    lines = text_of(concrete(f, tf.TensorSpec([1], name="x")), tmp_path).splitlines()
    assert "  output_0 = Identity(x)" in lines
    assert sum("Identity" in line for line in lines) == 3


def test_large_constants_are_written_once(tmp_path):
    weights = tf.constant(np.ones([64, 64], np.float32))
    tf.export.to_onnx(concrete(lambda x: (x @ weights, x + weights), tf.TensorSpec([64, 64])), tmp_path / "model.onnx")
    assert 64 * 64 * 4 < os.path.getsize(tmp_path / "model.onnx") < 64 * 64 * 4 + 1000
