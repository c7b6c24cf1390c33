"""Runs CPython's own tests of the language with every test function converted, in its converted body.

    python -m tests.language_conversion                        prints the table of docs/language_tests.md
    python -m tests.language_conversion test_scope test_with   for these test modules only

The methods of the test classes of a module are replaced by their converted twins, while the backend registry says that
anything may be staged; so what runs is the converted body, and what it calls and defines is converted, too. Compared is
which tests fail with which fail as they are.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import os
import re
import subprocess
import sys
import types
import unittest

MODULES = """
test_abc test_asyncgen test_augassign test_baseexception test_binop test_bool test_builtin test_call test_class
test_collections test_compare test_complex test_contains test_context test_contextlib test_contextlib_async test_copy
test_copyreg test_coroutines test_dataclasses test_decorators test_defaultdict test_deque test_descr test_dict
test_dictcomps test_dictviews test_dynamic test_dynamicclassattribute test_enum test_enumerate test_except_star
test_exception_group test_exception_hierarchy test_exception_variations test_exceptions test_extcall test_finalization
test_float test_format test_fractions test_frame test_fstring test_funcattrs test_functools test_gc test_generators
test_genericalias test_genericclass test_genexps test_global test_grammar test_hash test_heapq test_index test_inspect
test_int test_isinstance test_iter test_iterlen test_itertools test_keywordonlyarg test_list test_listcomps test_long
test_math test_memoryview test_metaclass test_module test_named_expressions test_numeric_tower test_opcodes test_operator
test_ordered_dict test_patma test_positional_only_arg test_pow test_print test_property test_raise test_range
test_reprlib test_richcmp test_scope test_set test_slice test_sort test_statistics test_string test_string_literals
test_subclassinit test_super test_sys test_syntax test_textwrap test_threading_local test_tokenize test_traceback
test_tuple test_type_annotations test_types test_typing test_unary test_unpack test_unpack_ex test_userdict
test_userlist test_userstring test_warnings test_weakref test_weakset test_with test_yield_from test_zipfile
""".split()

# Tests that see that they were converted, and why; by pattern of their names.
SEES_CONVERSION = {
    "test_builtin": (r"test_(filter|map)_pickle", "pickles iterators over callbacks"),
    "test_call": (r"test_vectorcall_override", "compares the identity of a tuple of arguments"),
    "test_contextlib_async": (r"test_(async_push|enter_async_context)", "looks at what an exit stack keeps"),
    "test_coroutines": (r"test_origin_tracking", "compares the lines that made a coroutine"),
    "test_descr": (
        r"test_(slots|special_method_lookup|type_lookup_mro_reference)",
        "counts all objects; wants a hint of a length asked for, and keys of classes compared once",
    ),
    "test_exception_group": (r"test_deep_\w+", "expects C code to be too deep at the limit of the original"),
    "test_exceptions": (r"test_(lineno|missing_lineno)\w+", "asks finished frames for their line"),
    "test_frame": (r"test_(clear_\w+|locals|repr|sneaky_frame_object)", "looks at variables and lines of frames"),
    "test_gc": (r"test_(bug1055820[cd]|collect_garbage|frame)", "counts the objects that its functions make"),
    "test_itertools": (
        r"test_(dropwhile|filter|filterfalse|groupby|map|starmap|takewhile)",
        "pickles iterators over callbacks",
    ),
    "test_patma": (r"test_(default_\w+|no_default|only_default_wildcard|unreachable_code)", "traces lines of `match`"),
    "test_richcmp": (r"test_recursion", "gives comparisons 25 frames"),
    "test_sys": (
        r"test_(setrecursionlimit_to_depth|current_\w+|objecttypes|refcount)",
        "walks the stack; measures frames",
    ),
    "test_traceback": (
        r"test_(comparison_params_variations|custom_format_frame|format_locals|from_exception|print|extract_stack|clear|"
        r"walk_stack|recursive_traceback_\w+)",
        "shows the variables of frames; counts frames up to the limit",
    ),
}


def convert_tests(module: types.ModuleType) -> None:
    """Puts converted twins in the place of the methods of the module's test classes."""
    import autograph

    convert = autograph.convert()
    for kind in list(vars(module).values()):
        if not (isinstance(kind, type) and issubclass(kind, unittest.TestCase) and kind.__module__ == module.__name__):
            continue
        for name, value in list(vars(kind).items()):
            wrapped = value.__func__ if isinstance(value, (staticmethod, classmethod)) else value
            if not isinstance(wrapped, types.FunctionType) or wrapped.__module__ != module.__name__ or name[:2] == "__":
                continue
            try:
                converted = convert(wrapped)
            except autograph.AutoGraphError as error:
                print(f"REFUSED: {kind.__name__}.{name}: {error}", file=sys.stderr)
            else:
                setattr(kind, name, converted if wrapped is value else type(value)(converted))


