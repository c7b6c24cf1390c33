"""Converts modules of the standard library whole and runs CPython's own tests on them.

    python -m tests.stdlib_conversion                   prints the table
    python -m tests.stdlib_conversion textwrap heapq    for these modules only

For each module: `autograph dump MODULE`, the result loaded in the module's place, then `python -m test` for its tests.
A module whose tests fail in the original too (they need a network, a display, ...) is reported as such.
"""

from __future__ import annotations

import argparse
import ast
import importlib.machinery
import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

# Module, or package with all that is in it -> CPython's tests for it.
MODULES = {
    "abc": "test_abc",
    "aifc": "test_aifc",
    "argparse": "test_argparse",
    "ast": "test_ast",
    "asynchat": "test_asynchat",
    "asyncore": "test_asyncore",
    "asyncio": " ".join(
        f"test_asyncio.test_{name}"
        for name in (
            "base_events",
            "futures",
            "locks",
            "queues",
            "runners",
            "streams",
            "taskgroups",
            "tasks",
            "timeouts",
        )
    ),
    "base64": "test_base64",
    "bisect": "test_bisect",
    "bz2": "test_bz2",
    "calendar": "test_calendar",
    "cgi": "test_cgi",
    "cgitb": "test_cgitb",
    "chunk": "test_wave",
    "cmd": "test_cmd",
    "code": "test_code_module",
    "codeop": "test_codeop",
    "collections": "test_collections test_ordered_dict",
    "_collections_abc": "test_collections",
    "colorsys": "test_colorsys",
    "compileall": "test_compileall",
    "configparser": "test_configparser",
    "contextlib": "test_contextlib test_contextlib_async",
    "contextvars": "test_context",
    "copy": "test_copy",
    "copyreg": "test_copyreg",
    "cProfile": "test_cprofile",
    "csv": "test_csv",
    "dataclasses": "test_dataclasses",
    "datetime": "test_datetime",
    "dbm": "test_dbm test_dbm_dumb",
    "decimal": "test_decimal",
    "difflib": "test_difflib",
    "dis": "test_dis",
    "doctest": "test_doctest",
    "email": "test_email",
    "enum": "test_enum",
    "filecmp": "test_filecmp",
    "fileinput": "test_fileinput",
    "fnmatch": "test_fnmatch",
    "fractions": "test_fractions",
    "ftplib": "test_ftplib",
    "functools": "test_functools",
    "genericpath": "test_genericpath",
    "getopt": "test_getopt",
    "getpass": "test_getpass",
    "gettext": "test_gettext",
    "glob": "test_glob",
    "graphlib": "test_graphlib",
    "gzip": "test_gzip",
    "hashlib": "test_hashlib",
    "heapq": "test_heapq",
    "hmac": "test_hmac",
    "html": "test_html test_htmlparser",
    "http": "test_http_cookies test_http_cookiejar test_httplib test_httpservers",
    "imaplib": "test_imaplib",
    "imghdr": "test_imghdr",
    "importlib": "test_importlib",
    "inspect": "test_inspect",
    "ipaddress": "test_ipaddress",
    "json": "test_json",
    "keyword": "test_keyword",
    "linecache": "test_linecache",
    "locale": "test_locale",
    "logging": "test_logging",
    "lzma": "test_lzma",
    "mailbox": "test_mailbox",
    "mailcap": "test_mailcap",
    "_markupbase": "test_htmlparser",
    "mimetypes": "test_mimetypes",
    "modulefinder": "test_modulefinder",
    "netrc": "test_netrc",
    "nntplib": "test_nntplib",
    "ntpath": "test_ntpath",
    "nturl2path": "test_urllib",
    "numbers": "test_abstract_numbers",
    "opcode": "test__opcode",
    "operator": "test_operator",
    "optparse": "test_optparse",
    "pathlib": "test_pathlib",
    "pickle": "test_pickle test_pickletools",
    "pickletools": "test_pickletools",
    "pipes": "test_pipes",
    "pkgutil": "test_pkgutil",
    "platform": "test_platform",
    "plistlib": "test_plistlib",
    "poplib": "test_poplib",
    "posixpath": "test_posixpath",
    "pprint": "test_pprint",
    "profile": "test_profile",
    "pstats": "test_pstats",
    "pty": "test_pty",
    "py_compile": "test_py_compile",
    "pyclbr": "test_pyclbr",
    "_pydatetime": "test_datetime",
    "_pydecimal": "test_decimal",
    "pydoc": "test_pydoc",
    "_pyio": "test_memoryio test_io",
    "queue": "test_queue",
    "quopri": "test_quopri",
    "random": "test_random",
    "re": "test_re",
    "reprlib": "test_reprlib",
    "rlcompleter": "test_rlcompleter",
    "runpy": "test_runpy",
    "sched": "test_sched",
    "secrets": "test_secrets",
    "selectors": "test_selectors",
    "shelve": "test_shelve",
    "shlex": "test_shlex",
    "shutil": "test_shutil",
    "site": "test_site",
    "smtplib": "test_smtplib",
    "sndhdr": "test_sndhdr",
    "sqlite3": "test_sqlite3",
    "stat": "test_stat",
    "statistics": "test_statistics",
    "string": "test_string",
    "stringprep": "test_stringprep",
    "_strptime": "test_strptime test_strftime",
    "struct": "test_struct",
    "subprocess": "test_subprocess",
    "sunau": "test_sunau",
    "symtable": "test_symtable",
    "sysconfig": "test_sysconfig",
    "tabnanny": "test_tabnanny",
    "tarfile": "test_tarfile",
    "telnetlib": "test_telnetlib",
    "tempfile": "test_tempfile",
    "textwrap": "test_textwrap",
    "threading": "test_threading test_threading_local",
    "_threading_local": "test_threading_local",
    "timeit": "test_timeit",
    "token": "test_tokenize",
    "tokenize": "test_tokenize",
    "tomllib": "test_tomllib",
    "traceback": "test_traceback",
    "tty": "test_tty",
    "types": "test_types",
    "typing": "test_typing",
    "unittest": "test_unittest",
    "urllib": "test_urllib test_urllib2 test_urlparse test_urllib_response test_robotparser",
    "uu": "test_uu",
    "uuid": "test_uuid",
    "warnings": "test_warnings",
    "wave": "test_wave",
    "weakref": "test_weakref test_weakset",
    "_weakrefset": "test_weakset",
    "webbrowser": "test_webbrowser",
    "wsgiref": "test_wsgiref",
    "xdrlib": "test_xdrlib",
    "xml": "test_xml_etree test_minidom test_pulldom test_sax",
    "xmlrpc": "test_xmlrpc",
    "zipapp": "test_zipapp",
    "zipfile": "test_zipfile",
    "zoneinfo": "test_zoneinfo",
}

