"""Creates, converts, calls and drops many functions, and says whether memory stays flat.

    python -m tests.memory_of_conversion               100,000 functions
    python -m tests.memory_of_conversion 5000 -v       fewer, and which tables of autograph grew

Each function has a name and a text of its own, registered in `linecache` while it lives; it calls another function of
the same kind, so that calls are decided and remembered too. After a start, which fills what is bounded, the memory of
the process and the sizes of all tables of `autograph` are compared with those at the end. The exit status is 1 if
either grew.
"""

from __future__ import annotations

import argparse
import gc
import linecache
import sys
import time
from types import ModuleType

import autograph

TEXT = """\
def function_{n}(x, flag=True):
    total = {n}
    while x > 0:
        if flag:
            total += helper_{n}(x)
        x -= 1
    return total

def helper_{n}(x):
    return [i for i in range(x + 9) if i != {n}][-1] if x > {n} else x
"""
# Growth of the resident memory, per function, that counts as a leak: one small object weighs about 60 bytes.
BYTES_PER_FUNCTION = 100


class Staged:
    """A type that is staged, so that converted code asks of every value whether it is."""


class Backend(autograph.backends.StagingBackend):
    """Stages nothing that this program makes."""

    name = "memory"
    staged_types = (Staged,)


def one(n: int) -> None:
    """Creates, converts, calls and drops one function."""
    text, filename = TEXT.format(n=n), f"<generated {n}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    namespace: dict[str, object] = {"__name__": "generated"}
    exec(compile(text, filename, "exec"), namespace)
    function = namespace[f"function_{n}"]
    expected = function(3)  # type: ignore[operator]
    converted = autograph.convert()(function)
    assert converted(3) == expected
    assert autograph.to_graph(function) is not function  # type: ignore[arg-type]
    del linecache.cache[filename]
    namespace.clear()


def tables() -> dict[str, int]:
    """The sizes of all containers that modules of `autograph` hold."""
    found: dict[str, int] = {}
    for name, module in sorted(sys.modules.items()):
        if name.partition(".")[0] != "autograph" or not isinstance(module, ModuleType):
            continue
        for key, value in list(vars(module).items()):
            if key.startswith("__"):
                continue
            size = _size(value)
            if size is not None:
                found[f"{name}.{key}"] = size
    return found


def _size(value: object) -> int | None:
    if isinstance(value, type):
        return None
    if hasattr(value, "cache_info"):
        return int(value.cache_info().currsize)
    if isinstance(value, dict):
        return len(value) + sum(len(inner) for inner in value.values() if isinstance(inner, (dict, set, list)))
    try:
        return len(value)  # type: ignore[arg-type]
    except TypeError:
        return None


def resident() -> int:
    """Bytes of memory that the process holds; 0 where that cannot be known."""
    try:
        with open("/proc/self/statm") as file:
            pages = int(file.read().split()[1])
    except OSError:
        return 0
    import resource

    return pages * resource.getpagesize()


def measure(count: int, start: int) -> tuple[int, dict[str, int]]:
    """Growth of memory in bytes, and of each table that grew, over `count` functions after `start` of them."""
    backend = autograph.backends.register_backend(Backend())
    for n in range(start):
        one(n)
    gc.collect()
    memory, sizes = resident(), tables()
    for n in range(start, start + count):
        one(n)
    gc.collect()
    grown = {name: size - sizes.get(name, 0) for name, size in tables().items() if size > sizes.get(name, 0)}
    grown_memory = resident() - memory
    autograph.backends.unregister_backend(backend)
    return grown_memory, grown


def main() -> int:
    """Prints what grew."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("count", nargs="?", type=int, default=100_000)
    parser.add_argument("-v", "--verbose", action="store_true")
    arguments = parser.parse_args()
    begin = time.perf_counter()
    start = min(2000, arguments.count)
    memory, grown = measure(arguments.count, start)
    per_function = memory / arguments.count
    print(
        f"{arguments.count} functions converted in {time.perf_counter() - begin:.0f} s; memory grew by "
        f"{memory / 2**20:.1f} MiB, {per_function:.0f} bytes for each"
    )
    for name, size in sorted(grown.items()):
        if arguments.verbose or size > 100:
            print(f"  {name} grew by {size}")
    return int(per_function > BYTES_PER_FUNCTION or any(size > 100 for size in grown.values()))


if __name__ == "__main__":
    sys.exit(main())
