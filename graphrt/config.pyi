# Written by tests/stubs.py from graphrt/api/exports.py.
"""What there is to run on, and switches for debugging."""
from graphrt.api.config import (
    LogicalDevice as LogicalDevice, LogicalDeviceConfiguration as LogicalDeviceConfiguration,
    PhysicalDevice as PhysicalDevice, experimental as experimental,
    experimental_functions_run_eagerly as experimental_functions_run_eagerly,
    experimental_run_functions_eagerly as experimental_run_functions_eagerly,
    functions_run_eagerly as functions_run_eagerly,
    get_logical_device_configuration as get_logical_device_configuration,
    get_soft_device_placement as get_soft_device_placement, get_visible_devices as get_visible_devices,
    limits as limits, list_logical_devices as list_logical_devices, list_physical_devices as list_physical_devices,
    native as native, optimizer as optimizer, run_functions_eagerly as run_functions_eagerly,
    set_logical_device_configuration as set_logical_device_configuration,
    set_soft_device_placement as set_soft_device_placement, set_visible_devices as set_visible_devices,
    stale_captures_are_reported as stale_captures_are_reported, threading as threading,
    warn_on_stale_capture as warn_on_stale_capture
)
