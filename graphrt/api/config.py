"""`tf.config`: what there is to run on, and switches for debugging."""

from __future__ import annotations

import os
from types import SimpleNamespace
from typing import Any, NamedTuple

from graphrt.function.switches import (
    functions_run_eagerly,
    run_functions_eagerly,
    stale_captures_are_reported,
    warn_on_stale_capture,
)
from graphrt.ops.support import threads
from graphrt.types.limits import limits
from graphrt.types.native_cache import cache_folder, is_automatic, set_automatic, set_cache_folder
from graphrt.types.nesting import shown


class PhysicalDevice(NamedTuple):
    """A device of the machine.

    >>> import graphrt as tf
    >>> tf.config.PhysicalDevice("/physical_device:CPU:0", "CPU")
    PhysicalDevice(name='/physical_device:CPU:0', device_type='CPU')
    """

    name: str
    device_type: str


class LogicalDevice(NamedTuple):
    """A device as programs see it.

    >>> import graphrt as tf
    >>> tf.config.LogicalDevice("/device:CPU:0", "CPU")
    LogicalDevice(name='/device:CPU:0', device_type='CPU')
    """

    name: str
    device_type: str


_CPU = PhysicalDevice("/physical_device:CPU:0", "CPU")
_LOGICAL = LogicalDevice("/device:CPU:0", "CPU")


def list_physical_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """The devices of a type (all when None): there is one CPU.

    >>> import graphrt as tf
    >>> tf.config.list_physical_devices()
    [PhysicalDevice(name='/physical_device:CPU:0', device_type='CPU')]
    >>> tf.config.list_physical_devices("GPU")
    []
    """
    return [_CPU] if device_type in (None, "CPU") else []


def list_logical_devices(device_type: str | None = None) -> list[LogicalDevice]:
    """The devices of a type as programs see them: there is one CPU.

    >>> import graphrt as tf
    >>> tf.config.list_logical_devices("CPU")
    [LogicalDevice(name='/device:CPU:0', device_type='CPU')]
    >>> tf.config.list_logical_devices("GPU")
    []
    """
    return [_LOGICAL] if device_type in (None, "CPU") else []


def get_visible_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """The devices in use: the CPU.

    >>> import graphrt as tf
    >>> tf.config.get_visible_devices("CPU")
    [PhysicalDevice(name='/physical_device:CPU:0', device_type='CPU')]
    """
    return list_physical_devices(device_type)


def set_visible_devices(devices: Any, device_type: str | None = None) -> None:
    """Checks that `devices` is or holds the CPU, or is empty for another type.

    >>> import graphrt as tf
    >>> tf.config.set_visible_devices([], "GPU")

    Raises:
      ValueError: a device is unknown, or the CPU would be hidden.
    """
    given = [devices] if isinstance(devices, PhysicalDevice) else list(devices or [])
    unknown = [d for d in given if d != _CPU]
    if unknown:
        raise ValueError(f"unrecognized device: {shown(unknown[0])}; there is only {_CPU!r}")
    if not given and device_type in (None, "CPU"):
        raise ValueError("the CPU cannot be hidden: it is the only device")


def _thread_count(number: Any) -> int:
    if not isinstance(number, int) or isinstance(number, bool) or number < 0:
        raise ValueError(f"the number of threads must be an int of 0 (decide by the machine) or more, found {number!r}")
    return number


def _get_inter() -> int:
    """How many nodes of a program may run side by side; 0 leaves it to the machine.

    >>> import graphrt as tf
    >>> tf.config.threading.get_inter_op_parallelism_threads()
    0
    """
    return threads.INTER.chosen


def _set_inter(num_threads: int) -> None:
    """Sets how many nodes of a program may run side by side; without effect on results.

    Raises:
      ValueError: the number is no int of 0 or more.

    >>> import graphrt as tf
    >>> tf.config.threading.set_inter_op_parallelism_threads(0)
    """
    threads.INTER.chosen = _thread_count(num_threads)


def _get_intra() -> int:
    """How many threads the work on one large array may use; 0 leaves it to the machine.

    >>> import graphrt as tf
    >>> tf.config.threading.get_intra_op_parallelism_threads()
    0
    """
    return threads.INTRA.chosen


