"""Calls of traced functions, to be made with TensorFlow or with graphrt: how often is the function traced?

Each case is `(name, function options, python function, list of calls)`; a call is `(args, kwargs)`. Values are made by
the module under test, given as `tf`, so that both sides get their own tensors.
"""

from __future__ import annotations

import collections
import dataclasses
import enum

import numpy as np

Point = collections.namedtuple("Point", "x y")
Other = collections.namedtuple("Other", "x y")


class Color(enum.Enum):
    RED = 1
    BLUE = 2


class Thing:
    pass


@dataclasses.dataclass(frozen=True)
class Config:
    size: int


class Equal:
    def __init__(self, v):
        self.v = v

    def __eq__(self, other):
        return self.v == other.v

    def __hash__(self):
        return hash(self.v)


def one(*args, **kwargs):
    return 1


def takes_x(x):
    return 1


def with_default(x, y=2):
    return 1


def keyword_only(x, *, k=1):
    return 1


def _calls(*values):
    return [((v,), {}) for v in values]


def trace_cases(tf):
    c = tf.constant
    ones = tf.ones
    first, second = Thing(), Thing()
    function = lambda: 1
    variable = tf.Variable(1.0)
    table = [
        ("same scalar dtype", {}, takes_x, _calls(c(1.0), c(2.0), c(3.0))),
        ("int and float tensors", {}, takes_x, _calls(c(1), c(1.0), c(2))),
        ("bool and string tensors", {}, takes_x, _calls(c(True), c("a"), c(False), c("b"))),
        ("int64 against int32", {}, takes_x, _calls(c(1), c(1, tf.int64))),
        ("shapes", {}, takes_x, _calls(ones([1]), ones([2]), ones([3]), ones([1, 1]))),
        ("shapes again", {}, takes_x, _calls(ones([1]), ones([2]), ones([1]), ones([2]))),
        ("empty shapes", {}, takes_x, _calls(ones([0]), ones([0, 1]), ones([0]))),
        ("relaxed shapes", {"reduce_retracing": True}, takes_x, _calls(*[ones([n]) for n in range(1, 6)])),
        ("relaxed ranks", {"reduce_retracing": True}, takes_x,
         _calls(ones([1]), ones([2]), ones([3]), ones([1, 1]), ones([1, 2]), ones([1, 2, 3]))),
        ("relaxed integers", {"reduce_retracing": True}, takes_x, _calls(1, 2, 3)),
        ("relaxed pairs", {"reduce_retracing": True}, takes_x,
         _calls((ones([1]), ones([2])), (ones([2]), ones([2])), (ones([3]), ones([2])))),
        ("relaxed dtype", {"reduce_retracing": True}, takes_x, _calls(ones([1]), ones([1], tf.int32), ones([2]))),
        ("ints", {}, takes_x, _calls(1, 2, 1, 3, 2)),
        ("strings", {}, takes_x, _calls("a", "a", "b", b"a")),
        ("none", {}, takes_x, _calls(None, None, 0)),
        ("enum", {}, takes_x, _calls(Color.RED, Color.BLUE, Color.RED)),
        ("nan", {}, takes_x, _calls(float("nan"), float("nan"))),
        ("arrays", {}, takes_x, _calls(np.ones(2), np.zeros(2), np.ones(3))),
        ("array as tensor", {}, takes_x, _calls(np.ones(2, np.float32), ones([2]))),
        ("numpy scalars", {}, takes_x, _calls(np.float32(1), np.float32(2), c(3.0))),
        ("python number against tensor", {}, takes_x, _calls(1, c(1), 1, c(2))),
        ("list of numbers", {}, takes_x, _calls([1, 2], [1, 2], [1, 3])),
        ("list and tuple", {}, takes_x, _calls([1, 2], (1, 2))),
        ("list of tensors", {}, takes_x, _calls([c(1)], [c(2)], [c(1), c(2)])),
        ("dict of tensors", {}, takes_x, _calls({"a": c(1), "b": c(2)}, {"b": c(3), "a": c(4)}, {"a": c(1)})),
        ("dict of numbers", {}, takes_x, _calls({"a": 1}, {"a": 1}, {"a": 2})),
        ("nested", {}, takes_x, _calls({"a": [c(1), (c(2), None)]}, {"a": [c(5), (c(6), None)]}, {"a": [c(1), (c(2), 1)]})),
        ("named tuples", {}, takes_x, _calls(Point(1, 2), Point(1, 2), Other(1, 2), (1, 2))),
        ("named tuples of tensors", {}, takes_x, _calls(Point(c(1), c(2)), Point(c(3), c(4)))),
        ("objects", {}, takes_x, _calls(first, second, first)),
        ("frozen dataclass", {}, takes_x, _calls(Config(1), Config(1), Config(2))),
        ("equal objects", {}, takes_x, _calls(Equal(1), Equal(1), Equal(2))),
        ("functions", {}, takes_x, _calls(function, function)),
        ("two lambdas", {}, takes_x, _calls(lambda: 1, lambda: 1)),
        ("classes", {}, takes_x, _calls(Thing, int, Thing)),
        ("dtypes", {}, takes_x, _calls(tf.float32, tf.float32, tf.int32)),
        ("tensor shapes", {}, takes_x, _calls(tf.TensorShape([1]), tf.TensorShape([1]), tf.TensorShape([2]))),
        ("ranges", {}, takes_x, _calls(range(3), range(3), range(4))),
        ("frozen sets", {}, takes_x, _calls(frozenset({1, 2}), frozenset({2, 1}))),
        ("same variable", {}, takes_x, _calls(variable, variable)),
        ("default given or not", {}, with_default, [((1,), {}), ((1, 2), {}), ((1,), {"y": 2}), ((), {"x": 1})]),
        ("default replaced", {}, with_default, [((1,), {}), ((1, 3), {})]),
        ("keyword only", {}, keyword_only, [((c(1),), {}), ((c(1),), {"k": 1}), ((c(1),), {"k": 2})]),
        ("varargs", {}, one, [((c(1),), {}), ((c(1), c(2)), {}), ((c(3), c(4)), {})]),
        ("keyword order", {}, one, [((), {"a": c(1), "b": c(2)}), ((), {"b": c(1), "a": c(2)})]),
        ("declared shape", {"input_signature": [tf.TensorSpec([None], tf.float32)]}, takes_x,
         _calls(ones([1]), ones([2]), np.ones(3), [1.0, 2.0])),
        ("declared nest", {"input_signature": [{"a": tf.TensorSpec([]), "b": [tf.TensorSpec([None], tf.int32)]}]}, takes_x,
         _calls({"a": c(1.0), "b": [c([1])]}, {"a": 2.0, "b": [[1, 2]]})),
        ("declared any rank", {"input_signature": [tf.TensorSpec(None)]}, takes_x, _calls(ones([]), ones([2, 3]))),
        # where graphrt differs on purpose
        ("number kinds", {}, takes_x, _calls(1, 1.0, True)),
        ("signed zeros", {}, takes_x, _calls(0.0, -0.0)),
        ("two variables", {}, takes_x, _calls(tf.Variable(1.0), tf.Variable(2.0))),
        ("ordered dict", {}, takes_x, _calls(collections.OrderedDict(a=1), {"a": 1})),
    ]  # fmt: skip
    return table


