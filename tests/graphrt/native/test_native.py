"""The native backend: programs mean what the NumPy program means, whether Numba compiles them or Python runs them.

Covers: graphrt/native/, graphrt/native/rules/, graphrt/types/native_cache.py
"""

import concurrent.futures
import gc
import os
import subprocess
import sys
import warnings
import weakref

import numpy as np
import pytest

import graphrt as tf
from graphrt import errors
from graphrt.native import NativeProgram, building, disk, region
from graphrt.native.lower import RULES, rule_of
from graphrt.native.text import Loop
from graphrt.types import native_cache
from tests import ROOT, whole
from tests.graphrt.native import random_graphs
from tests.graphrt.native.programs import CASES


def concrete_of(function, args):
    return tf.function(function).get_concrete_function(*args)


def assert_equal(wanted, found, exact=True):
    assert len(wanted) == len(found)
    for w, f in zip(wanted, found):
        assert (w.dtype, np.shape(w)) == (f.dtype, np.shape(f))
        if exact:
            np.testing.assert_array_equal(w, f)
        else:
            np.testing.assert_allclose(w, f, 2e-5, 1e-6)


def both(function, args, plain, exact=True):
    concrete = concrete_of(function, args)
    native = NativeProgram(concrete.graph, plain)
    raw = concrete.raw_inputs(args, {})
    with warnings.catch_warnings():
        warnings.simplefilter("error", errors.GraphRTWarning)  # that something could not be compiled
        assert_equal(concrete.program.function(*raw), native.function(*raw), exact)
    return native


def in_doubt(function, args, plain):
    """What the native program raises, which has to be what the NumPy program raises."""
    concrete = concrete_of(function, args)
    native = NativeProgram(concrete.graph, plain)
    assert native.regions
    raw = concrete.raw_inputs(args, {})
    with pytest.raises(errors.OpError) as wanted:
        concrete.program.function(*raw)
    with pytest.raises(type(wanted.value)) as found:
        native.function(*raw)
    assert str(found.value) == str(wanted.value)
    return str(found.value)


@pytest.fixture(autouse=True)
def unset(monkeypatch):
    """Where programs are kept is as the environment says."""
    monkeypatch.setattr(native_cache, "_set", {})


@pytest.fixture(params=["plain", "compiled"])
def plain(request, tmp_path, monkeypatch):
    if request.param == "compiled":
        pytest.importorskip("numba")
        monkeypatch.setenv("GRAPHRT_NATIVE_CACHE", "")
    return request.param == "plain"


# --- what programs mean ----------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", CASES)
def test_programs_mean_what_numpy_makes_of_them(name, plain):
    function, args = CASES[name]
    native = both(function, tuple(map(tf.constant, args())), plain)
    assert native.regions and not native.cut.refused, native.cut.refused


UNMET = {"Case", "If", "While"}  # the forms with effects, of which there is no region


@tf.function(input_signature=[tf.TensorSpec([None, 3])])
def of_any_size(x):
    rows = tf.range(tf.shape(x)[0])
    found = tf.zeros_like(x) - x, tf.ones_like(x) * x, tf.cast(rows, tf.float32) * 2.0, tf.shape(x)
    return (*found, tf.raw_ops.ClipByValue(t=x, clip_value_min=-0.5, clip_value_max=0.5))


def test_rules_for_sizes_that_are_not_known(plain):
    concrete = of_any_size.get_concrete_function()
    native = NativeProgram(concrete.graph, plain)
    for n in (4, 1, 0):
        x = np.random.default_rng(1).standard_normal((n, 3)).astype(np.float32)
        assert_equal(concrete.program.function(x), native.function(x))
    assert not native.cut.refused, native.cut.refused


def test_every_rule_is_met(monkeypatch):
    met = set()

    def noted(op, rule):
        return lambda b, node, args: (met.add(op.type), rule(b, node, args))[1]

    assert rule_of(tf.raw_ops.NoOp) is None  # all modules of rules have been asked
    for op, rule in RULES.items():
        monkeypatch.setitem(RULES, op, noted(op, rule))
    for function, args in CASES.values():
        NativeProgram(concrete_of(function, tuple(map(tf.constant, args()))).graph, True)
    NativeProgram(of_any_size.get_concrete_function().graph, True)
    assert {op.type for op in RULES} - met <= UNMET | {"TensorListLength"}


