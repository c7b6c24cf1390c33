"""`autograph check`: what would be staged, what stays Python, and what would fail on staged values."""

from __future__ import annotations

import argparse
import glob
import importlib
import os
import sys
from collections.abc import Iterator
from typing import Any, NamedTuple

from autograph.backends.progress import Progress
from autograph.backends.protocol import StagingBackend
from autograph.cli import targets
from autograph.cli.console import add_command, colour_wanted, fail, features_of, write
from autograph.errors import AutoGraphError, BackendError, UsageError
from autograph.options import ConversionOptions

HELP = """\
Says for each function, without running it, what conversion stages, what keeps its Python meaning, and what would fail
on staged values. Each finding is a line `file:line:column: code reason (suggestion)`; docs/errors.md explains codes.

examples:
  autograph check demo.py                     a file
  autograph check src tests/helpers.py        all Python files in a folder, and a file
  autograph check 'src/**/*_model.py'         all Python files and folders that match
  autograph check package                     a whole package on sys.path, installed or not
  autograph check package.module:Model.call   one function or method
  autograph check - < demo.py                 standard input
  autograph check demo.py --functions         what each function chooses by, too
  autograph check src --format sarif -o findings.sarif
  autograph check src --ignore AG41           leave out findings by the start of their codes
  autograph check src --backend any           all that some backend may not handle

The backend is what the code is meant for: what it handles is not told. It is the installed one, if there is one.

A line with the comment `# autograph: ignore` or `# autograph: ignore[AG414]` has no findings.
Exit status: 0 no findings, 1 findings, 2 a bad target or option.
"""


def add_parser(commands: Any) -> None:
    """Declares the command."""
    features = "take an optional feature as turned on"
    parser = add_command(commands, "check", "find what works on plain values only", HELP, features)
    parser.add_argument(
        "target",
        metavar="TARGET",
        nargs="+",
        help="FILE.py[:NAME], FOLDER, PATTERN, PACKAGE, MODULE[:NAME], or -[:NAME] for standard input",
    )
    parser.add_argument("--format", choices=("text", "json", "sarif", "github"), default="text", help="default: text")
    parser.add_argument("-o", "--output", metavar="FILE", help="write to FILE instead of standard output")
    parser.add_argument("--functions", action="store_true", help="text format: list what every function chooses by")
    for option, which in (("--select", "only"), ("--ignore", "no")):
        about = f"{which} findings whose code starts with one of these, separated by commas"
        parser.add_argument(option, metavar="CODES", action="append", default=[], help=about)
    parser.add_argument(
        "--backend",
        metavar="NAME",
        help="the backend that the code is for, or 'any'; default: the one that is installed, if it is only one",
    )
    parser.set_defaults(run=run)


def _backend(name: str | None) -> StagingBackend:
    """The backend of a name; distributions declare theirs as entry points of the group `autograph.backends`."""
    from importlib.metadata import entry_points  # lazy: `--help` needs no list of what is installed

    known = {point.name: point for point in sorted(entry_points(group="autograph.backends"))}
    if name is None:
        name = next(iter(known)) if len(known) == 1 else "any"
    if name == "any":
        return StagingBackend()
    if name not in known:
        fail(f"no backend named {name!r} is installed; there are {', '.join(['any', *known])}")
    importlib.import_module(known[name].module.partition(".")[0])  # a part first would wait for who imports the whole
    backend = known[name].load()
    if not isinstance(backend, StagingBackend):
        raise BackendError(f"{known[name].value}, the backend {name!r}, is not a StagingBackend but {backend!r}")
    return backend


class _Input(NamedTuple):
    """One text to check; `read` gives it."""

    filename: str
    name: str | None
    data: str | bytes | None  # None: read the file
    named: bool  # by the user, rather than found on the way


