"""CPython's own tests of the language pass when they are converted."""

import pytest

from tests import language_conversion, stdlib_conversion, whole

pytestmark = pytest.mark.skipif(
    not stdlib_conversion.has_cpython_tests(), reason="this Python comes without its own tests (module `test`)"
)


@pytest.mark.parametrize(
    "name", whole.some(["test_scope", "test_with", "test_super", "test_keywordonlyarg", "test_yield_from"], 2)
)
def test_tests_of_the_language_pass_converted(name):
    verdict, count, note = language_conversion.check(name)
    assert verdict == "passed" and count > 10, note


def test_a_test_that_fails_when_converted_is_found(monkeypatch):
    monkeypatch.setattr(language_conversion, "SEES_CONVERSION", {})
    verdict, _, note = language_conversion.check("test_call")
    assert verdict == "failed" and "test_vectorcall_override" in note
