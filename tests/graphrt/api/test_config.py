"""tf.config and tf.autograph."""

from __future__ import annotations

import pytest

import graphrt as tf


def absolute(x):
    if x > 0:
        return x
    return -x


def test_to_code_of_plain_and_traced_functions():
    text = tf.autograph.to_code(absolute)
    assert "def tf__absolute(x):" in text and "ag__.if_stmt" in text
    assert tf.autograph.to_code(tf.function(absolute)) == text


def test_to_graph():
    twin = tf.autograph.to_graph(absolute)
    assert twin(-3) == 3
    traced = tf.function(lambda x: twin(x), autograph=False)
    assert int(traced(tf.constant(-4))) == 4


def test_do_not_convert():
    kept = tf.autograph.experimental.do_not_convert(absolute)
    with pytest.raises(TypeError, match="bool"):
        tf.function(lambda x: kept(x))(tf.constant(1))


def test_names_of_the_namespaces():
    for name in ("Feature", "do_not_convert", "set_loop_options"):
        assert hasattr(tf.autograph.experimental, name)
    for name in ("set_verbosity", "to_code", "to_graph", "trace"):
        assert callable(getattr(tf.autograph, name))


def test_trace_prints_once_a_trace(capsys):
    @tf.function
    def f(x):
        tf.autograph.trace("tracing")
        return x

    for _ in range(3):
        f(tf.constant(1))
    assert capsys.readouterr().out == "tracing\n"


def test_devices():
    (cpu,) = tf.config.list_physical_devices()
    assert (cpu.name, cpu.device_type) == ("/physical_device:CPU:0", "CPU")
    assert tf.config.list_physical_devices("GPU") == [] == tf.config.list_logical_devices("GPU")
    assert tf.config.list_logical_devices()[0].name == "/device:CPU:0"
    tf.config.set_visible_devices([], "GPU")
    tf.config.set_visible_devices(cpu)
    with pytest.raises(ValueError, match="cannot be hidden"):
        tf.config.set_visible_devices([], "CPU")
    with pytest.raises(ValueError, match="unrecognized"):
        tf.config.set_visible_devices(["gpu"])


def test_threads():
    tf.config.threading.set_inter_op_parallelism_threads(2)
    assert tf.config.threading.get_inter_op_parallelism_threads() == 2
    tf.config.threading.set_inter_op_parallelism_threads(0)
    with pytest.raises(ValueError):
        tf.config.threading.set_intra_op_parallelism_threads(-1)


def test_logical_devices_are_remembered_for_their_device():
    (cpu,) = tf.config.list_physical_devices("CPU")
    wanted = [tf.config.LogicalDeviceConfiguration()]
    try:
        tf.config.set_logical_device_configuration(cpu, wanted)
        assert tf.config.get_logical_device_configuration(cpu) == wanted
    finally:
        tf.config.set_logical_device_configuration(cpu, [])
    with pytest.raises(ValueError, match="GPU"):
        tf.config.set_logical_device_configuration(tf.config.PhysicalDevice("GPU:0", "GPU"), wanted)


def test_features_but_some():
    feature = tf.autograph.experimental.Feature
    rest = feature.all_but(feature.ASSERT_STATEMENTS)
    assert feature.ASSERT_STATEMENTS not in rest and feature.ALL not in rest and feature.LISTS in rest
    several = feature.all_but([feature.ASSERT_STATEMENTS, feature.LISTS])
    assert (
        several
        == feature.all_but(feature.ASSERT_STATEMENTS, feature.LISTS)
        == feature.all_but(exclude=(feature.LISTS, feature.ASSERT_STATEMENTS))
    )
    assert feature.LISTS not in several and feature.NAME_SCOPES in several
    with pytest.raises(TypeError, match="expected members of Feature"):
        feature.all_but("LISTS")
