"""`view`: the page of a function, one HTML file that needs neither a server nor a network."""

from __future__ import annotations

import html
import json
import os
import re
import webbrowser
from importlib import resources
from typing import TYPE_CHECKING, Any, NamedTuple

from graphrt import errors
from graphrt.function.concrete import ConcreteFunction
from graphrt.function.function import Function, function
from graphrt.ops.io.whole_files import replaced
from graphrt.tensor.tensor import SymbolicTensor
from graphrt.types.nesting import shown
from graphrt.types.spec import TensorSpec
from graphrt.types.structure import flatten
from graphrt.viewing.findings import findings_of
from graphrt.viewing.history import history_of
from graphrt.viewing.recording import Recorder, record
from graphrt.viewing.story import Story, story_of

if TYPE_CHECKING:
    from collections.abc import Callable

_PARTS = {"style": "page.css", "dagre": "dagre.min.js", "picture": "picture.js", "script": "page.js"}
_PLACE = re.compile(r"@(\w+)@")


class Page:
    """A page. In a notebook it shows itself; `write` makes a file of it.

    >>> import graphrt as tf
    >>> page = tf.view(tf.function(lambda x: x + 1), tf.TensorSpec([], tf.int32), path=None)
    >>> page.html.startswith("<!doctype html>")
    True

    Attributes:
      html: its text.
      story: what it shows, as data.
    """

    def __init__(self, story: Story) -> None:
        self.story = story
        self.html = _html_of(story)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Writes the page; a file that was there is replaced when the new one is whole."""
        with replaced(os.fspath(path)) as file:
            file.write(self.html.encode(errors="replace"))  # a lone surrogate is no text

    def _repr_html_(self) -> str:
        shown = html.escape(self.html, quote=True)
        style, title = "width: 100%; height: 640px; border: 0", html.escape(self.story.title, quote=True)
        return f'<iframe srcdoc="{shown}" style="{style}" title="{title}"></iframe>'

    def __repr__(self) -> str:
        return f"<page of {self.story.title}: {len(self.html)} characters>"


def view(
    target: Callable[..., Any],
    /,
    *args: Any,
    run: bool = False,
    path: str | os.PathLike[str] | None = "",
    **kwargs: Any,
) -> Page:
    """Source, converted code, graph after each pass and program of a function, on one page, each tied to the others.

    >>> import graphrt as tf, tempfile, os
    >>> file = os.path.join(tempfile.mkdtemp(), "page.html")
    >>> tf.view(lambda x: x * 2, tf.constant([1.0, 2.0]), run=True, path=file)
    <page of <lambda>: ... characters>
    >>> os.path.exists(file)
    True

    Args:
      target: a Python function, a `tf.function` or a concrete function.
      *args, **kwargs: the arguments for which it is traced: values or `TensorSpec`s. Without them, the trace that
        was made last, of a `tf.function` that needs some.
      run: calls it with these arguments, and shows times, values and memory, too. All must be values then. A function
        with effects is called once; others are called three times, since a first call is no measure.
      path: where the page is written. If not given: in a notebook nowhere, elsewhere into a temporary file that the
        browser opens. None: nowhere.

    Raises:
      TypeError: `target` cannot be called, or is to run with an argument that has no value.
    """
    page = page_of(target, args, kwargs, run)
    if path:
        page.write(path)
    elif path is not None and not _in_notebook():
        _open(page)
    return page


def page_of(target: Any, args: Any, kwargs: Any, run: bool) -> Page:
    """The page of a call: see `view`."""
    if run:
        check_values(args, kwargs)
    found = traced(target, args, kwargs)
    story = story_of(found.concrete, found.function, history_of(found.traces, found.concrete))
    if run:
        inputs = found.concrete.raw_inputs(args, kwargs)
        story.run = dict(
            record(story.program, inputs, Recorder(values=True), found.concrete.flat_names, memory=True)[0]
        )
    story.findings = findings_of(story)
    return Page(story)


class Traced(NamedTuple):
    """What a page is made of: the trace, the Python function if it is known, and all traces of that."""

    concrete: ConcreteFunction
    function: Any
    traces: list[ConcreteFunction]


def traced(target: Any, args: Any, kwargs: Any) -> Traced:
    """The trace of `target` for these arguments, made if need be; without arguments the latest that was made.

    Raises:
      TypeError: `target` cannot be called.
    """
    if not callable(target):
        raise TypeError(errors.at_user_line(f"expected a function, found {shown(target)}"))
    if isinstance(target, ConcreteFunction):
        return Traced(target, target.python_function, [target])
    own = getattr(target, "__call__", target)  # noqa: B004  of a module whose `__call__` is a tf.function, that
    target = own if isinstance(own, Function) else target
    if not isinstance(target, Function) and hasattr(target, "concrete_functions"):  # loaded from a file
        concrete = target.get_concrete_function(*args, **kwargs)
        return Traced(concrete, concrete.python_function, list(target.concrete_functions))
    known = target if isinstance(target, Function) else function(target)
    traces = known.list_all_concrete_functions()
    if traces and not args and not kwargs and any(not p.optional for p in known.function_type.parameters.values()):
        return Traced(max(traces, key=lambda trace: trace.number), known.python_function, traces)
    concrete = known.get_concrete_function(*args, **kwargs)
    return Traced(concrete, known.python_function, known.list_all_concrete_functions())


def check_values(args: Any, kwargs: Any) -> None:
    """Refuses arguments that only describe tensors.

    Raises:
      TypeError: there is one.
    """
    for spec in flatten((args, kwargs)):
        if isinstance(spec, SymbolicTensor):
            told = "a call that is recorded needs values, which a tensor has not while a function is traced"
            raise TypeError(errors.at_user_line(f"{told}: ask outside of the function; found {shown(spec)}"))
        if isinstance(spec, TensorSpec):
            expected = "a call that is recorded needs values: give tensors"
            raise TypeError(errors.at_user_line(f"{expected}; found {shown(spec)}"))


def _in_notebook() -> bool:
    try:
        shell = get_ipython()  # type: ignore[name-defined]  # IPython provides it
    except NameError:
        return False
    return hasattr(shell, "kernel")


def _open(page: Page) -> None:
    import tempfile  # lazy: only for those who look at a page outside of notebooks

    handle, name = tempfile.mkstemp(prefix="graphrt-", suffix=".html")
    os.close(handle)
    page.write(name)
    webbrowser.open(f"file://{name}")


# --- text ------------------------------------------------------------------------------------------------------------
def _html_of(story: Story) -> str:
    data = json.dumps(story.as_json(), ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    parts = {name: _file(file) for name, file in _PARTS.items()}
    parts["title"] = html.escape(story.title)
    parts["signature"] = html.escape(story.signature)
    parts["story"] = data.replace("<", "\\u003c")  # nothing in it ends the script
    return _PLACE.sub(lambda found: parts[found[1]], _file("page.html"))


def _file(name: str) -> str:
    return resources.files("graphrt.viewing").joinpath(name).read_text("utf-8")