def test_small_matrix_products_are_loops(plain):
    def f(a, b):
        return a @ b, tf.matmul(b, a), tf.matmul(a, a, transpose_b=True), tf.matmul(a, a, transpose_a=True)

    rng = np.random.default_rng(1)
    args = tuple(tf.constant(rng.standard_normal(s).astype(np.float32)) for s in ((3, 5), (5, 3)))
    native = both(f, args, plain, exact=False)
    assert "matmul_matmul" not in native.source


def test_large_ones_are_numpys(plain):
    def f(a, b):
        return a @ b, tf.matmul(b, a), tf.matmul(a, a, transpose_b=True), tf.matmul(a, a, transpose_a=True)

    rng = np.random.default_rng(1)
    args = tuple(tf.constant(rng.standard_normal(s)) for s in ((30, 50), (50, 30)))
    assert "matmul_matmul_float64(" in both(f, args, plain).source


def test_sizes_that_are_not_known_before(plain):
    @tf.function(input_signature=[tf.TensorSpec([None, None]), tf.TensorSpec([None])])
    def f(x, y):
        z = x * y + tf.tanh(x)
        return z, tf.reduce_sum(z, 0), tf.reduce_mean(z, 1, keepdims=True) - z

    concrete = f.get_concrete_function()
    native = NativeProgram(concrete.graph, plain)
    assert not native.cut.refused
    rng = np.random.default_rng(1)
    for a, b in (((3, 4), (4,)), ((1, 5), (5,)), ((2, 1), (6,)), ((3, 4), (1,)), ((0, 4), (4,))):
        raw = [rng.standard_normal(s).astype(np.float32) for s in (a, b)]
        with np.errstate(all="ignore"):
            assert_equal(concrete.program.function(*raw), native.function(*raw))
    with pytest.raises(errors.InvalidArgumentError, match="broadcast|Incompatible shapes"):
        native.function(np.zeros((3, 4), np.float32), np.zeros(3, np.float32))


def test_arrays_that_lie_otherwise_in_memory(plain):
    concrete = concrete_of(lambda x, n: x * 2.0 + n, (tf.zeros([3, 4]), tf.constant(1.0)))
    native = NativeProgram(concrete.graph, plain)
    x = np.arange(12, dtype=np.float32).reshape(4, 3).T
    for given in (x, np.asfortranarray(x), np.arange(24, dtype=np.float32).reshape(3, 8)[:, ::2]):
        (found,) = native.function(given, np.array(1.0, np.float32))
        np.testing.assert_array_equal(found, given * 2 + 1)


# --- lists -----------------------------------------------------------------------------------------------------------
def test_older_versions_of_a_list_keep_their_elements(plain):
    def f(x):
        a = tf.TensorArray(tf.float32, 3, clear_after_read=False)
        a = a.unstack(x)
        b = a.write(1, 10.0)
        for i in tf.range(3):
            b = b.write(i, b.read(i) * 2.0)
        return a.stack(), b.stack()

    assert not both(f, (tf.constant([1.0, 2.0, 3.0]),), plain).cut.refused


def test_elements_that_were_never_set_are_left_to_numpy(plain):
    def f(x):
        a = tf.TensorArray(tf.float32, 4, element_shape=[2])
        for i in tf.range(2):
            a = a.write(2 * i, x)
        return a.stack()

    both(f, (tf.constant([1.0, 2.0]),), plain)