# Tests of a module that see that it was converted, and why; by pattern of their names.
SEES_CONVERSION = {
    "_pydecimal": (r"test_inspect_module", "lists the names of the module, `ag__` among them"),
    "cProfile": (r"test_cprofile", "profiles the very frames it runs in"),
    "code": (r"test_(cause|context)_tb", "prints tracebacks where it catches exceptions"),
    "contextlib": (r"test_exit_exception_traceback", "compares source lines of its own functions"),
    "dis": (r"test_info|test_code_info|test_show_code", "disassembles its own functions"),
    "doctest": (r"test_pdb_set_trace\w*|test_unicode", "steps through its own frames, and prints them"),
    "linecache": (r"test_getline|test_clearcache", "reads files beside its own"),
    "operator": (r"test___all__", "lists the names of the module, `ag__` among them"),
    "profile": (r"test_(calling_conventions|cprofile|run|runctx)", "profiles the very frames it runs in"),
    "pydoc": (r"test_(input_strip|not_here|badimport)", "is run as a program that does not find `autograph`"),
    "tabnanny": (r"test_\w*", "compares the path of its own file"),
    "tempfile": (r"test_exports", "lists the names of the module, `ag__` among them"),
    "tomllib": (r"test_inline_\w+_recursion_limit", "counts the frames it takes up"),
    "unittest": (
        r"testAssertRaisesRefcount|test_addFailure_filter_traceback_frames\w*",
        "counts references, compares its own source lines",
    ),
}

