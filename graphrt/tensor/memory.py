"""Memory of arrays that are gone is kept for the arrays that come next.

An allocator that gives each large array back to the operating system gets it again page by page, each of which the
system clears: for images and activations of some megabytes that costs as much as the work on them. The C library of
Linux keeps what is freed up to a threshold that follows the largest array that a process has freed so far, to which it
sets a limit of 32 MiB. So a program that frees one array of that size runs faster from then on, and one that never does
stays slow; here such an array is freed once, before work begins. No page of it is ever touched.

At most twice the threshold stays with the process; larger arrays go back at once. Where the user has set
`MALLOC_MMAP_THRESHOLD_` or `MALLOC_TRIM_THRESHOLD_`, and with other C libraries, this changes nothing.
"""

from __future__ import annotations

import contextlib

import numpy as np

__all__ = ["keep_freed_memory"]

_MOST = 32 << 20  # bytes: the greatest threshold that glibc takes over by itself
_OWN = 1 << 16  # bytes that allocators put around an array, at the most: pages and alignment


def keep_freed_memory() -> None:
    """Has the C library keep freed memory of up to 64 MiB, instead of giving it back after each step."""
    with contextlib.suppress(MemoryError):  # a process of so little memory makes no such arrays
        np.empty(_MOST - _OWN, np.uint8)
