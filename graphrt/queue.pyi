# Written by tests/stubs.py from graphrt/api/exports.py.
"""Queues between threads, and between calls of functions."""
from graphrt.resources.queues import (
    FIFOQueue as FIFOQueue, PaddingFIFOQueue as PaddingFIFOQueue, PriorityQueue as PriorityQueue,
    QueueBase as QueueBase, RandomShuffleQueue as RandomShuffleQueue
)