# Puts the folder with the converted module before the standard library, then does what `python -m test` does.
_RUNNER = """\
import importlib, os, sys
name, folder, is_converted, *tests = sys.argv[1:]
is_converted = is_converted == "yes"
import autograph.generated
if folder != "-":
    sys.path.insert(0, folder)
    sys.meta_path.sort(key=lambda finder: "PathFinder" not in str(finder))  # before the one of frozen modules
    top = name.partition(".")[0]
    for known in list(sys.modules):
        if known == top or known.startswith(top + "."):
            del sys.modules[known]
    module = importlib.import_module(name)
    assert os.path.realpath(module.__file__).startswith(os.path.realpath(folder)), module.__file__
    assert hasattr(module, "ag__") == is_converted
sys.argv = ["python -m test", *tests]
from test.libregrtest.main import main
main()
"""


def has_cpython_tests() -> bool:
    """Whether this Python comes with its own test suite (distributions often leave it out)."""
    return importlib.util.find_spec("test.libregrtest") is not None and _exists("test_textwrap")


def _exists(test: str) -> bool:
    return importlib.util.find_spec(f"test.{test}") is not None


def _environment() -> dict[str, str]:
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    path = os.pathsep.join(filter(None, (root, os.environ.get("PYTHONPATH"))))
    return {**os.environ, "PYTHONPATH": path, "PYTHONWARNINGS": "default"}


def dump(module: str, path: str) -> None:
    """Writes the converted module; a package, with all in it, below the folder `path`."""
    subprocess.run(
        [sys.executable, "-m", "autograph", "dump", module, "-o", path],
        check=True,
        capture_output=True,
        text=True,
        env=_environment(),
        timeout=600,
    )


def place(module: str, folder: str) -> None:
    """Writes the converted module under `folder` such that it is found there; the rest of its package is copied."""
    spec = importlib.util.find_spec(module)
    assert spec is not None and spec.origin is not None
    original = _copy_of_original(module, folder)
    if spec.submodule_search_locations is None:
        dump(module, os.path.join(folder, *module.split(".")) + ".py")
        return
    dump(module, folder)
    place = os.path.join(folder, *module.split("."))
    for tests in ("test", "tests"):  # which stay as they are
        if os.path.isdir(os.path.join(place, tests)):
            shutil.rmtree(os.path.join(place, tests))
            shutil.copytree(os.path.join(original, tests), os.path.join(place, tests))


def _copy_of_original(module: str, folder: str) -> str:
    """Copies the package that holds a module, or the module; returns where the module itself was copied from."""
    top, *rest = module.split(".")
    origin = importlib.machinery.PathFinder.find_spec(top).origin  # not "frozen"
    if os.path.basename(origin) != "__init__.py":
        shutil.copy(origin, folder)
        return origin
    source = os.path.dirname(origin)
    shutil.copytree(source, os.path.join(folder, top), ignore=shutil.ignore_patterns("__pycache__"))
    return os.path.join(source, *rest)


def run_tests(
    module: str, folder: str, tests: list[str], workdir: str, is_converted: bool = True, timeout: int = 900
) -> tuple[bool, str]:
    """Runs CPython's tests with what lies in `folder` (`-`: nothing) in the module's place; passed or not, and output."""
    runner = os.path.join(workdir, "runner.py")
    with open(runner, "w") as file:
        file.write(_RUNNER)
    try:
        done = subprocess.run(
            [sys.executable, runner, module, folder, "yes" if is_converted else "no", "-v", *tests],
            capture_output=True,
            text=True,
            env=_environment(),
            timeout=timeout,
            cwd=workdir,
            stdin=subprocess.DEVNULL,
            errors="backslashreplace",
        )
    except subprocess.TimeoutExpired:
        return False, "timed out"
    return done.returncode == 0, done.stdout + done.stderr


