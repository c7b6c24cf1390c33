"""Programs that replace built-in functions do not find themselves called by what runs between them and their calls."""

import builtins
import threading

import autograph
from autograph.backends import registry


def test_a_built_in_function_that_calls_converted_code():
    calls = []
    here = threading.get_ident()

    def program(xs, length=len):
        def measured(x):
            if threading.get_ident() == here:  # other threads' calls are theirs: pytest-xdist's reads messages
                calls.append(x)
            return length(x) if length(calls) < 50 else 0  # else it calls itself

        builtins.len = measured
        try:
            return [len(xs), max(len(x) for x in xs), sorted(xs, key=len)]
        finally:
            builtins.len = length

    before = registry.always_staging(True)
    try:
        assert autograph.convert()(program)(["a", "bcd", "ef"]) == [3, 3, ["a", "ef", "bcd"]]
    finally:
        registry.always_staging(before)
    assert len(calls) == 7
