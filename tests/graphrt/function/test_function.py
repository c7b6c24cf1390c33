"""tf.function: calls, traces, methods, variables, errors, threads.

Covers: graphrt/tensor/call.py, graphrt/tensor/context.py, graphrt/tensor/func_graph.py, graphrt/tensor/lift.py,
  graphrt/tensor/trace.py.
"""

from __future__ import annotations

import collections
import copy
import dataclasses
import functools
import gc
import inspect
import pickle
import threading
import traceback
import warnings
import weakref

import numpy as np
import pytest

import graphrt as tf
from graphrt.function.fast_dispatch import MISS

Point = collections.namedtuple("Point", "x y")


def value(x):
    return np.asarray(x).tolist()


# --- results ---------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "result",
    [lambda x: x, lambda x: (x, x + 1), lambda x: [x, (x, {"a": x})], lambda x: {"b": x, "a": None, "c": [None, x]},
     lambda x: None, lambda x: (), lambda x: Point(x, [x]), lambda x: collections.OrderedDict(z=x, a=x)],
)  # fmt: skip
def test_structure_of_results(result):
    f = tf.function(result)
    for _ in range(4):  # the long way, then through an entry
        found = f(tf.constant(2))
        expected = result(tf.constant(2))
        tf.nest.assert_same_structure(found, expected)
        assert [None if v is None else value(v) for v in tf.nest.flatten(found)] == [
            None if v is None else value(v) for v in tf.nest.flatten(expected)
        ]


def test_python_and_array_results_become_tensors():
    f = tf.function(lambda: ("a", 3, 2.5, np.ones(2), [True]))
    assert [r.dtype for r in tf.nest.flatten(f())] == [tf.string, tf.int32, tf.float32, tf.float64, tf.bool]


def test_wrong_result():
    with pytest.raises(TypeError, match="must return zero or more Tensors"):
        tf.function(lambda: object())()


# --- arguments -------------------------------------------------------------------------------------------------------
ARGUMENTS = [
    ((tf.constant(1.0),), {}), ((np.float32(1),), {}), ((np.ones(3),), {}), ((tf.constant([1, 2]),), {}), ((1,), {}),
    ((2.5,), {}), ((0.0,), {}), ((True,), {}), ((1 + 2j,), {}), (([tf.constant(1), 2],), {}), (((tf.constant(1), 2.5),), {}),
    (({"a": tf.constant(1), "b": {"c": 3}},), {}), ((Point(tf.constant(1), 2),), {}), ((), {"x": tf.constant(1)}),
    ((), {"x": 4, "y": tf.constant(2)}), ((tf.constant(1),), {"y": None}), (([],), {}), (({},), {}), ((np.array(3),), {}),
    ((tf.Variable(3),), {}), ((slice(1, 2),), {}), ((tf.float32,), {}),
]  # fmt: skip


@pytest.mark.parametrize(("args", "kwargs"), ARGUMENTS)
def test_arguments_arrive_as_they_are(args, kwargs):
    seen = []

    def f(x, y=tf.constant(7)):
        seen.append((x, y))
        return [v for v in tf.nest.flatten((x, y)) if isinstance(v, (tf.Tensor, tf.Variable))]

    traced = tf.function(f)
    expected = [value(v) for v in _tensors(f(*args, **kwargs))]
    for _ in range(4):
        found = traced(*args, **kwargs)
        if not any(isinstance(v, (np.ndarray, np.generic)) for v in tf.nest.flatten((args, kwargs))):
            assert [value(v) for v in found] == expected
    assert traced.experimental_get_tracing_count() == 1
    symbolic_x, eager_x = seen[1][0], seen[0][0]
    if not isinstance(eager_x, (np.ndarray, np.generic)):
        tf.nest.assert_same_structure(symbolic_x, eager_x)


def _tensors(values):
    return [v for v in values if isinstance(v, (tf.Tensor, tf.Variable))]


def test_values_distinguished_by_type():
    f = tf.function(lambda x: x)
    for _ in range(3):
        assert [f(v).dtype for v in (1, 1.0, True)] == [tf.int32, tf.float32, tf.bool]
    assert [np.signbit(f(v).numpy()) for v in (0.0, -0.0, 0.0)] == [False, True, False]