DIFFERENT = {
    "number kinds": (3, "f(1), f(1.0) and f(True) differ in type, so they may not share what was traced for one of them"),
    "signed zeros": (2, "0.0 and -0.0 give different results in a division"),
    "ordered dict": (2, "a function may return its argument: the container's type shows"),
}


def concrete_cases(tf):
    """`(name, options, python function, args, kwargs)` for get_concrete_function."""
    spec = tf.TensorSpec
    return [
        ("scalar", {}, lambda x: x, (tf.constant(1.0),), {}),
        ("spec", {}, lambda x: x, (spec([None, 2], tf.int32),), {}),
        ("named spec", {}, lambda x, y: x, (spec([None], name="foo"), spec([], tf.int32)), {}),
        ("two of one", {}, lambda x, y: (x, y), (tf.constant(1), tf.constant(2)), {}),
        ("keyword", {}, lambda x, *, k: x, (tf.constant(1),), {"k": tf.constant(2)}),
        ("varargs", {}, lambda x, *args, **kw: x, (tf.constant(1), tf.constant(2), tf.constant(3)), {"z": tf.constant(4)}),
        ("nest", {}, lambda x, y: x, (tf.constant(1), {"p": tf.constant(2), "q": [tf.constant(3)]}), {}),
        ("python value", {}, lambda x, y: x, (tf.constant(1), 2), {}),
        ("none result", {}, lambda x: None, (tf.constant(1),), {}),
        ("dict result", {}, lambda x: {"a": x, "b": [x, None]}, (tf.constant(1),), {}),
        ("declared", {"input_signature": [spec([None]), {"a": spec([], tf.int32)}]}, lambda x, d: x, (), {}),
        ("declared name", {"input_signature": [spec([None], name="q")]}, lambda x: x, (), {}),
    ]


