"""docs/adding_an_op.md: the declaration is all that the eager call, the trace, the gradient and the passes read."""

import re
import shutil

import numpy as np
import pytest

import graphrt as tf
from graphrt.ir.op import ELEMENTWISE, QUIET, REGISTRY, define
from graphrt.ops.math.arithmetic import Mul
from graphrt.ops.support.shape_rules import same_shape
from graphrt.types.dtype import FLOATING
from tests import ROOT
from tests.docs import fresh


@pytest.fixture
def toy():
    """`x ** 3` as a family would declare it."""
    yield define(
        "ToyCube", "x: T -> y: T", allowed={"T": FLOATING}, infer=same_shape, kernel=lambda x: x * x * x,
        vjp=lambda call, g: [Mul(g, Mul(call.inputs[0], call.inputs[0]) * 3.0)], traits=(ELEMENTWISE, QUIET),
    )  # fmt: skip
    del REGISTRY["ToyCube"]


def test_one_declaration_makes_an_op(toy):
    assert toy(2.0).numpy() == 8.0
    with pytest.raises(TypeError):
        toy(np.int32(2))
    f = tf.function(lambda x: toy(x))
    made = f.get_concrete_function(tf.TensorSpec([None, 2], tf.float32))
    assert [node.type for node in made.graph.nodes if node.type == "ToyCube"] == ["ToyCube"]
    assert made.output_shapes.as_list() == [None, 2]
    assert f(tf.constant([[1.0, 2.0]])).numpy().tolist() == [[1.0, 8.0]]


@pytest.mark.parametrize("traced", [False, True])
def test_its_gradient_can_be_differentiated_again(toy, traced):
    def second(x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = toy(x)
            g = inner.gradient(y, x)
        return g, outer.gradient(g, x)

    g, h = (tf.function(second) if traced else second)(tf.constant(2.0))
    assert (g.numpy(), h.numpy()) == (12.0, 12.0)


def test_passes_read_its_traits(toy):
    """Element-wise: what is the same in every iteration is computed before the loop."""

    def f(x, n):
        total = tf.zeros_like(x)
        for _ in tf.range(n):
            total += toy(x)
        return total

    program = tf.function(f).get_concrete_function(tf.TensorSpec([3]), tf.TensorSpec([], tf.int32))
    text = program.source
    assert 0 <= text.index("ToyCube") < re.search("(?:for .*:|while )", text).start()
    assert program(tf.ones([3]), tf.constant(2)).numpy().tolist() == [2.0, 2.0, 2.0]


FAMILY = "graphrt/ops/math/elementwise.py"
SAMPLES = "tests/golden/calls/ops/math/elementwise.txt"
TABLE = "graphrt/api/exports.py"
DECLARED = '''
ToyCube = _unary("ToyCube", lambda x: x * x * x, lambda x, y, g: g * Square(real_conj(x)) * 3.0)


@provide
def toy_cube(x: TensorLike, name: str | None = None) -> Tensor:
    """The third power of `x`.

    >>> import graphrt as tf
    >>> tf.math.toy_cube(2.0).numpy()
    np.float32(8.0)
    """
    return ToyCube(x, name=name)


'''
PROGRAM = """
import doctest, pathlib
import graphrt as tf

print(tf.math.toy_cube(2.0).numpy(), "toy_cube" in dir(tf.math), hasattr(tf, "toy_cube"))
sample = pathlib.Path("tests/golden/calls/ops/math/elementwise.txt").read_text().splitlines()[-1]
print(eval(sample).numpy().tolist())
made = tf.function(tf.math.toy_cube).get_concrete_function(tf.TensorSpec([None, 2], tf.float64))
print([node.op for node in made.graph.as_graph_def().node], made.output_shapes)
print(tf.function(tf.math.toy_cube)(3.0).numpy(), tf.raw_ops.ToyCube(x=3.0).numpy())
with tf.GradientTape() as tape:
    x = tf.Variable(2.0)
    y = tf.math.toy_cube(x)
print(tape.gradient(y, x).numpy())
runner = doctest.DocTestRunner()
for example in doctest.DocTestFinder().find(tf.math.toy_cube, "toy_cube", globs={}):
    print(runner.run(example))
"""


def test_an_op_is_written_into_three_files(tmp_path):
    """The family, its samples and the table of public names; all else that changes is written by `tests.stubs`."""
    packages = fresh.Packages(tmp_path, copied=True)
    for path in ("tests/__init__.py", "tests/stubs.py", SAMPLES):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / path, tmp_path / path)
    packages.edit(FAMILY, "Asinh = _unary(", f"{DECLARED}Asinh = _unary(")
    packages.edit(FAMILY, '"sqrt", "square", "tan", "tanh",', '"sqrt", "square", "tan", "tanh", "toy_cube",')
    packages.edit(TABLE, "sinh sqrt square tan tanh\n", "sinh sqrt square tan tanh\n            toy_cube\n")
    with (tmp_path / SAMPLES).open("a", encoding="utf-8") as file:
        file.write("tf.math.toy_cube(tf.constant([1.0, 2.0]))\n")
    written = packages.run("import tests.stubs; tests.stubs.main()").split()
    assert written == ["graphrt/ir/homes.py", "graphrt/ir/namespace.pyi", "graphrt/math.pyi"]
    assert packages.run(PROGRAM).splitlines() == [
        "8.0 True False",
        "[1.0, 8.0]",
        "['Placeholder', 'ToyCube', 'Identity'] (None, 2)",
        "27.0 27.0",
        "12.0",
        "TestResults(failed=0, attempted=2)",
    ]
