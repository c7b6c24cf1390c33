"""Lists natively: who else holds a version decides whether it is changed in place.

Covers: graphrt/native/rules/lists.py
"""

import importlib.util
import random

import numpy as np
import pytest

import graphrt as tf
from graphrt.native import NativeProgram


def statements(chance, depth, lines, indent, indices):
    """A few statements on three arrays `a`, `b`, `c` and a number `s`: writes, reads, other names, branches, loops."""
    for _ in range(chance.randint(1, 4)):
        x, y, i = chance.choice("abc"), chance.choice("abc"), chance.choice(["0", "2", "s % 3", *indices])
        v = chance.choice(["s", f"{y}.read(1) * 2", f"{x}.read(0) - s", "a.read(2) + b.read(0)"])
        kind = chance.choices(["write", "read", "name", "swap", "sum", "if", "for"], [7, 3, 2, 2, 1, 3, 3])[0]
        simple = {
            "write": f"{x} = {y}.write({i}, {v})", "read": f"s = (s * 3 + {x}.read({i})) % 97", "name": f"{x} = {y}",
            "swap": f"{x}, {y} = {y}, {x}", "sum": f"s += tf.reduce_sum({x}.stack()) % 7",
        }  # fmt: skip
        if kind in simple or not depth:
            lines.append(indent + simple.get(kind, "s += 1"))
            continue
        name = f"i{len(indent)}"
        lines.append(indent + ("if s % 2 == 0:" if kind == "if" else f"for {name} in tf.range(3):"))
        statements(chance, depth - 1, lines, indent + "    ", indices if kind == "if" else [*indices, name])


def program(seed):
    lines = ["import graphrt as tf", "def f(s):"]
    for name, first in zip("abc", (1, 10, 100)):
        made = "tf.TensorArray(tf.int32, 3, clear_after_read=False, element_shape=[])"
        lines.append(f"    {name} = {made}.unstack(tf.constant([{first}, {2 * first}, {3 * first}]))")
    statements(random.Random(seed), 3, lines, "    ", [])
    return "\n".join([*lines, "    return s, a.stack(), b.stack(), c.stack()", ""])


@pytest.mark.parametrize("seed", [3, 14, 28, 32, 35, 40, 52, 59])
def test_lists_under_several_names(seed, tmp_path):
    path = tmp_path / "lists.py"
    path.write_text(program(seed))
    spec = importlib.util.spec_from_file_location("lists", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    concrete = tf.function(module.f).get_concrete_function(tf.TensorSpec([], tf.int32))
    native = NativeProgram(concrete.graph, plain=True)
    assert not native.cut.refused
    for number in (0, 1, 5):
        found = native.program.function(np.int32(number))
        assert [np.asarray(r).tolist() for r in found] == [t.numpy().tolist() for t in concrete(tf.constant(number))]


def test_what_was_read_before_is_written_in_place():
    @tf.function
    def fibonacci(n):
        d = tf.TensorArray(tf.int64, n, clear_after_read=False, element_shape=[])
        d = d.write(0, 0).write(1, 1)
        for i in tf.range(2, n):
            if i > 2:
                d = d.write(i, d.read(i - 1) + d.read(i - 2))
            else:
                d = d.write(i, 1)
        return d.stack()

    native = NativeProgram(fibonacci.get_concrete_function(tf.TensorSpec([], tf.int32)).graph, plain=True)
    assert ".copy()" not in native.source
    assert native.program.function(np.int32(8))[0].tolist() == [0, 1, 1, 2, 3, 5, 8, 13]
