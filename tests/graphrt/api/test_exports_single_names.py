"""Names that stand alone: queues, critical sections, conversions, devices, switches, graphs brought into graphs.

Covers: graphrt/resources/critical_section.py, graphrt/resources/queues.py, graphrt/tensor/device_spec.py.
"""

import pathlib
import threading

import numpy as np
import pytest

import graphrt as tf

Q = tf.queue


# --- queues ----------------------------------------------------------------------------------------------------------
def test_first_in_first_out():
    q = Q.FIFOQueue(3, [tf.int32, tf.string], [[], []])
    q.enqueue((1, "a"))
    q.enqueue_many(([2, 3], ["b", "c"]))
    assert q.size().numpy() == 3 and [v.numpy() for v in q.dequeue()] == [1, b"a"]
    assert [v.numpy().tolist() for v in q.dequeue_many(2)] == [[2, 3], [b"b", b"c"]]
    for call, error, text in (
        (lambda: q.enqueue((1,)), tf.errors.InvalidArgumentError, "2 components"), (lambda: q.enqueue(([1, 2], "a")), ValueError, "incompatible"),
        (lambda: q.enqueue_many(([1, 2], ["x"])), ValueError, "not compatible"), (lambda: q.enqueue((1.5, "a")), TypeError, "int32"),
        (lambda: Q.FIFOQueue(3, [tf.int32], shapes=[[], []]), ValueError, "same length"),
    ):  # fmt: skip
        with pytest.raises(error, match=text):
            call()
    q.enqueue((7, "z"))
    assert not q.is_closed().numpy()
    q.close()
    with pytest.raises(tf.errors.CancelledError, match="closed"):
        q.enqueue((1, "b"))
    assert [v.numpy() for v in q.dequeue_up_to(3)[:1]] == [[7]]
    for take in (q.dequeue, lambda: q.dequeue_many(2), lambda: q.dequeue_up_to(2)):
        with pytest.raises(tf.errors.OutOfRangeError, match="insufficient elements"):
            take()


def test_names_shapes_and_batches():
    n = Q.FIFOQueue(5, [tf.int32, tf.int32], names=["a", "b"], shapes=[[], []])
    n.enqueue({"a": 1, "b": 2})
    assert {k: v.numpy() for k, v in n.dequeue().items()} == {"a": 1, "b": 2}
    with pytest.raises(ValueError, match="must enqueue a dictionary"):
        n.enqueue((1, 2))
    open_one = Q.FIFOQueue(5, tf.float32)
    open_one.enqueue([1.0, 2.0])
    assert open_one.dequeue().numpy().tolist() == [1, 2]
    with pytest.raises(tf.errors.InvalidArgumentError, match="specified shapes"):
        open_one.dequeue_many(1)
    padded = Q.PaddingFIFOQueue(9, [tf.string], [[None]])
    padded.enqueue([["x"]])
    padded.enqueue([["y", "z"]])
    assert padded.dequeue_many(2).numpy().tolist() == [[b"x", b""], [b"y", b"z"]]
    ranked = Q.PriorityQueue(9, [tf.string], [[]])
    ranked.enqueue_many(([5, 1, 5], ["five", "one", "six"]))
    assert [ranked.dequeue()[1].numpy() for _ in range(3)] == [b"one", b"five", b"six"]


def test_shuffled_with_a_seed():
    def order():
        q = Q.RandomShuffleQueue(20, 0, tf.int32, [[]], seed=3)
        q.enqueue_many([list(range(10))])
        return q.dequeue_many(10).numpy().tolist()

    assert order() == order() and sorted(order()) == list(range(10)) and order() != list(range(10))


def test_queues_in_functions_and_threads():
    q = Q.FIFOQueue(2, tf.int32, [[]])

    @tf.function
    def both(x):
        q.enqueue(x)
        q.enqueue(x + 1)
        return q.dequeue(), q.size()

    assert [v.numpy() for v in both(tf.constant(5))] == [5, 1]
    assert both.get_concrete_function(tf.TensorSpec([], tf.int32)).output_shapes == (
        tf.TensorShape([]),
        tf.TensorShape([]),
    )
    q.dequeue()
    worker = threading.Thread(target=lambda: [q.enqueue(i) for i in range(50)])
    worker.start()
    assert [q.dequeue().numpy() for _ in range(50)] == list(range(50))
    worker.join()


