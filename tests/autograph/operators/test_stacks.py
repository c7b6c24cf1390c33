"""Functions that list the frames of the stack list those of the original program."""

import inspect
import io
import traceback

import pytest

import autograph
from autograph.backends import registry
from autograph.conversion import convert


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


def callers():
    frame = inspect.currentframe()
    found = []
    while frame is not None and not frame.f_code.co_name.startswith("test_"):
        found.append(frame.f_code.co_name)
        frame = frame.f_back
    return found


def caller():
    return inspect.currentframe().f_back.f_code.co_name if names() else None


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


@pytest.fixture
def printed_form(monkeypatch):
    monkeypatch.setattr(convert, "FAST_PATHS", False)
    before = registry.always_staging(True)
    yield
    registry.always_staging(before)


@pytest.mark.parametrize("look", [callers, caller])
def test_callers_are_the_originals(look, printed_form):
    assert autograph.to_graph(outer)(look) == outer(look)
    assert "between" in outer(look)