def check(module: str, tests: list[str], workdir: str) -> tuple[str, str]:
    """A verdict, and the output of what failed.

    `passed`; `failed`; `sees it`: only tests fail that look at the module's own text, frames or names; `as the original`,
    which fails too; `refused` by the converter; `no tests` in this Python.
    """
    tests = [test for test in tests if _exists(test)]
    if not tests or importlib.util.find_spec(module) is None:
        return "no tests", ""
    folder = os.path.join(workdir, "converted")
    os.mkdir(folder)
    try:
        place(module, folder)
    except subprocess.CalledProcessError as error:
        return "refused", error.stderr
    passed, output = run_tests(module, folder, tests, workdir)
    if passed:
        return "passed", output
    pattern, reason = SEES_CONVERSION.get(module, ("(?!)", ""))
    failures = _failures(output)
    if failures and all(re.match(pattern, name) for name in failures):
        return "sees it", f"{len(failures)} test(s): {reason}"
    # The same with the original in the place of the converted module, and with the original in its own place.
    failed_originally: set[str] = set()
    copied = os.path.join(workdir, "original")
    os.mkdir(copied)
    _copy_of_original(module, copied)
    for place_of_original in (copied, "-"):
        originally, original_output = run_tests(module, place_of_original, tests, workdir, is_converted=False)
        if not originally:
            failed_originally |= _failures(original_output)
            if set() < failures <= failed_originally:
                return "as the original", output
    return "failed", output


_COUNTER = """\
import sys, unittest
from test import support
support.use_resources = []
def count(suite):
    return sum(map(count, suite)) if isinstance(suite, unittest.TestSuite) else type(suite).__name__ != "_FailedTest"
print(sum(count(unittest.defaultTestLoader.loadTestsFromName("test." + name)) for name in sys.argv[1:]))
"""


def functions_in(module: str) -> int:
    """How many functions, methods and lambdas a module has, or a package with all that is in it but its tests."""
    spec = importlib.machinery.PathFinder.find_spec(module.partition(".")[0])
    if "." in module:
        spec = importlib.util.find_spec(module)
    if spec is None or spec.origin is None or not spec.origin.endswith(".py"):
        return 0
    files = [spec.origin]
    if spec.submodule_search_locations is not None:
        found = pathlib.Path(spec.origin).parent.rglob("*.py")
        files = [str(file) for file in found if not {"test", "tests"}.intersection(file.parts[-3:-1])]
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
    trees = [ast.parse(pathlib.Path(file).read_bytes()) for file in files]
    return sum(isinstance(node, kinds) for tree in trees for node in ast.walk(tree))


def tests_in(tests: list[str]) -> int:
    """How many single tests there are in test modules; those that cannot be imported here count for none."""
    names = [name for name in tests if _exists(name)]
    done = subprocess.run([sys.executable, "-c", _COUNTER, *names], capture_output=True, text=True, timeout=300)
    return int(done.stdout.split()[-1]) if done.returncode == 0 else 0


def _failures(output: str) -> set[str]:
    return set(re.findall(r"^(?:FAIL|ERROR): (\S+ .*)$", output, re.M))


def main() -> int:
    """Prints the table; the exit status is the number of modules that failed, at most 100."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("modules", nargs="*", help="default: all of the table")
    parser.add_argument("-v", "--verbose", action="store_true", help="show the output of what failed")
    arguments = parser.parse_args()
    if not has_cpython_tests():
        print("this Python comes without its own tests (`python -c 'import test'`)", file=sys.stderr)
        return 1
    failed = 0
    counts: dict[str, int] = {}
    print(f"{'module':<16} functions {'tests':<34} number {'result':<16} seconds")
    for module in arguments.modules or MODULES:
        tests = MODULES.get(module, f"test_{module}").split()
        start = time.perf_counter()
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            verdict, output = check(module, tests, folder)
        note = output if verdict == "sees it" else ""
        seconds = time.perf_counter() - start
        sizes = f"{module:<16} {functions_in(module):>9} {' '.join(tests):<34} {tests_in(tests):>6}"
        print(f"{sizes} {verdict:<16} {seconds:5.1f}  {note}", flush=True)
        counts[verdict] = counts.get(verdict, 0) + 1
        if verdict in ("failed", "refused"):
            failed += 1
            shown = output.splitlines() if arguments.verbose else sorted(_failures(output)) or output.splitlines()[-5:]
            for line in shown:
                print("    " + line)
    print(", ".join(f"{count} {verdict}" for verdict, count in counts.items()))
    return min(failed, 100)


if __name__ == "__main__":
    sys.exit(main())