# --- errors ----------------------------------------------------------------------------------------------------------
def test_errors_are_those_of_numpy(plain):
    ints = tf.constant([4, 5, 6]), tf.constant([1, 0, 2])
    assert "Integer division by zero" in in_doubt(lambda a, b: a // b + 1, ints, plain)
    assert "[Op:FloorMod]" in in_doubt(lambda a, b: a % b + 1, ints, plain)
    text = in_doubt(lambda x, i: x[i] * x, (tf.constant([1, 2, 3]), tf.constant(3)), plain)
    assert "slice index 3 of dimension 0 out of bounds" in text
    in_doubt(lambda x, i: tf.gather(x, i) * 2.0, (tf.zeros([3]), tf.constant([0, 5])), plain)


def test_an_error_within_a_loop_names_the_line(plain):
    def f(x):
        total = 0
        for i in tf.range(5):
            total += 10 // (x - i)
        return total

    assert f"{__file__}:{f.__code__.co_firstlineno + 3}" in in_doubt(f, (tf.constant(3),), plain)


# --- what is cut -----------------------------------------------------------------------------------------------------
def test_effects_keep_their_order(plain):
    v, w = tf.Variable([1.0, 2.0]), tf.Variable(0.0)

    def f(x):
        y = x * v + 1.0
        v.assign(y * 2.0)
        z = tf.reduce_sum(v * y)
        w.assign_add(z)
        return z + w, v.read_value() * 2.0

    x = tf.constant([3.0, 4.0])
    concrete = concrete_of(f, (x,))
    native = NativeProgram(concrete.graph, plain)
    raw = concrete.raw_inputs((x,), {})
    wanted = concrete.program.function(*raw), v.numpy(), w.numpy()
    v.assign([1.0, 2.0])
    w.assign(0.0)
    found = native.function(*raw), v.numpy(), w.numpy()
    assert_equal([*wanted[0], *wanted[1:]], [*found[0], *found[1:]])
    assert native.regions


def test_what_fails_before_an_effect_prevents_it(plain):
    v = tf.Variable(0)

    def f(a, b):
        q = tf.reduce_sum(a // b)
        v.assign(5)
        r = tf.reduce_sum(a * 2)
        return q, r

    args = tf.constant([1, 2]), tf.constant([0, 1])
    concrete = concrete_of(f, args)
    with pytest.raises(errors.InvalidArgumentError, match="division by zero"):
        NativeProgram(concrete.graph, plain).program.function(*concrete.raw_inputs(args, {}))
    assert v.numpy() == 0


def test_python_functions_and_strings_stay_between_regions(plain):
    def f(x):
        y = tf.numpy_function(lambda a: a + 1, [x * 2.0 + 1.0], tf.float32)
        y = tf.ensure_shape(y, [3])
        return tf.strings.as_string(tf.reduce_sum(y * y)), tf.tanh(y) - 1.0

    x = tf.constant([1.0, 2.0, 3.0])
    concrete = concrete_of(f, (x,))
    native = NativeProgram(concrete.graph, plain)
    assert len(native.regions) >= 2
    wanted, found = (p.function(*concrete.raw_inputs((x,), {})) for p in (concrete.program, native.program))
    assert wanted[0] == found[0]
    assert_equal(wanted[1:], found[1:])


def test_a_loop_with_effects_is_cut_inside(plain):
    w = tf.Variable(np.ones((4, 3), np.float32))

    def f(x, y):
        loss = 0.0
        for _ in tf.range(10):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.square(x @ w - y))
            w.assign_sub(0.1 * tape.gradient(loss, w))
        return loss

    rng = np.random.default_rng(3)
    args = tuple(tf.constant(rng.standard_normal(s).astype(np.float32)) for s in ((8, 4), (8, 3)))
    concrete = concrete_of(f, args)
    raw = concrete.raw_inputs(args, {})
    wanted = (*concrete.program.function(*raw), w.numpy())
    w.assign(np.ones((4, 3), np.float32))
    native = NativeProgram(concrete.graph, plain)
    assert_equal(wanted, (*native.function(*raw), w.numpy()), exact=False)
    assert native.regions


def test_functions_that_are_called_are_compiled_too(plain):
    @tf.function(autograph=False)
    def inner(x):
        return tf.tanh(x) * 2.0 + x

    def f(x):
        return inner(x) + inner(x * 2.0)

    both(f, (tf.constant([1.0, 2.0]),), plain)


# --- the front -------------------------------------------------------------------------------------------------------
def test_what_is_not_compiled_is_explained_with_lines():
    def f(x):
        y = tf.cast(tf.reduce_sum(x) * 2.0, tf.complex64)
        return tf.strings.as_string(x), y

    told = tf.function(f).explain_native(tf.zeros([3]))
    assert [left.op for left in told.left] == ["Cast", "AsString"]
    assert told.left[1].location == (__file__, f.__code__.co_firstlineno + 2)
    assert "its dtype is complex64" in str(told) and f"{__file__}:" in str(told)
    assert str(tf.function(lambda x: x + 1.0).explain_native(tf.zeros([2]))).startswith("lambda: all of it is compiled")
    assert "not worth a call" in str(tf.function(lambda x: x + 1.0).explain_native(tf.constant(2.0)))


def grown(x):
    v, w = x, x[0]
    for _ in tf.range(4):
        v, w = v * w + 1.0, w * 0.5
    return v, w, x


def exchanged(x):
    v, w = x, x * 2.0
    for _ in tf.range(5):
        v, w = w, v + w
    return v, w


def of_two_names(x):
    v, w = x, x + 1.0
    for _ in tf.range(3):
        v = v * 0.5 + w
        w = v
    return v, w


def read_later(x):
    v, w = x[0], x
    for _ in tf.range(3):
        v, w = v * 0.5, w + v
    return v, w


def kept_as_a_view(x):
    v, w = x, tf.reshape(x, [-1])
    for _ in tf.range(3):
        v, w = v + tf.reshape(w, [3, 4]), tf.reshape(v, [-1])
    return v, w


def put_into_a_list(x):
    v, rows = x, []
    for _ in tf.range(3):
        v = v * 0.5 + 1.0
        rows.append(v)
    return v, tf.stack(rows)


@pytest.mark.parametrize(
    ("function", "over"),
    [(grown, 2), (exchanged, 0), (of_two_names, 0), (read_later, 1), (kept_as_a_view, 0), (put_into_a_list, 0)],
)
def test_loops_write_over_arrays_that_nobody_else_has(function, over, plain):
    x = tf.constant(np.arange(12.0, dtype=np.float32).reshape(3, 4))
    native = both(function, (x,), plain)
    assert native.source.count(".copy()") == over
    assert x.numpy().tolist() == np.arange(12.0).reshape(3, 4).tolist()


def left_at_once(x):
    n = 0
    while n < 10:
        n += 1
        if x * tf.cast(n, tf.float32) > 5.0:
            break
        x += 1.0
    return n, x


def left_by_hand(x):
    done = tf.constant(False)
    n, _, found = tf.while_loop(
        lambda n, done, x: tf.logical_and(n < 7, tf.logical_not(done)),
        lambda n, done, x: (n + 1, x > 4.0, x * 1.5),
        (0, done, x),
    )
    return n, found


@pytest.mark.parametrize(
    ("function", "breaks"),
    [(left_at_once, 2), (left_by_hand, 2), (CASES["primes"][0], 3), (CASES["collatz"][0], 1)],
)
def test_loops_end_as_soon_as_a_flag_says_so(function, breaks, plain):
    for number in (1.0, 3.0, 50.0):
        given = tf.constant(number) if function in (left_at_once, left_by_hand) else tf.constant(int(number))
        native = both(function, (given,), plain)
        assert native.source.count(" break\n") == breaks


def test_constants_without_elements(plain):
    assert "empty(0," not in both(*CASES["loop gradient"][:1], CASES["loop gradient"][1](), plain).source
    none = np.zeros((0, 3), np.float32)

    def f(x):
        return (
            none * 2.0,
            tf.transpose(none),
            tf.concat([none, x * 2.0], 0),
            tf.reduce_max(none, 0) + x,
            tf.cumsum(none),
        )

    both(f, (tf.ones([2, 3]),), plain)


def test_results_cost_their_class_no_reference():
    pytest.importorskip("numba")
    native = NativeProgram(concrete_of(lambda x: x * 2.0 + 1.0, (tf.zeros([3]),)).graph)
    x = np.arange(3, dtype=np.float32)
    (found,) = native.function(x)
    assert type(found) is np.ndarray and found.dtype is np.dtype(np.float32) and found.flags.writeable
    counts = sys.getrefcount(np.ndarray), sys.getrefcount(found.dtype)
    kept = [native.function(x)[0] for _ in range(500)]
    assert sys.getrefcount(np.ndarray) - counts[0] < 100
    assert kept[0].tolist() == [1.0, 3.0, 5.0]
    del kept, found
    assert sys.getrefcount(np.dtype(np.float32)) - counts[1] < 100


def test_the_program_is_shown():
    concrete = concrete_of(CASES["collatz"][0], (tf.constant(27),))
    assert "    while True:\n" in concrete.native_source and "# around them\ndef " in concrete.native_source


def test_without_numba_the_error_says_which_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "numba", None)
    monkeypatch.delitem(sys.modules, "graphrt.native.with_numba", raising=False)
    monkeypatch.delattr("graphrt.native.with_numba", raising=False)  # the package keeps what was imported from it
    building.numba_compiler.cache_clear()
    try:
        with pytest.raises(errors.MissingExtraError, match=r"pip install graphrt\[native\]"):
            tf.function(lambda x: x + 1, jit_compile=True)(tf.constant(1))
        assert tf.function(lambda x: x + 1, jit_compile=False)(tf.constant(1)).numpy() == 2
    finally:
        building.numba_compiler.cache_clear()