def _set_intra(num_threads: int) -> None:
    """Sets how many threads the work on one large array may use; without effect on results.

    Raises:
      ValueError: the number is no int of 0 or more.

    >>> import graphrt as tf
    >>> tf.config.threading.set_intra_op_parallelism_threads(0)
    """
    threads.INTRA.chosen = _thread_count(num_threads)


threading = SimpleNamespace(
    get_inter_op_parallelism_threads=_get_inter,
    set_inter_op_parallelism_threads=_set_inter,
    get_intra_op_parallelism_threads=_get_intra,
    set_intra_op_parallelism_threads=_set_intra,
)


# --- what is remembered, and changes nothing on one CPU --------------------------------------------------------------
class LogicalDeviceConfiguration(NamedTuple):
    """How much of a device a program may use; there is nothing to divide here.

    >>> import graphrt as tf
    >>> tf.config.LogicalDeviceConfiguration(memory_limit=1024).memory_limit
    1024
    """

    memory_limit: int | None = None
    experimental_priority: int | None = None
    experimental_device_ordinal: int | None = None


class _Remembered:
    """Options that programs set and ask for again."""

    def __init__(self) -> None:
        self.soft_placement = True
        self.optimizer: dict[str, Any] = {"disable_model_pruning": False, "disable_meta_optimizer": False}
        self.policy = "silent"
        self.synchronous = True
        self.tf32 = True
        self.logical: dict[str, Any] = {}
        self.log_placement = False


_remembered = _Remembered()
_POLICIES = ("silent", "silent_for_int32", "warn", "explicit")


def get_soft_device_placement() -> bool:
    """Whether an op may run elsewhere than it was told to; all run on the CPU.

    >>> import graphrt as tf
    >>> tf.config.get_soft_device_placement()
    True
    """
    return _remembered.soft_placement


def set_soft_device_placement(enabled: bool) -> None:
    """Sets what `get_soft_device_placement` gives.

    >>> import graphrt as tf
    >>> tf.config.set_soft_device_placement(True)
    >>> tf.config.get_soft_device_placement()
    True
    """
    _remembered.soft_placement = bool(enabled)


def _known(device: PhysicalDevice | str) -> None:
    if device not in (_CPU, _LOGICAL):
        raise ValueError(f"Unrecognized device: {device!r}; there is only {_CPU!r}")


def get_logical_device_configuration(device: PhysicalDevice) -> list[LogicalDeviceConfiguration] | None:
    """What `set_logical_device_configuration` set, or None.

    >>> import graphrt as tf
    >>> cpu = tf.config.list_physical_devices("CPU")[0]
    >>> tf.config.get_logical_device_configuration(cpu) is None
    True

    Raises:
      ValueError: there is no such device.
    """
    _known(device)
    return _remembered.logical.get(device.name)


def set_logical_device_configuration(device: PhysicalDevice, logical_devices: Any) -> None:
    """Remembers how a device is to be divided; the CPU stays one device.

    >>> import graphrt as tf
    >>> cpu = tf.config.list_physical_devices("CPU")[0]
    >>> tf.config.get_logical_device_configuration(cpu) is None
    True

    Raises:
      ValueError: there is no such device.
    """
    _known(device)
    _remembered.logical[device.name] = list(logical_devices)


def experimental_functions_run_eagerly() -> bool:
    """The older name of `functions_run_eagerly`.

    >>> import graphrt as tf
    >>> tf.config.experimental_functions_run_eagerly()
    False
    """
    return functions_run_eagerly()


def experimental_run_functions_eagerly(run_eagerly: bool) -> None:
    """The older name of `run_functions_eagerly`.

    >>> import graphrt as tf
    >>> tf.config.experimental_run_functions_eagerly(True)
    >>> tf.function(tf.executing_eagerly)()
    True
    >>> tf.config.experimental_run_functions_eagerly(False)
    """
    run_functions_eagerly(run_eagerly)


def _set_jit(enabled: bool | str) -> None:
    """Whether functions that say nothing of `jit_compile` are as if they said "auto": see `docs/native.md`.

    That is so for traces that have not run yet, and changes nothing where the extra `[native]` is not installed.

    >>> import graphrt as tf
    >>> tf.config.optimizer.set_jit(False)

    Raises:
      ValueError: the argument is no bool and not 'autoclustering'.
    """
    if not isinstance(enabled, bool) and enabled not in ("autoclustering", ""):
        raise ValueError(f"jit must be True, False or 'autoclustering', found {shown(enabled)}")
    set_automatic(bool(enabled))


