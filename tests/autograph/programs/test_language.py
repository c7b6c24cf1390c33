"""CPython's own tests of the language pass when they are converted."""

import pytest

from tests import language_conversion, stdlib_conversion, whole

pytestmark = pytest.mark.skipif(
    not stdlib_conversion.has_cpython_tests(), reason="this Python comes without its own tests (module `test`)"
)


QUICK = """test_scope test_with test_super test_keywordonlyarg test_yield_from test_augassign test_binop test_dict test_list
test_iter test_dataclasses test_contextlib_async test_descr test_except_star test_richcmp test_generators""".split()


@pytest.mark.parametrize("name", whole.some(QUICK, 6))
def test_tests_of_the_language_pass_converted(name):
    verdict, count, note = language_conversion.check(name)
    assert verdict in ("passed", "sees it") and count > 5, note


def test_a_test_that_fails_when_converted_is_found(monkeypatch):
    monkeypatch.setattr(language_conversion, "SEES_CONVERSION", {})
    verdict, _, note = language_conversion.check("test_call")
    assert verdict == "failed" and "test_vectorcall_override" in note