def test_jit_compile_runs_native_code(monkeypatch):
    pytest.importorskip("numba")
    monkeypatch.setenv("GRAPHRT_NATIVE_CACHE", "")
    f = tf.function(CASES["collatz"][0], jit_compile=True)
    assert [f(tf.constant(27)).numpy().item() for _ in range(4)] == [111] * 4
    found = f(tf.constant(27))
    assert found.dtype == tf.int32 and type(found.numpy()) is np.int32
    assert f(tf.constant(27, tf.int64)).numpy() == 111


def test_what_numba_cannot_compile_runs_in_numpy_with_a_warning(monkeypatch):
    def fails(source):
        raise RuntimeError("no such instruction")

    monkeypatch.setattr(region, "build", fails)
    concrete = concrete_of(lambda x: x * 2.0 + 1.0, (tf.zeros([3]),))
    native = NativeProgram(concrete.graph)
    with pytest.warns(errors.GraphRTWarning, match="could not compile it: RuntimeError: no such instruction"):
        (found,) = native.function(np.ones(3, np.float32))
    np.testing.assert_array_equal(found, [3.0, 3.0, 3.0])
    (found,) = native.function(np.zeros(3, np.float32))  # and is not tried again
    np.testing.assert_array_equal(found, [1.0, 1.0, 1.0])