_OPTIONS = (  # in the order in which TensorFlow tells them
    "layout_optimizer", "constant_folding", "shape_optimization", "remapping", "arithmetic_optimization",
    "dependency_optimization", "loop_optimization", "function_optimization", "debug_stripper", "disable_model_pruning",
    "scoped_allocator_optimization", "pin_to_host_optimization", "implementation_selector", "auto_mixed_precision",
    "disable_meta_optimizer", "min_graph_nodes",
)  # fmt: skip


def _set_options(options: dict[str, Any]) -> None:
    """Remembers options of an optimizer of graphs; the passes here need none.

    >>> import graphrt as tf
    >>> tf.config.optimizer.set_experimental_options({"constant_folding": True})
    >>> tf.config.optimizer.get_experimental_options()["constant_folding"]
    True
    """
    known = {**_remembered.optimizer, **options}
    _remembered.optimizer = {k: known[k] for k in [*_OPTIONS, *known] if k in known}


def _get_jit() -> str:
    """What `set_jit` was told: 'autoclustering', or nothing.

    >>> import graphrt as tf
    >>> tf.config.optimizer.get_jit()
    ''
    """
    return "autoclustering" if is_automatic() else ""


def _get_options() -> dict[str, Any]:
    """The options that were set.

    >>> import graphrt as tf
    >>> isinstance(tf.config.optimizer.get_experimental_options(), dict)
    True
    """
    return dict(_remembered.optimizer)


native = SimpleNamespace(cache_folder=cache_folder, set_cache_folder=set_cache_folder)
optimizer = SimpleNamespace(
    get_jit=_get_jit,
    set_jit=_set_jit,
    get_experimental_options=_get_options,
    set_experimental_options=_set_options,
)


def _enable_op_determinism() -> None:
    """Results are deterministic always: nothing to do.

    >>> import graphrt as tf
    >>> tf.config.experimental.enable_op_determinism()
    """


def _nothing(*args: object, **kwargs: object) -> None:
    """Nothing to do on one CPU.

    >>> import graphrt as tf
    >>> tf.config.experimental.enable_mlir_bridge()
    """


def _device_details(device: Any) -> dict[str, Any]:
    """Nothing is told of a CPU.

    >>> import graphrt as tf
    >>> tf.config.experimental.get_device_details(tf.config.list_physical_devices("CPU")[0])
    {}
    """
    _known(device)
    return {}


def _memory_growth(device: Any) -> Any:
    """Raises ValueError: memory grows on demand on a CPU, and nothing can be set.

    >>> import graphrt as tf
    >>> tf.config.experimental.get_memory_growth(tf.config.list_physical_devices("CPU")[0])
    Traceback (most recent call last):
    ValueError: Cannot set memory growth on non-GPU and non-Pluggable devices
    """
    _known(device)
    raise ValueError("Cannot set memory growth on non-GPU and non-Pluggable devices")


def _memory_info(device: str) -> dict[str, int]:
    """The bytes in use are not counted here: zeros, as TensorFlow gives for a CPU.

    >>> import graphrt as tf
    >>> tf.config.experimental.get_memory_info("CPU:0")
    {'current': 0, 'peak': 0}
    """
    if "CPU" not in device.upper():
        raise ValueError(f"Failed parsing device name: {device!r}; there is only CPU:0")
    return {"current": 0, "peak": 0}


def _set_policy(device_policy: str | None) -> None:
    """Remembers what happens when an op's inputs are on another device; there is one device.

    >>> import graphrt as tf
    >>> tf.config.experimental.set_device_policy("silent")

    Raises:
      ValueError: there is no such policy.
    """
    if device_policy is not None and device_policy not in _POLICIES:
        raise ValueError(f"Invalid argument `device_policy`: {device_policy!r}. It is one of {', '.join(_POLICIES)}.")
    _remembered.policy = device_policy or "silent"


def _enable_tf32(enabled: bool) -> None:
    """Remembers whether products of matrices may round to TensorFloat-32; they never do here.

    >>> import graphrt as tf
    >>> tf.config.experimental.enable_tensor_float_32_execution(True)
    """
    _remembered.tf32 = bool(enabled)


