"""Where the text of a function is looked for: by the name of its file, and, where that has none, by what it compiles to.

    a file, or what was registered under its name   linecache
    a module frozen into the interpreter            the file it has besides
    python -c TEXT, python - < FILE                 the command line; the standard input, if it can be read again
    a cell under %%time, %%timeit, %%prun           the inputs of the IPython session
    exec(text), code.interact()                     variables of the functions that are running

A text that is known by name is that of the function, unless it has changed since. Any other text is a guess, and is the
right one exactly if it compiles to the code of the function: who asks makes sure of that, and has it remembered.
"""

from __future__ import annotations

import ast
import contextlib
import importlib.util
import io
import linecache
import os
import stat
import sys
import weakref
from collections.abc import Iterator
from functools import lru_cache
from types import CodeType, FunctionType
from typing import Any

from autograph.errors import ipython_session
from autograph.pyct.quiet import parse

_LONGEST = 1_000_000  # characters
_FRAMES = 300
COMMAND_LINE = frozenset({"<string>", "<stdin>"})  # what `python -c` and others call what they are given


def text_by_name(function: FunctionType) -> list[str]:
    """The lines that belong to the file name of a function; an empty list if there are none."""
    filename = function.__code__.co_filename
    if not _may_be_opened(filename):
        return []
    linecache.checkcache(filename)
    lines = linecache.getlines(filename, function.__globals__)
    if not lines and filename.startswith("<frozen "):
        file = function.__globals__.get("__file__")
        lines = linecache.getlines(file) if isinstance(file, str) and file.endswith(".py") else []
    if len(lines) > 1 and not lines[0].endswith("\n"):  # registered by somebody who split without the ends
        lines = [line if line.endswith("\n") else line + "\n" for line in lines]
    return lines


def _may_be_opened(filename: str) -> bool:
    """Whether reading what is found under a name comes to an end: a pipe is waited for, and a device may go on for ever."""
    try:
        about = os.stat(filename)
    except OSError:
        return True  # what was registered under the name, or lies in an archive
    except ValueError:  # no name of any file
        return False
    return stat.S_ISREG(about.st_mode) or filename in linecache.cache


def other_texts(function: FunctionType) -> Iterator[list[str]]:
    """Texts that a function may have been compiled from, each once, the most likely ones first."""
    code = function.__code__
    word = "lambda" if code.co_name == "<lambda>" else f"def {code.co_name}"
    seen = set()
    for text in _texts(function, word):
        if word in text and len(text) <= _LONGEST and text not in seen:
            seen.add(text)
            lines = io.StringIO(text, newline=None).readlines()
            if len(lines) >= code.co_firstlineno:
                yield lines


def _texts(function: FunctionType, word: str) -> Iterator[str]:
    filename = function.__code__.co_filename
    yield from [text for _, name, text in list(_remembered.values()) if name == filename]
    if function.__globals__.get("__name__") == "__main__":
        yield from _given_to_python(filename)
    yield from _inputs_of_session(word)
    yield from _texts_held()


# Found once, a text serves the other functions that were compiled from it.

_remembered: dict[int, tuple[weakref.ref[CodeType], str, str]] = {}


def remember(code: CodeType, lines: list[str]) -> None:
    """Keeps the text that the code of a function was compiled from for as long as that code lives."""
    key = id(code)
    dropped = weakref.ref(code, lambda _: _remembered.pop(key, None))
    _remembered[key] = (dropped, code.co_filename, "".join(lines))


def text_of(function: FunctionType) -> str:
    """The text that a function was found in by `parse.find_source`, whole."""
    _, _, found = _remembered.get(id(function.__code__), (None, "", ""))
    return found or "".join(text_by_name(function))


def lines_of(filename: str, name: str) -> list[str]:
    """The lines of the text that the code called `name` comes from, to be shown; an empty list if nobody knows them.

    What has no file is found where `python -c` and the standard input have it, or among the texts that were found before,
    where one alone can be meant.

    >>> lines_of("no such file.py", "f")
    []
    """
    lines = linecache.getlines(filename)
    if lines or not filename.startswith("<"):
        return lines
    known = [*_given_to_python(filename)] if filename in COMMAND_LINE else []
    if name != "<module>":
        known += [text for _, of, text in list(_remembered.values()) if of == filename]
        known = [t for t in known if name.startswith("<") or f" {name}" in t]
    # What says `<string>` may be any text: of two nobody knows which it is.
    return io.StringIO(known[0], newline=None).readlines() if len(set(known)) == 1 else []


def _given_to_python(filename: str) -> Iterator[str]:
    given = sys.orig_argv
    position = next((i for i, argument in enumerate(given) if argument == "-c"), len(given))
    if position + 1 < len(given):
        yield given[position + 1] + "\n"
    if filename == "<stdin>":
        try:
            about = os.fstat(0)
            if stat.S_ISREG(about.st_mode):
                yield importlib.util.decode_source(os.pread(0, about.st_size, 0))
        except (OSError, SyntaxError, UnicodeDecodeError):
            return


# IPython runs the body of a magic under a name that nobody registers. Its inputs are Python, with magics as calls.


def session_transformers() -> list[Any]:
    """What changes the trees of inputs in the IPython session, before they are compiled."""
    return list(getattr(ipython_session(), "ast_transformers", ()))


def _inputs_of_session(word: str) -> Iterator[str]:
    shell = ipython_session()
    history = getattr(shell, "history_manager", None)
    if history is not None:
        for text in reversed(list(history.input_hist_parsed)):
            yield from _texts_within(text, word, shell.transform_cell)


def _texts_within(text: str, word: str, transform: Any) -> Iterator[str]:
    """An input, the literals in it, and those as the inputs that magics take them for; if they mention `word`."""
    if word in text:
        yield text
        for literal in _literals(text):
            if word in literal:
                yield literal
                with contextlib.suppress(SyntaxError):
                    yield from _texts_within(transform(literal), word, transform)


@lru_cache(maxsize=64)
def _literals(text: str) -> list[str]:
    try:
        nodes = list(ast.walk(parse(text)))
    except (SyntaxError, ValueError, RecursionError):
        return []
    return [n.value for n in nodes if isinstance(n, ast.Constant) and isinstance(n.value, str) and n.value != text]


def _texts_held() -> Iterator[str]:
    """Texts in variables of running functions: of who had the text executed, and of who still has it."""
    frame = sys._getframe(1)
    for _ in range(_FRAMES):
        if frame.f_back is None:
            return
        frame = frame.f_back
        yield from [value for value in list(frame.f_locals.values()) if type(value) is str]