def test_code_of_dropped_functions_is_freed(monkeypatch):
    pytest.importorskip("numba")
    monkeypatch.setenv("GRAPHRT_NATIVE_CACHE", "")

    def used():
        f = tf.function(lambda x: x * 7.0 + 1.0, jit_compile=True)
        f(tf.ones([3]))
        return weakref.ref(f.get_concrete_function(tf.ones([3])).native.regions[0].kernel())

    kernel = used()
    gc.collect()
    assert kernel() is None


# --- the disk --------------------------------------------------------------------------------------------------------
def test_programs_are_kept_in_private_folders_only(tmp_path, monkeypatch):
    pytest.importorskip("numba")
    folder = tmp_path / "cache"
    monkeypatch.setenv("GRAPHRT_NATIVE_CACHE", str(folder))
    f = tf.function(lambda x: x * 3.0 + 1.0, jit_compile=True)
    np.testing.assert_array_equal(f(tf.constant([1.0, 2.0])).numpy(), [4.0, 7.0])
    assert folder.stat().st_mode & 0o077 == 0
    (kept,) = folder.iterdir()
    assert kept.name.startswith("native_") and kept.stat().st_mode & 0o077 == 0

    open_folder = tmp_path / "open"
    open_folder.mkdir()
    open_folder.chmod(0o777)
    monkeypatch.setenv("GRAPHRT_NATIVE_CACHE", str(open_folder))
    g = tf.function(lambda x: x * 5.0 + 1.0, jit_compile=True)
    with pytest.warns(errors.GraphRTWarning, match="others can write to it"):
        np.testing.assert_array_equal(g(tf.constant([1.0, 2.0])).numpy(), [6.0, 11.0])
    assert not list(open_folder.iterdir())


FROM_DISK = """
import sys, numpy as np
import graphrt as tf
if len(sys.argv) > 1:
    import numba  # which has compiled nothing

@tf.function(jit_compile=True)
def f(x, n, z):
    return tf.tanh(x) * 2.0, tf.cast(x * 3.0, tf.int32) // n, z * z + 1.0

turned = np.arange(6, dtype=np.float32).reshape(2, 3).T
z = tf.constant(1 + 2j, tf.complex64)
for x in (turned[0], turned[::-2, 0], np.frombuffer(bytes(9), np.float32, offset=1)):
    print([r.numpy().tolist() for r in f(x, tf.constant(2), z)])
try:
    f(turned[0], tf.constant(0), z)
except tf.errors.InvalidArgumentError as error:
    print("division by zero" in str(error))
print("numba" in sys.modules)
import numba
assert numba.njit(lambda a: a + 1)(np.arange(2)).tolist() == [1, 2]
print([r.numpy().tolist() for r in f(turned[1], tf.constant(2), z)])
"""