def _tf32_enabled() -> bool:
    """What `enable_tensor_float_32_execution` was told.

    >>> import graphrt as tf
    >>> tf.config.experimental.tensor_float_32_execution_enabled()
    True
    """
    return _remembered.tf32


def _set_synchronous(enable: bool) -> None:
    """Remembers whether ops are to finish before the next begins; they always do here.

    >>> import graphrt as tf
    >>> tf.config.experimental.set_synchronous_execution(True)
    """
    _remembered.synchronous = bool(enable)


def _get_synchronous() -> bool:
    """What `set_synchronous_execution` was told.

    >>> import graphrt as tf
    >>> tf.config.experimental.get_synchronous_execution()
    True
    """
    return _remembered.synchronous


def _get_policy() -> str:
    """What `set_device_policy` was told.

    >>> import graphrt as tf
    >>> tf.config.experimental.get_device_policy()
    'silent'
    """
    return _remembered.policy


def _memory_usage(device: str) -> int:
    """The bytes in use, which are not counted: 0.

    >>> import graphrt as tf
    >>> tf.config.experimental.get_memory_usage("CPU:0")
    0
    """
    return _memory_info(device)["current"]


def _reset_memory(device: str) -> None:
    """Nothing is counted, so there is nothing to reset.

    >>> import graphrt as tf
    >>> tf.config.experimental.reset_memory_stats("CPU:0")
    """
    _memory_info(device)


def _set_memory_growth(device: Any, enable: bool) -> None:
    """Raises ValueError: memory grows on demand on a CPU.

    >>> import graphrt as tf
    >>> tf.config.experimental.set_memory_growth(tf.config.list_physical_devices("CPU")[0], True)
    Traceback (most recent call last):
    ValueError: Cannot set memory growth on non-GPU and non-Pluggable devices
    """
    _memory_growth(device)


class ClusterDeviceFilters:
    """Which devices the jobs of a cluster see; there is one process here.

    >>> import graphrt as tf
    >>> tf.config.experimental.ClusterDeviceFilters().set_device_filters("worker", 0, ["/job:ps"])
    """

    def __init__(self) -> None:
        self._filters: dict[tuple[str, int], list[str]] = {}

    def set_device_filters(self, job_name: str, task_index: int, device_filters: Any) -> None:
        """Remembers the filters of a task."""
        self._filters[job_name, task_index] = list(device_filters)


experimental = SimpleNamespace(
    ClusterDeviceFilters=ClusterDeviceFilters,
    VirtualDeviceConfiguration=LogicalDeviceConfiguration,
    cpu_count=os.cpu_count,
    disable_mlir_bridge=_nothing,
    enable_mlir_bridge=_nothing,
    enable_op_determinism=_enable_op_determinism,
    enable_tensor_float_32_execution=_enable_tf32,
    get_device_details=_device_details,
    get_device_policy=_get_policy,
    get_memory_growth=_memory_growth,
    get_memory_info=_memory_info,
    get_memory_usage=_memory_usage,
    get_synchronous_execution=_get_synchronous,
    get_virtual_device_configuration=get_logical_device_configuration,
    get_visible_devices=get_visible_devices,
    list_logical_devices=list_logical_devices,
    list_physical_devices=list_physical_devices,
    reset_memory_stats=_reset_memory,
    set_device_policy=_set_policy,
    set_memory_growth=_set_memory_growth,
    set_synchronous_execution=_set_synchronous,
    set_virtual_device_configuration=set_logical_device_configuration,
    set_visible_devices=set_visible_devices,
    tensor_float_32_execution_enabled=_tf32_enabled,
)

__all__ = [
    "LogicalDevice",
    "LogicalDeviceConfiguration",
    "PhysicalDevice",
    "experimental",
    "experimental_functions_run_eagerly",
    "experimental_run_functions_eagerly",
    "functions_run_eagerly",
    "get_logical_device_configuration",
    "get_soft_device_placement",
    "get_visible_devices",
    "limits",
    "list_logical_devices",
    "list_physical_devices",
    "native",
    "optimizer",
    "run_functions_eagerly",
    "set_logical_device_configuration",
    "set_soft_device_placement",
    "set_visible_devices",
    "stale_captures_are_reported",
    "threading",
    "warn_on_stale_capture",
]