def run(arguments: argparse.Namespace) -> int:
    """Runs the command; returns the exit status."""
    from autograph.cli import formats  # not at the top: `--help` needs no compiler

    select, ignore = _codes(arguments.select), _codes(arguments.ignore)
    options = ConversionOptions(recursive=True, optional_features=features_of(arguments))
    reports = []
    target = f"backend {arguments.backend}"
    try:
        backend = _backend(arguments.backend)
        inputs: list[_Input] = []
        for target in arguments.target:
            inputs.extend(_inputs(target))
        with Progress("checking", len(inputs), "files") as progress:
            for item in dict.fromkeys(inputs):
                target = item.filename
                progress.step(item.filename)
                report = _report(item, options, backend)
                report.findings = [f for f in report.findings if _wanted(f.code, select, ignore)]
                reports.append(report)
    except (AutoGraphError, OSError, ImportError, SyntaxError, UnicodeError) as error:
        fail(targets.one_line(error, target))
    found = any(report.findings for report in reports)
    if arguments.format == "text":
        on_terminal = arguments.output is None and colour_wanted(sys.stdout)
        text = formats.as_text(reports, on_terminal, arguments.functions)
    else:
        writers = {"json": formats.as_json, "sarif": formats.as_sarif, "github": formats.as_github}
        text = writers[arguments.format](reports)
    write(text, arguments.output)
    if arguments.format == "text":
        counts = formats.summary(reports)
        print(
            f"checked {_counted(counts['functions'], 'function')} in {_counted(counts['files'], 'file')}: "
            f"{_counted(counts['staged'], 'construct')} can be staged, {_counted(counts['findings'], 'finding')}",
            file=sys.stderr,
        )
    return 1 if found else 0


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _codes(given: list[str]) -> tuple[str, ...]:
    from autograph.cli.formats import kinds  # not at the top: `--help` needs no compiler

    codes = tuple(code.strip().upper() for part in given for code in part.split(",") if code.strip())
    known = [kind.code for kind in kinds()]
    for code in codes:
        if not any(k.startswith(code) for k in known):
            fail(f"no finding has a code that starts with {code!r}; there are {', '.join(known)}")
    return codes


def _wanted(code: str, select: tuple[str, ...], ignore: tuple[str, ...]) -> bool:
    return (not select or code.startswith(select)) and not (ignore and code.startswith(ignore))


def _inputs(target: str) -> Iterator[_Input]:
    """The texts that a target stands for; raises `UsageError` or OSError."""
    place, name = targets.split_target(target)
    if place in ("-", "<stdin>"):
        yield _Input("<stdin>", name, targets.standard_input(), True)
    elif os.path.isdir(place):
        if name is not None:
            raise UsageError(f"{place} is a folder; name {name!r} with the file that defines it")
        files = targets.files_in(place)
        if not files:
            raise UsageError(f"there is no Python file in {place}")
        for filename in files:
            yield _Input(filename, None, None, False)
    elif glob.has_magic(place) and not os.path.exists(place):
        matches = sorted(glob.glob(place, recursive=True))
        if not matches:
            raise UsageError(f"no file matches {place}")
        for match in matches:
            if os.path.isdir(match) or match.endswith((".py", ".pyw")):
                yield from (item._replace(named=False) for item in _inputs(match))
    elif targets.is_file_name(place):
        yield _Input(place, name, None, True)
    else:
        yield from _module_inputs(place, name)


def _module_inputs(place: str, name: str | None) -> Iterator[_Input]:
    spec = targets.find_module(place)
    if spec.submodule_search_locations is not None and name is None:
        for module in targets.modules_of(place):
            if module.text is not None or module.filename.endswith(".py"):
                yield _Input(_shown(module.filename), None, module.text, False)
        return
    text, filename = targets.module_source(place)
    yield _Input(_shown(filename), name, text, True)


def _shown(filename: str) -> str:
    """A file below the current folder by its relative path."""
    return filename.removeprefix(os.getcwd() + os.sep)


def _report(item: _Input, options: ConversionOptions, backend: StagingBackend) -> Any:
    from autograph.checking import check_text, unreadable  # not at the top: see above

    if isinstance(item.data, str):
        return check_text(item.data, item.filename, item.name, options, backend)
    if not item.named and os.path.exists(item.filename) and not os.path.isfile(item.filename):
        return unreadable(item.filename, "it is no regular file")  # a pipe would be waited for
    try:
        text = targets.decoded(item.data) if isinstance(item.data, bytes) else targets.read_file(item.filename)
    except (UnicodeError, SyntaxError, OSError) as error:
        if item.named and isinstance(error, OSError):
            raise
        why = error.strerror if isinstance(error, OSError) else f"it is not text in its declared encoding ({error})"
        if item.named:
            raise UsageError(f"cannot read {item.filename}: {why}") from None
        return unreadable(item.filename, why or str(error))
    return check_text(text, item.filename, item.name, options, backend)
