"""Functions that list the frames of the stack list those of the original program."""

import inspect
import io
import traceback

import pytest

import autograph


def infos():
    return [(s.function, s.lineno, s.code_context, s.index) for s in inspect.stack()]


def names():
    return [s.function for s in inspect.stack(0)]


def entries():
    return [(s.name, s.lineno, s.line) for s in traceback.extract_stack()]


def innermost():
    return traceback.format_stack(limit=2), len(traceback.extract_stack(limit=-2)), traceback.format_stack(None, 0)


def of_a_frame():
    return [s.name for s in traceback.extract_stack(inspect.currentframe(), 1)]


def printed():
    written = io.StringIO()
    traceback.print_stack(file=written, limit=2)
    return written.getvalue()


def between(look, x):
    for _ in range(1):
        if x:
            return look()
    return None


def outer(look):
    return [between(look, 1) for _ in range(1)][0]


@pytest.mark.parametrize("look", [infos, names, entries, innermost, of_a_frame, printed])
def test_stack_is_the_originals(look):
    results = [call(look) for call in (outer, autograph.convert(outer))]
    assert results[0] == results[1]
    assert results[0]
