"""Converted modules of the standard library pass CPython's own tests."""

import pytest

from tests import stdlib_conversion, whole

pytestmark = pytest.mark.skipif(
    not stdlib_conversion.has_cpython_tests(), reason="this Python comes without its own tests (module `test`)"
)


@pytest.mark.parametrize("module", whole.some(["textwrap", "heapq", "fractions", "json", "difflib"], 2))
def test_dump_passes_cpythons_tests(module, tmp_path):
    verdict, output = stdlib_conversion.check(module, stdlib_conversion.MODULES[module].split(), str(tmp_path))
    assert verdict == "passed", output[-3000:]


@whole.only
@pytest.mark.parametrize(
    "module", ["string", "shlex", "fnmatch", "csv", "html", "base64", "graphlib", "copy", "statistics"]
)
def test_more_modules(module, tmp_path):
    verdict, output = stdlib_conversion.check(module, stdlib_conversion.MODULES[module].split(), str(tmp_path))
    assert verdict in ("passed", "as the original", "no tests"), output[-3000:]