# --- critical sections -----------------------------------------------------------------------------------------------
def test_one_thread_at_a_time():
    section, v = tf.CriticalSection(name="s"), tf.Variable(0)
    step = tf.function(lambda: section.execute(lambda: v.assign(v + 1)))

    def many():
        for _ in range(100):
            step()

    threads = [threading.Thread(target=many) for _ in range(4)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert v.numpy() == 400
    found = section.execute(lambda: {"a": v.assign_add(1), "b": 3, "c": None})
    assert found["a"].numpy() == 401 and (found["b"], found["c"], section.name) == (3, None, "s")
    with pytest.raises(ValueError, match="already running"):
        section.execute(lambda: section.execute(lambda: 1))
    with pytest.raises(ZeroDivisionError):
        section.execute(lambda: 1 / 0)
    assert section.execute(lambda: 1) == 1


# --- conversions -----------------------------------------------------------------------------------------------------
def test_registered_conversions():
    class Pair:
        def __init__(self, *values):
            self.values = values

    tf.register_tensor_conversion_function(
        Pair, lambda value, dtype=None, name=None, as_ref=False: tf.constant(value.values, dtype)
    )
    assert tf.convert_to_tensor(Pair(1, 2)).numpy().tolist() == [1, 2]
    assert (Pair(1, 2) + tf.constant(1)).numpy().tolist() == [2, 3] == (tf.constant(1) + Pair(1, 2)).numpy().tolist()
    assert tf.add(Pair(1, 2), Pair(3, 4)).numpy().tolist() == [4, 6] and tf.reduce_sum(Pair(1.5, 2.0)).numpy() == 3.5
    pair = Pair(5, 6)
    assert tf.function(lambda x: x + pair)(tf.constant(1)).numpy().tolist() == [6, 7]

    class Wrong(Pair):
        pass

    tf.register_tensor_conversion_function(Wrong, lambda value, **how: 3, priority=10)
    with pytest.raises(RuntimeError, match="returned non-Tensor: 3"):
        tf.convert_to_tensor(Wrong(1))
    tf.register_tensor_conversion_function(Wrong, lambda value, **how: NotImplemented, priority=5)
    tf.register_tensor_conversion_function((Wrong,), lambda value, **how: tf.constant(1.0), priority=7)
    assert tf.convert_to_tensor(Wrong(1)).numpy() == 1.0
    with pytest.raises(RuntimeError, match="requested = int32, actual = float32"):
        tf.convert_to_tensor(Wrong(1), tf.int32)
    for base, function in ((3, lambda v: v), (str, 3), (int, lambda v: v)):
        with pytest.raises(TypeError):
            tf.register_tensor_conversion_function(base, function)


# --- devices and switches --------------------------------------------------------------------------------------------
def test_device_specs():
    spec = tf.DeviceSpec(job="a", task=1)
    assert tf.DeviceSpec(job="ps", device_type="CPU", device_index=0).to_string() == "/job:ps/device:CPU:0"
    assert repr(tf.DeviceSpec.from_string("/job:w/task:3/GPU:1")) == (
        "<DeviceSpec(job=w, replica=None, task=3, device_type=GPU, device_index=1)>"
    )
    assert spec.replace(task=3).to_string() == "/job:a/task:3"
    assert spec.make_merged_spec(tf.DeviceSpec(task=5, replica=1)).to_string() == "/job:a/replica:1/task:5"
    assert spec == tf.DeviceSpec(job="a", task=1) and len({spec, tf.DeviceSpec(job="a", task=1)}) == 1
    with pytest.raises(ValueError, match="Unknown attribute 'foo'"):
        tf.DeviceSpec.from_string("/foo:1")
    with pytest.raises(AttributeError):
        spec.job = "b"


def test_what_is_remembered():
    config, experimental = tf.config, tf.config.experimental
    cpu = config.list_physical_devices("CPU")[0]
    assert config.get_soft_device_placement() and config.optimizer.get_jit() == ""
    config.optimizer.set_jit(True)
    assert config.optimizer.get_jit() == "autoclustering"
    config.optimizer.set_jit(False)
    before = config.optimizer.get_experimental_options()
    config.optimizer.set_experimental_options({"constant_folding": False})
    assert config.optimizer.get_experimental_options() == {**before, "constant_folding": False}
    assert (
        experimental.get_memory_info("CPU:0") == {"current": 0, "peak": 0}
        and experimental.get_device_details(cpu) == {}
    )
    assert experimental.get_device_policy() == "silent" and experimental.get_synchronous_execution()
    experimental.enable_tensor_float_32_execution(False)
    assert not experimental.tensor_float_32_execution_enabled()
    experimental.enable_tensor_float_32_execution(True)
    assert not config.get_logical_device_configuration(cpu)
    for call in (
        lambda: experimental.set_memory_growth(cpu, True),
        lambda: experimental.set_device_policy("x"),
        lambda: config.get_logical_device_configuration("gpu"),
        lambda: config.optimizer.set_jit("x"),
    ):
        with pytest.raises(ValueError):
            call()
    tf.debugging.disable_traceback_filtering()
    assert not tf.debugging.is_traceback_filtering_enabled()
    tf.debugging.enable_traceback_filtering()
    assert tf.debugging.is_traceback_filtering_enabled() and not tf.debugging.get_log_device_placement()


def test_text_bytes_and_dimensions():
    c = tf.compat
    assert (c.as_bytes("a"), c.as_bytes(b"a"), c.as_bytes(bytearray(b"q")), c.as_text(b"a"), c.as_str("a")) == (
        b"a",
        b"a",
        b"q",
        "a",
        "a",
    )
    assert (c.as_str_any(3), c.as_str_any(b"\xc3\xa9"), c.path_to_str(pathlib.PurePosixPath("/a"))) == (
        "3",
        "\u00e9",
        "/a",
    )
    assert (
        c.dimension_at_index(tf.TensorShape([2, None]), 1) is None
        and c.dimension_value(3) == 3
        and c.forward_compatible(2020, 1, 1)
    )
    assert (
        isinstance(np.float32(1), c.real_types)
        and isinstance(3, c.integral_types)
        and isinstance("x", c.bytes_or_text_types)
    )
    for call in (c.as_bytes, c.as_text):
        with pytest.raises(TypeError, match="Expected binary or unicode string, got 3"):
            call(3)
    assert tf.version.VERSION == tf.__version__ and tf.version.GRAPH_DEF_VERSION_MIN_CONSUMER == 0


# --- graphs brought into graphs --------------------------------------------------------------------------------------
def test_import_graph_def():
    traced = tf.function(lambda x, y: tf.tanh(x * 2.0) + y)
    data = traced.get_concrete_function(tf.TensorSpec([], name="x"), tf.TensorSpec([], name="y")).graph.as_graph_def()

    @tf.function
    def again(a):
        found = tf.import_graph_def(data, {"x": a, "y:0": tf.constant(3.0)}, ["Identity:0", "Tanh"], name="inner")
        assert found[1].name == "inner/Tanh"
        return found[0]

    assert again(tf.constant(1.0)).numpy() == pytest.approx(np.tanh(2.0) + 3)
    cut = tf.function(lambda a: tf.graph_util.import_graph_def(data, {"Tanh:0": a, "y:0": a}, ["Identity:0"])[0])
    assert cut(tf.constant(1.0)).numpy() == 2.0
    with tf.GradientTape() as tape:
        a = tf.constant(0.5)
        tape.watch(a)
        y = again(a)
    assert tape.gradient(y, a).numpy() == pytest.approx(2 * (1 - np.tanh(1.0) ** 2))
    for how, text in (
        ({"input_map": {"q": 1.0}}, "input_map name 'q'"),
        ({"return_elements": ["no:0"]}, "name 'no:0'"),
        ({"return_elements": ["Identity:0"]}, r"placeholders \['x', 'y'\] stand for nothing"),
    ):
        with pytest.raises(ValueError, match=text):
            tf.function(lambda: tf.import_graph_def(data, **how))()
    with pytest.raises(RuntimeError, match=r"in a tf\.function"):
        tf.import_graph_def(data)


# --- the rest --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("sizes", "blocks", "base", "paddings", "crops"), [
    ([5, 7], [2, 3], None, [[0, 1], [0, 2]], [[0, 1], [0, 2]]), ([5, 7], [2, 3], [[1, 0], [0, 2]], [[1, 0], [0, 2]], [[0, 0], [0, 0]]),
    ([4], [2], None, [[0, 0]], [[0, 0]]), ([0, 3], [2, 2], None, [[0, 0], [0, 1]], [[0, 0], [0, 1]]),
])  # fmt: skip
def test_paddings_of_blocks(sizes, blocks, base, paddings, crops):
    found = tf.required_space_to_batch_paddings(sizes, blocks, base)
    assert [t.numpy().tolist() for t in found] == [paddings, crops]
    traced = tf.function(lambda s: tf.required_space_to_batch_paddings(s, blocks, base))
    assert [t.numpy().tolist() for t in traced(tf.constant(sizes))] == [paddings, crops]
    assert traced.get_concrete_function(tf.TensorSpec([len(sizes)], tf.int32)).output_shapes[0] == [len(sizes), 2]
    for wrong in (([5, 7], [2]), ([5], [[2]]), ([5], [0])):
        with pytest.raises(ValueError):
            tf.required_space_to_batch_paddings(*wrong)


def test_names_without_effect():
    assert tf.sysconfig.get_build_info()["is_cuda_build"] is False and tf.sysconfig.get_link_flags() == []
    tf.debugging.experimental.enable_dump_debug_info("/tmp", "SHAPE")
    tf.debugging.experimental.disable_dump_debug_info()
    with pytest.raises(ValueError, match="tensor_debug_mode"):
        tf.debugging.experimental.enable_dump_debug_info("/tmp", "X")
    with tf.experimental.async_scope(), tf.experimental.function_executor_type(None):
        assert tf.matrix_square_root([[4.0, 0.0], [0.0, 9.0]]).numpy().tolist() == [[2, 0], [0, 3]]