def run_here(name: str, converted: bool) -> None:
    """Runs one test module in this process, unittest's report on standard error."""
    module = importlib.import_module(f"test.{name}")
    if converted:
        import autograph
        from autograph.backends import registry

        autograph.set_strictness(None, "silent")
        convert_tests(module)
        registry.always_staging(True)
    unittest.TextTestRunner(verbosity=2).run(unittest.defaultTestLoader.loadTestsFromModule(module))


def run(name: str, converted: bool, timeout: int = 600) -> tuple[int, set[str], str]:
    """How many tests ran in a process of its own, which failed, and the report."""
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    path = os.pathsep.join(filter(None, (root, os.environ.get("PYTHONPATH"))))
    kind = "--converted" if converted else "--original"
    done = subprocess.run(
        [sys.executable, "-W", "ignore", os.path.abspath(__file__), kind, name], capture_output=True, text=True,
        errors="backslashreplace", env={**os.environ, "PYTHONPATH": path}, stdin=subprocess.DEVNULL, timeout=timeout,
    )  # fmt: skip
    ran = re.search(r"^Ran (\d+) tests?", done.stderr, re.M)
    failed = set(re.findall(r"^(?:FAIL|ERROR|REFUSED): (\S+ .*)$", done.stderr, re.M))
    return int(ran[1]) if ran else 0, failed, done.stderr


def check(name: str) -> tuple[str, int, str]:
    """A verdict (`passed`, `sees it`, `failed`, `no tests`), the number of tests, and what failed only when converted."""
    if importlib.util.find_spec(f"test.{name}") is None:
        return "no tests", 0, ""
    count, before, _ = run(name, False)
    found, after, report = run(name, True)
    new = sorted(after - before)
    if found < count:
        return "failed", found, report[-2000:]
    pattern, reason = SEES_CONVERSION.get(name, ("(?!)", ""))
    if not new:
        return ("passed" if count else "no tests"), count, ""
    if all(re.match(pattern, test) for test in new):
        return "sees it", count, f"{len(new)} test(s): {reason}"
    return "failed", count, "\n".join(new)


def main() -> int:
    """Prints the table; the exit status is the number of modules that failed, at most 100."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("modules", nargs="*", help="default: all of the table")
    parser.add_argument("--original", action="store_true", help="only run one module, as it is")
    parser.add_argument("--converted", action="store_true", help="only run one module, converted")
    arguments = parser.parse_args()
    if arguments.original or arguments.converted:
        run_here(arguments.modules[0], arguments.converted)
        return 0
    failed = total = 0
    print("| tests | number | result | note |\n|---|---|---|---|")
    for name in arguments.modules or MODULES:
        verdict, count, note = check(name)
        print(f"| `{name}` | {count} | {verdict} | {note if verdict == 'sees it' else ''} |", flush=True)
        if verdict == "failed":
            print(note, file=sys.stderr)
        failed += verdict == "failed"
        total += count
    print(f"\n{total} tests, {failed} modules with failures", file=sys.stderr)
    return min(failed, 100)


if __name__ == "__main__":
    sys.exit(main())