def test_the_callers_array_is_not_shared():
    v = tf.Variable(np.zeros(3))

    @tf.function
    def f(x):
        v.assign(x)
        return x

    for _ in range(4):
        array = np.ones(3)
        result = f(array)
        array[0] = 99
        assert value(result) == [1, 1, 1] and value(v) == [1, 1, 1]


@pytest.mark.parametrize("dtype", [">f4", ">i8", np.float16, np.uint8, bool, complex, "S2", "U2", object])
def test_arrays_of_all_kinds(dtype):
    array = np.array(["a", "b"], dtype) if dtype in ("S2", "U2", object) else np.array([1, 0], dtype)
    f = tf.function(lambda x: (x, tf.shape(x)))
    for _ in range(4):
        found = f(array)[0]
        assert found.numpy().dtype.isnative
        assert [v.decode() if isinstance(v, bytes) else v for v in value(found)] == (
            ["a", "b"] if dtype in ("S2", "U2", object) else array.tolist()
        )


def test_arguments_must_not_be_modified():
    @tf.function
    def f(x, items):
        items.append(x)
        return x

    items = [tf.constant(1)]
    with pytest.raises(ValueError, match=r"f\(x, items\) should not modify.*modified: items"):
        f(1, items)
    assert len(items) == 1


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda f: f(1), r"f\(\) missing 1 required positional argument: 'b'"),
        (lambda f: f(1, 2, 3), r"f\(\) takes 2 positional arguments but 3 were given"),
        (lambda f: f(1, 2, c=3), r"f\(\) got an unexpected keyword argument 'c'"),
        (lambda f: f(1, a=2), r"f\(\) got multiple values for argument 'a'"),
        (lambda f: f.get_concrete_function(1), r"f\(\) missing 1 required positional argument: 'b'"),
    ],
)
def test_wrong_calls_are_told_as_python_does(call, text):
    @tf.function
    def f(a, b):
        return a + b

    f.__wrapped__.__qualname__ = "f"
    with pytest.raises(TypeError, match=text) as caught:
        call(f)
    assert "test_function.py:" in str(caught.value) and "f(a, b) is defined at" in str(caught.value)


def test_unhashable_objects_are_named():
    class Slotted:
        __slots__ = ()
        __hash__ = None

    with pytest.raises(TypeError, match="argument 'x' of f.*neither hashable"):
        _named("f", lambda x: 1)(Slotted())


def _named(name, function):
    function.__name__ = name
    return tf.function(function)


def test_objects_are_held_weakly():
    class Thing:
        k = 3

    thing = Thing()
    f = tf.function(lambda t, x: x * t.k)
    assert value(f(thing, 2)) == 6 and value(f(thing, 2)) == 6 and value(f(thing, 2)) == 6
    watch = weakref.ref(thing)
    del thing
    gc.collect()
    assert watch() is None
    assert f.list_all_concrete_functions() == []
    other = Thing()
    other.k = 5
    assert value(f(other, 2)) == 10


def test_bound_methods_as_arguments_are_recognized():
    class Thing:
        def times(self, x):
            return x * 2

    thing = Thing()
    f = tf.function(lambda g, x: g(x))
    assert [value(f(thing.times, tf.constant(i))) for i in range(3)] == [0, 2, 4]
    assert f.experimental_get_tracing_count() == 1


# --- callables -------------------------------------------------------------------------------------------------------
class Callable:
    def __call__(self, x):
        return x * 2


@pytest.mark.parametrize(
    ("function", "args", "expected"),
    [
        (functools.partial(lambda x, y: x - y, 3), (1,), 2),
        (functools.partial(lambda x, y: x - y, y=3), (1,), -2),
        (Callable(), (4,), 8),
        (np.add, (1, 2), 3),
        (lambda *a, **k: a[0] + k["b"], (1,), None),
    ],
)
def test_callables(function, args, expected):
    f = tf.function(function)
    kwargs = {"b": tf.constant(5)} if expected is None else {}
    for _ in range(3):
        assert value(f(*map(tf.constant, args), **kwargs)) == (6 if expected is None else expected)


