"""Converts modules of the standard library whole and runs CPython's own tests on them.

    python tests/stdlib_conversion.py                   prints the table
    python tests/stdlib_conversion.py textwrap heapq    for these modules only

For each module: `autograph dump MODULE`, the result loaded in the module's place, then `python -m test` for its tests.
A module whose tests fail in the original too (they need a network, a display, ...) is reported as such.
"""

from __future__ import annotations

import argparse
import importlib.machinery
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

# Module -> CPython's tests for it.
MODULES = {
    "textwrap": "test_textwrap",
    "heapq": "test_heapq",
    "fractions": "test_fractions",
    "json.decoder": "test_json",
    "json.encoder": "test_json",
    "json.scanner": "test_json",
    "difflib": "test_difflib",
    "statistics": "test_statistics",
    "_pydecimal": "test_decimal",
    "string": "test_string",
    "shlex": "test_shlex",
    "fnmatch": "test_fnmatch",
    "posixpath": "test_posixpath",
    "genericpath": "test_genericpath",
    "ntpath": "test_ntpath",
    "calendar": "test_calendar",
    "configparser": "test_configparser",
    "csv": "test_csv",
    "copy": "test_copy",
    "argparse": "test_argparse",
    "html": "test_html",
    "html.parser": "test_htmlparser",
    "base64": "test_base64",
    "_pydatetime": "test_datetime",
    "ipaddress": "test_ipaddress",
    "ast": "test_ast",
    "graphlib": "test_graphlib",
    "urllib.parse": "test_urlparse",
    "pprint": "test_pprint",
    "contextlib": "test_contextlib test_contextlib_async",
    "enum": "test_enum",
    "dataclasses": "test_dataclasses",
    "functools": "test_functools",
    "bisect": "test_bisect",
    "collections": "test_collections test_ordered_dict",
    "colorsys": "test_colorsys",
    "datetime": "test_datetime",
    "dis": "test_dis",
    "filecmp": "test_filecmp",
    "fileinput": "test_fileinput",
    "getopt": "test_getopt",
    "gettext": "test_gettext",
    "glob": "test_glob",
    "hmac": "test_hmac",
    "inspect": "test_inspect",
    "keyword": "test_keyword",
    "linecache": "test_linecache",
    "locale": "test_locale",
    "mimetypes": "test_mimetypes",
    "netrc": "test_netrc",
    "numbers": "test_abstract_numbers",
    "opcode": "test__opcode",
    "operator": "test_operator",
    "optparse": "test_optparse",
    "pathlib": "test_pathlib",
    "pickletools": "test_pickletools",
    "pkgutil": "test_pkgutil",
    "plistlib": "test_plistlib",
    "quopri": "test_quopri",
    "random": "test_random",
    "reprlib": "test_reprlib",
    "sched": "test_sched",
    "secrets": "test_secrets",
    "selectors": "test_selectors",
    "shelve": "test_shelve",
    "shutil": "test_shutil",
    "stat": "test_stat",
    "stringprep": "test_stringprep",
    "symtable": "test_symtable",
    "tabnanny": "test_tabnanny",
    "tempfile": "test_tempfile",
    "timeit": "test_timeit",
    "token": "test_tokenize",
    "tokenize": "test_tokenize",
    "traceback": "test_traceback",
    "types": "test_types",
    "typing": "test_typing",
    "uuid": "test_uuid",
    "weakref": "test_weakref test_weakset",
    "zipfile": "test_zipfile",
    "_collections_abc": "test_collections",
    "abc": "test_abc",
    "cmd": "test_cmd",
    "code": "test_code_module",
    "codeop": "test_codeop",
    "copyreg": "test_copyreg",
    "email._header_value_parser": "test_email",
    "email._parseaddr": "test_email",
    "email.feedparser": "test_email",
    "email.generator": "test_email",
    "email.header": "test_email",
    "email.message": "test_email",
    "email.policy": "test_email",
    "email.quoprimime": "test_email",
    "email.utils": "test_email",
    "gzip": "test_gzip",
    "hashlib": "test_hashlib",
    "http.cookies": "test_http_cookies",
    "mailcap": "test_mailcap",
    "pstats": "test_pstats",
    "queue": "test_queue",
    "tarfile": "test_tarfile",
    "wave": "test_wave",
    "xml.dom.minidom": "test_minidom",
    "xml.etree.ElementPath": "test_xml_etree",
    "xml.etree.ElementTree": "test_xml_etree",
}

# Tests of a module that see that it was converted, and why; by pattern of their names.
SEES_CONVERSION = {
    "_pydecimal": (r"test_inspect_module", "lists the names of the module, `ag__` among them"),
    "code": (r"test_(cause|context)_tb", "prints tracebacks where it catches exceptions"),
    "contextlib": (r"test_exit_exception_traceback", "compares source lines of its own functions"),
    "dis": (r"test_info|test_code_info|test_show_code", "disassembles its own functions"),
    "linecache": (r"test_getline|test_clearcache", "reads files beside its own"),
    "operator": (r"test___all__", "lists the names of the module, `ag__` among them"),
    "tabnanny": (r"test_\w*", "compares the path of its own file"),
    "tempfile": (r"test_exports", "lists the names of the module, `ag__` among them"),
}

# Puts the folder with the converted module before the standard library, then does what `python -m test` does.
_RUNNER = """\
import importlib, os, sys
name, folder, *tests = sys.argv[1:]
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
    assert hasattr(module, "ag__")
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
    """Writes the converted module."""
    subprocess.run(
        [sys.executable, "-m", "autograph", "dump", module, "-o", path],
        check=True, capture_output=True, text=True, env=_environment(), timeout=300,
    )


def place(module: str, folder: str) -> str:
    """Writes the converted module under `folder` such that it is found there; the rest of its package is copied."""
    spec = importlib.util.find_spec(module)
    assert spec is not None and spec.origin is not None
    origin = importlib.machinery.PathFinder.find_spec(module.partition(".")[0]).origin  # not "frozen"
    top = module.partition(".")[0]
    path = os.path.join(folder, *module.split(".")) + ".py"
    if os.path.basename(origin) == "__init__.py":
        shutil.copytree(os.path.dirname(origin), os.path.join(folder, top), ignore=shutil.ignore_patterns("__pycache__"))
        if spec.submodule_search_locations is not None:
            path = os.path.join(folder, *module.split("."), "__init__.py")
    dump(module, path)
    return path


def run_tests(module: str, folder: str, tests: list[str], workdir: str, timeout: int = 900) -> tuple[bool, str]:
    """Runs CPython's tests with what lies in `folder` (`-`: nothing) in the module's place; passed or not, and output."""
    runner = os.path.join(workdir, "runner.py")
    with open(runner, "w") as file:
        file.write(_RUNNER)
    try:
        done = subprocess.run(
            [sys.executable, runner, module, folder, "-v", *tests],
            capture_output=True, text=True, env=_environment(), timeout=timeout, cwd=workdir, stdin=subprocess.DEVNULL,
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
    originally, original_output = run_tests(module, "-", tests, workdir)
    if not originally and set() < _failures(output) <= _failures(original_output):
        return "as the original", output
    return "failed", output


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
    print(f"{'module':<16} {'tests':<34} {'result':<16} seconds")
    for module in arguments.modules or MODULES:
        tests = MODULES.get(module, f"test_{module}").split()
        start = time.perf_counter()
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            verdict, output = check(module, tests, folder)
        note = output if verdict == "sees it" else ""
        print(f"{module:<16} {' '.join(tests):<34} {verdict:<16} {time.perf_counter() - start:5.1f}  {note}", flush=True)
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