# --- polymorphism: kinds of arguments x ways to pass them ------------------------------------------------------------
def kinds(tf):
    """`name -> three values`: calls are made with the first, second, third, first and second."""
    c = tf.constant
    things = [Thing(), Thing(), Thing()]
    functions = [lambda: 1, lambda: 2, len]
    variables = [tf.Variable(1.0), tf.Variable([1.0, 2.0]), tf.Variable(3)]
    return {
        "float32 scalars": [c(1.0), c(2.0), c(3.0)],
        "int64 scalars": [c(1, tf.int64), c(2, tf.int64), c(3)],
        "tensors of three dtypes": [c(1), c(1.0), c(True)],
        "half and uint8": [c(1, tf.float16), c(2, tf.float16), c(3, tf.uint8)],
        "complex tensors": [c(1 + 2j), c(2 + 1j), c(3.0)],
        "string tensors": [c("a"), c("b"), c(["a"])],
        "vectors": [tf.ones([2]), tf.ones([3]), tf.ones([4])],
        "matrices": [tf.ones([1, 2]), tf.ones([2, 2]), tf.ones([2, 3])],
        "ranks": [tf.ones([]), tf.ones([1]), tf.ones([1, 1])],
        "empty tensors": [tf.ones([0]), tf.ones([0, 2]), tf.ones([2, 0])],
        "arrays": [np.ones(2), np.zeros(2), np.ones(3)],
        "arrays of dtypes": [np.ones(2, np.float32), np.ones(2, np.int32), np.ones(2, bool)],
        "arrays without dimensions": [np.array(1.0), np.array(2.0), np.array(3)],
        "numpy scalars": [np.float32(1), np.float32(2), np.int64(3)],
        "array against tensor": [np.ones(2, np.float32), tf.ones([2]), tf.ones([3])],
        "ints": [1, 2, 3],
        "large ints": [2**40, 2**41, 2**62],
        "floats": [1.5, 2.5, -0.5],
        "bools": [True, False, True],
        "strings": ["a", "b", "a"],
        "byte strings": [b"a", b"b", b""],
        "int against tensor": [1, c(1), c(2)],
        "none against tensor": [None, c(1.0), c(2.0)],
        "none against int": [None, 0, None],
        "tuples of ints": [(1, 2), (1, 3), (1, 2, 3)],
        "tuples of tensors": [(c(1), c(2)), (c(3), c(4)), (c(1),)],
        "tuples of both": [(c(1.0), 1), (c(2.0), 1), (c(3.0), 2)],
        "lists of tensors": [[c(1)], [c(2), c(3)], [c(4)]],
        "lists of shapes": [[tf.ones([2]), tf.ones([2])], [tf.ones([3]), tf.ones([2])], [tf.ones([3]), tf.ones([3])]],
        "empty containers": [[], (), {}],
        "dicts of tensors": [{"a": c(1)}, {"a": c(2)}, {"b": c(3)}],
        "dicts of both": [{"a": c(1), "n": 1}, {"n": 1, "a": c(2)}, {"a": c(3), "n": 2}],
        "nested dicts": [{"a": {"b": [c(1)]}}, {"a": {"b": [c(2)]}}, {"a": {"b": [c(2), c(3)]}}],
        "named tuples": [Point(c(1), 2), Point(c(3), 2), Point(c(3), 4)],
        "two named tuples": [Point(1, 2), Other(1, 2), Point(1, 2)],
        "enums": [Color.RED, Color.BLUE, Color.RED],
        "frozen dataclasses": [Config(1), Config(1), Config(2)],
        "equal objects": [Equal(1), Equal(1), Equal(2)],
        "objects": things,
        "functions": functions,
        "classes": [Thing, int, Thing],
        "dtypes": [tf.float32, tf.int32, tf.float32],
        "shapes": [tf.TensorShape([1]), tf.TensorShape([2]), tf.TensorShape([1])],
        "ranges": [range(3), range(3), range(4)],
        "frozen sets": [frozenset({1, 2}), frozenset({2, 1}), frozenset({3})],
        "variables": variables,
    }


def total(tf, value):
    """The sum of the numbers in `value`, as a tensor."""
    found = tf.constant(0.0, tf.float64)
    for leaf in tf.nest.flatten(value):
        if isinstance(leaf, (bool, int, float)):
            found += float(leaf)
        elif hasattr(leaf, "dtype") and hasattr(leaf, "shape") and leaf.dtype != tf.string:
            leaf = tf.convert_to_tensor(leaf)
            leaf = tf.math.real(leaf) if leaf.dtype.is_complex else leaf
            found += tf.reduce_sum(tf.cast(leaf, tf.float64))
    return found


def ways(tf, traces):
    """`name -> (options, function, value -> (args, kwargs))`; each function notes that it is traced."""

    def note():
        traces.append(1)
        return tf.constant(len(traces))

    def plain(x):
        return note(), total(tf, x)

    def with_default(x, y=5):
        return note(), total(tf, (x, y))

    def keyword(*, k):
        return note(), total(tf, k)

    def variadic(*args, **kwargs):
        return note(), total(tf, (args, kwargs))

    return {
        "": ({}, plain, lambda v: ((v,), {})),
        " by name": ({}, keyword, lambda v: ((), {"k": v})),
        " twice": ({}, variadic, lambda v: ((v, v), {"z": v})),
        " relaxed": ({"reduce_retracing": True}, with_default, lambda v: ((v,), {})),
    }


ORDER = (0, 1, 2, 0, 1)


def polymorphism(tf):
    """`name -> thunk` that gives `[[trace that served the call, result], ...]`, or the class of an error."""

    def case(values, way):
        def run():
            traces = []
            options, function, arguments = ways(tf, traces)[way]
            traced = tf.function(function, **options)
            rows = []
            for i in ORDER:
                args, kwargs = arguments(values[i])
                try:
                    target, result = traced(*args, **kwargs)
                except Exception as error:
                    rows.append(type(error).__name__)
                    continue
                rows.append([int(target), float(result)])
            return rows

        return run

    return {f"{kind}{way}": case(values, way) for kind, values in kinds(tf).items() for way in ways(tf, [])}