def test_wrapped_functions_show_the_parameters_of_what_they_wrap():
    def plain(function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            return function(*args, **kwargs)

        return wrapper

    def adding(function):
        @functools.wraps(function)
        def wrapper(*args):
            return function(*args, 1)

        return wrapper

    f = tf.function(plain(lambda x, y=3: x + y))
    assert [t.name for t in f.get_concrete_function(tf.constant(1), tf.constant(2)).inputs] == ["x:0", "y:0"]
    assert value(tf.function(adding(lambda x, y: x + y))(tf.constant(1))) == 2


def test_identity_of_the_function():
    @tf.function
    def f(x, y=2):
        """Adds."""

    assert (f.__name__, f.__doc__, f.name) == ("f", "Adds.", "f")
    assert tf.function(lambda x: x).__doc__ is None  # not that of all functions
    assert inspect.signature(f) == inspect.signature(f.python_function)
    assert f.__wrapped__ is f.python_function and f.__module__ == __name__


def test_not_callable():
    with pytest.raises(TypeError, match="3 is not a callable object"):
        tf.function(3)


# --- methods ---------------------------------------------------------------------------------------------------------
class Scale:
    def __init__(self, k):
        self.k = k

    @tf.function
    def run(self, x):
        """Scales."""
        return x * self.k


def test_method_of_a_temporary():
    assert value(Scale(3).run(tf.constant(2))) == 6


def test_each_instance_has_its_traces():
    two, three = Scale(2), Scale(3)
    for _ in range(4):
        assert value(two.run(tf.constant(5))) == 10 and value(three.run(tf.constant(5))) == 15
    assert two.run.experimental_get_tracing_count() == 1 and Scale.run.experimental_get_tracing_count() == 0
    assert (two.run.__name__, two.run.__doc__) == ("run", "Scales.") and two.run == two.run
    assert str(inspect.signature(two.run)) == "(x)"


def test_traces_of_a_method_die_with_the_instance():
    thing = Scale(2)
    thing.run(tf.constant(1))
    before = len(Scale.run._methods)
    del thing
    gc.collect()
    assert len(Scale.run._methods) == before - 1


def test_methods_without_weak_references():
    class Slotted:
        __slots__ = ("k",)

        @tf.function
        def run(self, x):
            return x * self.k

    thing = Slotted()
    thing.k = 4
    assert value(thing.run(tf.constant(2))) == 8


def test_wrong_calls_of_methods():
    with pytest.raises(TypeError, match=r"Scale.run\(\) missing 1 required positional argument: 'x'"):
        Scale(1).run()
    with pytest.raises(TypeError, match=r"Scale.run\(\) takes 2 positional arguments but 3 were given"):
        Scale(1).run(1, 2)


def test_properties_class_methods_static_methods_and_inheritance():
    class Base:
        factor = 2

        @property
        @tf.function
        def double(self):
            return tf.constant(self.factor) * 2

        @classmethod
        @tf.function
        def of_class(cls, x):
            return x * cls.factor

        @staticmethod
        @tf.function
        def static(x):
            return x + 1

        @tf.function
        def method(self, x):
            return x

    class Derived(Base):
        factor = 5

        @tf.function
        def method(self, x):
            return super().method(x) * self.factor

    d = Derived()
    for _ in range(3):
        assert value(d.double) == 10 and value(d.of_class(tf.constant(2))) == 10 and value(Base.of_class(2)) == 4
        assert value(d.static(1)) == 2 and value(d.method(tf.constant(3))) == 15


def test_copies():
    thing = Scale(2)
    thing.run(tf.constant(1))
    other = copy.deepcopy(thing)
    other.k = 7
    assert value(other.run(tf.constant(1))) == 7
    assert pickle.loads(pickle.dumps(thing)).k == 2
    f = tf.function(lambda x: x + 1)
    f(1)
    assert value(copy.deepcopy(f)(1)) == 2


# --- variables -------------------------------------------------------------------------------------------------------
def test_variables_on_the_first_call():
    made = []

    @tf.function
    def f(x):
        if not made:
            made.append(tf.Variable(1.0))
        return made[0].assign_add(x)

    assert [value(f(tf.constant(1.0))) for _ in range(3)] == [2.0, 3.0, 4.0]
    assert f.experimental_get_tracing_count() == 2


@pytest.mark.parametrize("declared", [False, True])
def test_initial_values_may_depend_on_arguments(declared):
    made = []
    options = {"input_signature": [tf.TensorSpec([])]} if declared else {}

    @tf.function(**options)
    def f(x):
        if not made:
            made.append(tf.Variable(x * 2.0 if x > 0.0 else x))
        return made[0] + x

    assert value(f(tf.constant(2.0))) == 6.0
    assert value(f(tf.constant(3.0))) == 7.0


def test_initial_values_without_arguments_cannot_depend_on_them():
    made = []

    @tf.function
    def f(x):
        if not made:
            made.append(tf.Variable(x * 2.0))
        return made[0] + x

    with pytest.raises(ValueError, match="without a value yet"):
        f.get_concrete_function(tf.TensorSpec([]))


def test_variables_must_be_singletons():
    @tf.function
    def f(x):
        return tf.Variable(1.0) + x

    with pytest.raises(ValueError, match="only supports singleton tf.Variables created on the first call"):
        f(1.0)

    made = []

    @tf.function
    def g(x):
        if x == 2:
            made.append(tf.Variable(1.0))
        return 1

    g(1)
    with pytest.raises(ValueError, match="Creating variables on a non-first call"):
        g(2)


# --- input_signature -------------------------------------------------------------------------------------------------
SIGNATURE = [tf.TensorSpec([None], tf.float32), {"a": tf.TensorSpec([], tf.int32)}]


def test_declared_arguments_are_converted():
    f = tf.function(lambda x, d: (x, d["a"]), input_signature=SIGNATURE)
    for args in (
        ([1.0, 2.0], {"a": 1}),
        ([1, 2], {"a": 1}),
        (np.ones(3), {"a": np.int64(1)}),
        (tf.ones([4]), {"a": 1}),
    ):
        for _ in range(3):
            x, a = f(*args)
            assert x.dtype is tf.float32 and a.dtype is tf.int32
            assert x.numpy().dtype == np.float32 and a.numpy().dtype == np.int32
            assert x.shape.as_list() == [np.shape(args[0])[0]]
    assert f.experimental_get_tracing_count() == 1


@pytest.mark.parametrize(
    ("args", "text"),
    [
        ((tf.constant([1, 2]), {"a": 1}), r"argument 'x'.*TensorSpec\(shape=\(None,\), dtype=tf.float32.*dtype int32"),
        (([[1.0]], {"a": 1}), r"argument 'x': expected TensorSpec\(shape=\(None,\).*found a tensor of shape \(1, 1\)"),
        (([1.0], [1]), r"argument 'd': expected Dict\[\['a'.*found \[1\] of type list"),
        (([1.0], {"b": 1}), r"argument 'd': expected a mapping with the keys \['a'\], found the keys \['b'\]"),
        (([1.0], {"a": "s"}), r"argument 'd'\['a'\]: expected TensorSpec.*found 's' of type str"),
        (([1.0], {"a": None}), r"argument 'd'\['a'\]: expected a tensor"),
        (([1.0],), r"missing 1 required positional argument: 'd'"),
    ],
)
def test_declared_arguments_that_do_not_fit(args, text):
    f = tf.function(lambda x, d: x, input_signature=SIGNATURE)
    with pytest.raises(TypeError, match=text) as caught:
        f(*args)
    assert "test_function.py:" in str(caught.value)


@pytest.mark.parametrize(
    ("signature", "function", "text"),
    [
        ([3], lambda x: x, r"nested sequence of TensorSpec objects, got invalid args \[3\]"),
        (3, lambda x: x, "must be either a tuple or a list"),
        ([tf.TensorSpec([])] * 2, lambda x: x, "contains 1 extra type constraints"),
        ([tf.TensorSpec([])], lambda x, y: x, "missing type constraint for y"),
        ([tf.TensorSpec([])], lambda x, *, k: x, "missing type constraint for k"),
    ],
)
def test_wrong_signatures(signature, function, text):
    with pytest.raises(TypeError, match=text):
        tf.function(function, input_signature=signature)


def test_declared_methods_and_defaults():
    class Thing:
        @tf.function(input_signature=[tf.TensorSpec([])])
        def f(self, x, y=3):
            return x * y

    assert value(Thing().f(2.0)) == 6.0 and value(Thing().f.get_concrete_function()(tf.constant(1.0))) == 3.0
    with pytest.raises(TypeError, match=r"argument 'y': expected Literal\[3\], found 4"):
        Thing().f(2.0, 4)
    assert value(tf.function(lambda *a: a, input_signature=[tf.TensorSpec([])] * 2)(1.0, 2.0)) == [1.0, 2.0]


# --- dispatch --------------------------------------------------------------------------------------------------------
def test_the_most_specific_trace_serves():
    f = tf.function(lambda x: tf.constant(-1 if x.shape[0] is None else x.shape[0]))
    f.get_concrete_function(tf.TensorSpec([None]))
    for _ in range(3):
        assert value(f(tf.ones([3]))) == -1
    f.get_concrete_function(tf.TensorSpec([None, None]))
    g = tf.function(lambda x: tf.constant(-1 if x.shape[0] is None else x.shape[0]))
    g.get_concrete_function(tf.TensorSpec([4]))
    g.get_concrete_function(tf.TensorSpec([None]))
    for _ in range(3):
        assert [value(g(tf.ones([n]))) for n in (4, 5)] == [4, -1]
    assert g.experimental_get_tracing_count() == 2


def test_many_signatures_alternate():
    f = tf.function(lambda x: x + 1)
    for _ in range(3):
        for n in range(20):
            assert value(f(tf.constant(n))) == n + 1
            assert value(f(tf.ones([n]))) == [2.0] * n
    assert f.experimental_get_tracing_count() == 21


def test_entries_never_change_the_meaning():
    f = tf.function(lambda x, n=2, **kw: x * n)
    x = tf.constant(3)
    calls = [((x,), {}, 6), ((x, 2), {}, 6), ((x,), {"n": 2}, 6), ((), {"x": x, "n": 3}, 9), ((x,), {"n": 2, "z": 1}, 6),
             ((x, 5), {}, 15), ((x,), {"n": tf.constant(4)}, 12)]  # fmt: skip
    for _ in range(5):
        for args, kwargs, expected in calls:
            assert value(f(*args, **kwargs)) == expected
    assert all(entry((tf.constant(3.0), tf.constant(1)), {}) is MISS for entry in f._traces.entries)


@pytest.mark.filterwarnings("ignore::graphrt.errors.RetracingWarning")
def test_sequences_of_other_lengths_and_keys_miss():
    f = tf.function(lambda x: tf.nest.flatten(x))
    for _ in range(4):
        assert len(f([tf.constant(1)])) == 1 and len(f([tf.constant(1), tf.constant(2)])) == 2
        assert len(f({"a": tf.constant(1)})) == 1 and len(f({"b": tf.constant(1)})) == 1
        assert f({"a": None, "b": tf.constant(1)})[0] is None
        assert len(f((tf.constant(1),))) == 1
    assert f.experimental_get_tracing_count() == 6


def test_strings():
    f = tf.function(lambda x: x)
    for _ in range(3):
        assert f(tf.constant("a")).numpy() == b"a" and f(tf.constant(["a", "b"])).numpy().tolist() == [b"a", b"b"]


def test_captured_tensors_and_defaults():
    y = tf.constant([1.0, 2.0])
    f = tf.function(lambda x, z=tf.constant(10.0): x + y + z)
    for _ in range(3):
        assert value(f(tf.constant(1.0))) == [12.0, 13.0]
    concrete = f.get_concrete_function(tf.constant(1.0))
    assert [value(t) for t in concrete.captured_inputs] == [[1.0, 2.0]]


# --- nesting ---------------------------------------------------------------------------------------------------------
def test_calls_inside_of_traces_are_nodes():
    v = tf.Variable(1.0)
    pure = tf.function(lambda x: x + 1)
    effect = tf.function(lambda x: v.assign_add(x))
    outer = tf.function(lambda x: pure(x) + effect(x) + pure(x))
    concrete = outer.get_concrete_function(tf.constant(1.0))
    types = [o.type for o in concrete.graph.get_operations()]
    assert types.count("PartitionedCall") == 2 and types.count("StatefulPartitionedCall") == 1
    assert value(outer(tf.constant(1.0))) == 6.0 and value(v) == 2.0
    assert concrete.variables == (v,)


def test_functions_defined_inside_see_symbolic_tensors():
    @tf.function
    def outer(x):
        @tf.function
        def inner(y):
            return x + y

        return inner(x) + inner(tf.constant(5))

    assert [value(outer(tf.constant(i))) for i in (1, 2)] == [8, 11]


def test_traces_that_captured_symbolic_tensors_are_not_used_elsewhere():
    class Holder:
        @tf.function
        def inner(self, y):
            return self.x + y

    holder = Holder()

    @tf.function
    def outer(x):
        holder.x = x
        return holder.inner(x)

    assert value(outer(tf.constant(1))) == 2
    assert value(outer(tf.constant([1]))) == [2]
    holder.x = tf.constant(5)
    assert value(holder.inner(tf.constant(1))) == 6


def test_recursion_over_python_values():
    @tf.function
    def factorial(n):
        return 1 if n <= 1 else n * factorial(n - 1)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert value(factorial(6)) == 720


def test_endless_recursion_is_explained():
    @tf.function
    def f(x):
        return f(x)

    with pytest.raises(RecursionError, match="calls itself with arguments of the same types"):
        f(tf.constant(1))


# --- errors ----------------------------------------------------------------------------------------------------------
class CustomError(Exception):
    pass


def test_exceptions_of_the_user_pass_as_they_are():
    raised = CustomError("mine")

    @tf.function
    def f(x):
        if x is not None:
            raise raised

    with pytest.raises(CustomError) as caught:
        f(1)
    assert caught.value is raised
    notes = "\n".join(caught.value.__notes__)
    assert notes.startswith("in user code:") and "in f  *" in notes and "raise raised" in notes
    assert any(frame.name == "f" for frame in traceback.extract_tb(raised.__traceback__))


def test_a_failed_trace_leaves_nothing_behind():
    fail = [True]

    @tf.function
    def f(x):
        if fail[0]:
            raise CustomError
        return x + 1

    for _ in range(2):
        with pytest.raises(CustomError):
            f(tf.constant(1))
    assert tf.executing_eagerly()
    fail[0] = False
    assert value(f(tf.constant(1))) == 2


def test_leaked_tensors():
    leaked = []

    @tf.function
    def f(x):
        leaked.append(x + 1)
        return x

    f(tf.constant(1.0))
    uses = [lambda: leaked[0] + 1, lambda: f(leaked[0]), lambda: tf.function(lambda: leaked[0] + 1)(),
            lambda: f.get_concrete_function(tf.constant(1.0))(leaked[0])]  # fmt: skip
    for use in uses:
        with pytest.raises(TypeError, match=r"out of scope.*made at .*test_function.py") as caught:
            use()
        assert isinstance(caught.value, tf.errors.InaccessibleTensorError)


def test_runtime_errors_name_the_line():
    @tf.function(input_signature=[tf.TensorSpec(None), tf.TensorSpec(None)])
    def f(x, y):
        return x + y  # here

    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        f(tf.ones([2]), tf.ones([3]))
    line = inspect.getsourcelines(test_runtime_errors_name_the_line)[1] + 3
    assert f"test_function.py:{line}" in str(caught.value) and "AddV2" in str(caught.value)


def test_specs_are_no_arguments():
    with pytest.raises(TypeError, match="has no value.*get_concrete_function"):
        tf.function(lambda x: x)(tf.TensorSpec([]))


# --- warnings, switches, threads -------------------------------------------------------------------------------------
def test_retracing_is_explained_once():
    f = tf.function(lambda n: n)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for i in range(12):
            f(i)
    (warning,) = caught
    assert issubclass(warning.category, tf.errors.RetracingWarning) and warning.filename == __file__
    assert "argument 'n' was Literal[3], now Literal[4]" in str(warning.message)

    g = tf.function(lambda x: x)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for i in range(12):
            g(tf.ones([i]))
    assert "had shape (3,), now (4,)" in str(caught[0].message) and "reduce_retracing" in str(caught[0].message)


def test_run_functions_eagerly():
    f = tf.function(lambda x: x.numpy() + 1)
    runs = []
    g = tf.function(lambda x: runs.append(1))
    for _ in range(3):
        g(1)
    tf.config.run_functions_eagerly(True)
    try:
        assert tf.config.functions_run_eagerly() and f(tf.constant(1)) == 2
        g(1)
        assert len(runs) == 2
    finally:
        tf.config.run_functions_eagerly(False)
    with pytest.raises(TypeError):
        f(tf.constant(1))
    with pytest.raises(TypeError):
        tf.config.run_functions_eagerly(1)


def test_threads_trace_once_and_see_their_own_results():
    count = []

    @tf.function
    def f(x):
        count.append(1)
        return x * 2

    wrong = []

    def work(i):
        for k in range(100):
            if value(f(tf.constant(float(i * k)))) != 2.0 * i * k:
                wrong.append((i, k))

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong and len(count) == 1


def test_tracing_in_one_thread_does_not_show_in_another():
    inside, eager = threading.Event(), []

    @tf.function
    def f(x):
        inside.set()
        other = threading.Thread(target=lambda: eager.append(tf.executing_eagerly()))
        other.start()
        other.join()
        return x

    f(tf.constant(1))
    assert inside.is_set() and eager == [True]


def test_init_scope_and_questions():
    @tf.function
    def f(x):
        with tf.init_scope():
            assert tf.executing_eagerly()
            y = tf.constant(5)
            assert y.numpy() == 5
        assert tf.inside_function() and not tf.executing_eagerly()
        return x + y

    assert value(f(tf.constant(1))) == 6 and not tf.inside_function()


def test_jit_compile_and_autograph_options():
    assert value(tf.function(lambda x: x + 1, jit_compile=False)(1)) == 2
    with pytest.raises(TypeError, match="Python `bool`"):
        tf.function(lambda x: 1 if x > 0 else 2, autograph=False)(tf.constant(1))
    assert value(tf.function(tf.function(lambda x: x))(3)) == 3
    assert value(tf.function(autograph=False)(lambda x: x)(3)) == 3


def test_dataclasses_that_flatten_themselves():
    @dataclasses.dataclass
    class Tagged:
        tag: str
        rows: tf.Tensor

        def __tf_flatten__(self):
            return (self.tag,), (self.rows,)

        @classmethod
        def __tf_unflatten__(cls, metadata, components):
            return cls(metadata[0], components[0])

    f = tf.function(lambda t: t.rows * (2 if t.tag == "double" else 3))
    for _ in range(3):
        assert value(f(Tagged("double", tf.constant(1)))) == 2 and value(f(Tagged("triple", tf.constant(1)))) == 3
    assert f.experimental_get_tracing_count() == 2
    concrete = f.get_concrete_function(Tagged("double", tf.constant(1)))
    assert value(concrete(Tagged("double", tf.constant(5)))) == 10
    with pytest.raises(TypeError):
        concrete(Tagged("triple", tf.constant(5)))
    assert concrete.structured_input_signature[0][0].tag == "double"
    echo = tf.function(lambda t: Tagged("new", t.rows + 1))
    result = echo(Tagged("old", tf.constant(1)))
    assert (result.tag, value(result.rows)) == ("new", 2)


@tf.function
def at_module_level(x):
    return x + 1


def test_functions_are_pickled_by_reference():
    assert pickle.loads(pickle.dumps(at_module_level)) is at_module_level
    assert copy.copy(at_module_level) is at_module_level


def test_methods_are_pickled_with_their_instance():
    assert value(pickle.loads(pickle.dumps(Scale(4).run))(tf.constant(2))) == 8


def test_threads_with_many_signatures_and_dying_objects():
    class Thing:
        pass

    f = tf.function(lambda t, x: x + 1)
    failures = []

    def work(seed):
        try:
            for i in range(60):
                thing = Thing()
                n = (seed + i) % 7
                assert value(f(thing, tf.ones([n]))) == [2.0] * n
                assert value(f(None, tf.ones([n]))) == [2.0] * n
        except BaseException as error:
            failures.append(error)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
    assert not failures
    gc.collect()
    assert len(f.list_all_concrete_functions()) == 7


def test_functions_that_call_each_other_in_two_threads():
    barrier = threading.Barrier(2, timeout=20)
    first = [True, True]

    def meet(i):
        if first[i]:
            first[i] = False
            barrier.wait()

    @tf.function
    def f(n):
        meet(0)
        return tf.constant(0) if n == 0 else g(n - 1) + 1

    @tf.function
    def g(n):
        meet(1)
        return tf.constant(0) if n == 0 else f(n - 1) + 1

    results = []
    threads = [threading.Thread(target=lambda h=h: results.append(value(h(3)))) for h in (f, g)]
    for t in threads:
        t.start()
    for t in threads:
        t.join(30)
    assert results == [3, 3]


def test_with_name_scope_keeps_the_parameters():
    class Net(tf.Module):
        @tf.function
        @tf.Module.with_name_scope
        def run(self, x):
            return x + 1

    concrete = Net().run.get_concrete_function(tf.constant(1))
    assert [o.name for o in concrete.graph.get_operations()] == ["x", "net/add/y", "net/add", "Identity"]


def test_shapes_that_a_dataset_leaves_open_are_relaxed_in_loops():
    @tf.function
    def total(dataset):
        loss = tf.constant(0)
        for x, y in dataset:
            loss += tf.abs(y - x)
        return loss

    dataset = tf.data.Dataset.from_generator(lambda: [(1, 3)] * 4, (tf.int32, tf.int32))
    assert value(total(dataset)) == 8
    assert len(total.get_concrete_function(dataset).graph.get_operations()) < 8


def test_methods_are_decorated_in_place_by_libraries():
    def doubling(method):
        @functools.wraps(method)
        def doubled(*args, **kwargs):
            return 2 * method(*args, **kwargs)

        return doubled

    class Library:
        @tf.function
        def positive(self, x):
            if x > 0:
                return x
            return -x

    Library.__dict__["positive"]._decorate(doubling)
    assert int(Library().positive(tf.constant(-3))) == 6
    f = tf.function(lambda x: x)
    f(1)
    with pytest.raises(ValueError, match="traced already"):
        f._decorate(doubling)


def test_signatures_of_methods_say_that_the_first_parameter_is_self():
    with pytest.raises(TypeError, match="must be called `self`"):

        class Other:
            @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
            def method(this, x):
                return x


@pytest.mark.filterwarnings("ignore:coroutine .* was never awaited")
def test_what_is_returned_and_is_no_tensor_is_told_with_what_to_return():
    def generator(x):
        yield x

    async def coroutine(x):
        return x

    for function, advice in (
        (
            generator,
            rf"The body of .*:{generator.__code__.co_firstlineno} runs when it is gone through.* Return a list",
        ),
        (
            coroutine,
            rf"The body of .*:{coroutine.__code__.co_firstlineno} runs when it is awaited.* leave `async` away",
        ),
        (lambda x: {1, 2}, "Return a list of its elements"),
        (lambda x: iter([x]), "Return a list of its elements"),
        (lambda x: object(), r"unsupported type \(<class 'object'>\) to a Tensor.\)\n  at "),
    ):
        with pytest.raises(TypeError, match=advice) as raised:
            tf.function(function)(tf.constant(1))
        assert str(raised.value).count("\n  at ") == 1
        assert str(raised.value).splitlines()[-2].endswith("tf.function(function)(tf.constant(1))")