def test_a_second_process_finds_machine_code_and_needs_no_numba(tmp_path):
    pytest.importorskip("numba")
    from graphrt.native import loading

    environment = {**os.environ, "GRAPHRT_NATIVE_CACHE": str(tmp_path / "kept"), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-W", "error", "-c", FROM_DISK]

    def lines(*more):
        ran = subprocess.run([*command, *more], env=environment, capture_output=True, text=True, check=True)
        return ran.stdout.splitlines()

    first, second = lines(), lines()
    assert first[-2:-1] == ["True"] and second[-2:-1] == ["False"]
    assert first[:-2] == second[:-2] and first[-1] == second[-1]
    (path,) = (tmp_path / "kept").iterdir()
    written = path.stat().st_mtime_ns
    assert lines("numba")[-2:-1] == ["True"] and path.stat().st_mtime_ns == written
    whole_file = path.read_bytes()
    key = whole_file.partition(b"\n")[0]
    loops = [Loop("vector", "tanh", "float32")]
    assert loading.loaded(path, key, loops) is not None and loading.loaded(path, key[1:], loops) is None
    cut_off, other = whole_file[:-100], whole_file.replace(b"tanh", b"tan ", 1)  # a file of another program's name
    for content in (cut_off, other, b"no code", b""):
        path.write_bytes(content)
        assert loading.loaded(path, key, loops) is None
    assert lines() == first


def test_folders_that_others_write_to_are_refused(tmp_path):
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    inner.chmod(0o700)
    assert disk.refused(inner) is None
    inner.parent.chmod(0o777)
    assert "others can write to" in disk.refused(inner)
    inner.parent.chmod(0o700)
    link = tmp_path / "link"
    link.symlink_to(inner)
    assert "no folder" in disk.refused(link)


def test_settings_say_where(monkeypatch, tmp_path):
    monkeypatch.setenv("GRAPHRT_NATIVE_CACHE", "")
    assert native_cache.cache_folder() is None
    monkeypatch.setenv("GRAPHRT_NATIVE_CACHE", "/somewhere")
    assert native_cache.cache_folder() == "/somewhere"
    monkeypatch.delenv("GRAPHRT_NATIVE_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", "/cache")
    assert native_cache.cache_folder() == "/cache/graphrt/native"
    native_cache.set_cache_folder(tmp_path)
    assert native_cache.cache_folder() == str(tmp_path)
    native_cache.set_cache_folder(None)
    assert native_cache.cache_folder() is None
    tf.config.native.set_cache_folder("/other")
    assert tf.config.native.cache_folder() == "/other"
    with pytest.raises(TypeError, match="expects a path"):
        native_cache.set_cache_folder(b"x")


# --- random programs -------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("first", whole.some(range(0, 300, 25), 3))
def test_random_programs_are_equal_in_all_ways(first):
    assert [found for seed in range(first, first + 25) if (found := random_graphs.run(seed, True))] == []


@pytest.mark.parametrize("seed", range(5))
def test_random_programs_are_equal_compiled(seed, monkeypatch):
    pytest.importorskip("numba")
    monkeypatch.setenv("GRAPHRT_NATIVE_CACHE", "")
    assert random_graphs.run(1000 + seed, False) is None


@pytest.mark.parametrize("seed", range(3))
def test_random_programs_are_equal_in_xla(seed):
    pytest.importorskip("jax")
    assert random_graphs.run(2000 + seed, True, True) is None


def test_threads_share_what_one_of_them_compiles(plain):
    concrete = concrete_of(CASES["collatz"][0], (tf.constant(27),))
    native = NativeProgram(concrete.graph, plain)
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: native.function(np.int32(27))[0], range(32)))
    assert found == [111] * 32


def test_plain_programs_warn_of_nothing():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        both(lambda x: x * x * x, (tf.constant([3e38], tf.float32),), True)
        both(lambda x: x * x * x, (tf.constant(2**30),), True)


def taken_apart(n):
    rows, found = [[] for _ in range(n)], []
    while len(rows) > 0:
        row = rows.pop()
        row.append(len(rows))
        found.append(row)
    return tf.concat(found, 0)


def test_lists_that_several_parts_use_stay_in_numpy(plain):
    concrete = concrete_of(taken_apart, [tf.constant(4)])
    found = NativeProgram(concrete.graph, plain).function(*concrete.raw_inputs([tf.constant(4)], {}))
    assert np.asarray(found[0]).tolist() == [3, 2, 1, 0]
