"""`tf.config`: what there is to run on, and switches for debugging."""

from __future__ import annotations

import os
from types import SimpleNamespace
from typing import Any, NamedTuple


class _Switch:
    """What calls of functions have to look at. `on` says whether there is anything, so that a call asks once."""

    __slots__ = ("numerics", "on", "run_eagerly", "stale")

    def __init__(self) -> None:
        self.on = self.run_eagerly = self.stale = self.numerics = False

    def set(self, **switches: bool) -> None:
        for name, value in switches.items():
            setattr(self, name, value)
        self.on = self.run_eagerly or self.stale or self.numerics


SWITCH = _Switch()


def run_functions_eagerly(run_eagerly: bool) -> None:
    """With True, calls of `tf.function`s run their Python code as it is: breakpoints and prints work at each call.

    >>> import graphrt as tf
    >>> tf.config.run_functions_eagerly(True)
    >>> tf.config.functions_run_eagerly()
    True
    >>> tf.config.run_functions_eagerly(False)

    Raises:
      TypeError: the argument is no bool.
    """
    if not isinstance(run_eagerly, bool):
        raise TypeError(
            f"run_functions_eagerly expects a bool, found {run_eagerly!r} of type {type(run_eagerly).__name__}"
        )
    SWITCH.set(run_eagerly=run_eagerly)


def functions_run_eagerly() -> bool:
    """Whether `run_functions_eagerly(True)` is in force."""
    return SWITCH.run_eagerly


def warn_on_stale_capture(enabled: bool = True) -> None:
    """With True, a call warns when a global or closure variable is not what it was when the trace read it.

    A trace keeps the Python values that it read. Only traces made while this is on know what they read; it is off by
    default, and costs nothing then. The warning is an `errors.StaleCaptureWarning`.

    >>> import graphrt as tf
    >>> tf.config.warn_on_stale_capture(True)
    >>> tf.config.warn_on_stale_capture(False)

    Raises:
      TypeError: the argument is no bool.
    """
    if not isinstance(enabled, bool):
        raise TypeError(f"warn_on_stale_capture expects a bool, found {enabled!r} of type {type(enabled).__name__}")
    SWITCH.set(stale=enabled)


def stale_captures_are_reported() -> bool:
    """Whether `warn_on_stale_capture(True)` is in force."""
    return SWITCH.stale


class PhysicalDevice(NamedTuple):
    """A device of the machine."""

    name: str
    device_type: str


class LogicalDevice(NamedTuple):
    """A device as programs see it."""

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
    """The devices of a type as programs see them: there is one CPU."""
    return [_LOGICAL] if device_type in (None, "CPU") else []


def get_visible_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """The devices in use: the CPU."""
    return list_physical_devices(device_type)


def set_visible_devices(devices: Any, device_type: str | None = None) -> None:
    """Checks that `devices` is or holds the CPU, or is empty for another type.

    Raises:
      ValueError: a device is unknown, or the CPU would be hidden.
    """
    given = [devices] if isinstance(devices, PhysicalDevice) else list(devices or [])
    unknown = [d for d in given if d != _CPU]
    if unknown:
        raise ValueError(f"unrecognized device: {unknown[0]!r}; there is only {_CPU!r}")
    if not given and device_type in (None, "CPU"):
        raise ValueError("the CPU cannot be hidden: it is the only device")


class _Threads:
    def __init__(self) -> None:
        self.inter, self.intra = 0, 0

    def check(self, number: Any) -> int:
        if not isinstance(number, int) or isinstance(number, bool) or number < 0:
            raise ValueError(
                f"the number of threads must be an int of 0 (decide by the machine) or more, found {number!r}"
            )
        return number

    def set_inter(self, num_threads: int) -> None:
        """Sets how many programs may run side by side; remembered, and without effect on results."""
        self.inter = self.check(num_threads)

    def set_intra(self, num_threads: int) -> None:
        """Sets how many threads one op may use; remembered, and without effect on results."""
        self.intra = self.check(num_threads)


_threads = _Threads()
threading = SimpleNamespace(
    get_inter_op_parallelism_threads=lambda: _threads.inter,
    set_inter_op_parallelism_threads=_threads.set_inter,
    get_intra_op_parallelism_threads=lambda: _threads.intra,
    set_intra_op_parallelism_threads=_threads.set_intra,
)


def _enable_op_determinism() -> None:
    """Results are deterministic always: nothing to do."""


experimental = SimpleNamespace(
    enable_op_determinism=_enable_op_determinism,
    list_physical_devices=list_physical_devices,
    list_logical_devices=list_logical_devices,
    get_visible_devices=get_visible_devices,
    set_visible_devices=set_visible_devices,
    cpu_count=os.cpu_count,
)

__all__ = [
    "LogicalDevice",
    "PhysicalDevice",
    "experimental",
    "functions_run_eagerly",
    "get_visible_devices",
    "list_logical_devices",
    "list_physical_devices",
    "run_functions_eagerly",
    "set_visible_devices",
    "stale_captures_are_reported",
    "threading",
    "warn_on_stale_capture",
]
