"""Every example in a docstring runs and gives what it says."""

import doctest
import importlib
import inspect

import pytest

from tests import ROOT, called_names, printed_numbers, public_names

PATHS = {
    str(path.relative_to(ROOT).with_suffix("")).replace("/", ".").removesuffix(".__init__"): path
    for package in ("autograph", "graphrt")
    for path in sorted((ROOT / package).rglob("*.py"))
    if path.name != "__main__.py"
}
WITH_EXAMPLES = [name for name, path in PATHS.items() if ">>>" in path.read_text(encoding="utf-8")]
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL


def imported(name):
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.startswith(("graphrt", "autograph")):
            raise
        return None  # of an extra


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_examples_run(name):
    module = imported(name)
    if module is None:
        pytest.skip("a package of an extra is not installed")
    runner = doctest.DocTestRunner(printed_numbers.Checker(), optionflags=FLAGS, verbose=False)
    for found in doctest.DocTestFinder().find(module, name):
        if found.examples:  # the others need no runner, which is dear to make ready
            runner.run(found)
    assert runner.tries and not runner.failures


@pytest.mark.parametrize("package", ["autograph", "graphrt"])
def test_modules_without_examples_are_imported(package):
    for name in PATHS.keys() - set(WITH_EXAMPLES):
        if name.split(".")[0] == package:
            imported(name)


MOST_WITHOUT_EXAMPLE = 0
MOST_WITHOUT_DOCSTRING = 0


def test_public_names_have_examples():
    missing = [path for path, value in ours() if ">>>" not in (inspect.getdoc(value) or "")]
    assert len(missing) <= MOST_WITHOUT_EXAMPLE, "\n".join(missing)


def test_public_methods_have_docstrings():
    missing = [
        name
        for path, value in ours()
        if isinstance(value, type)
        for name, member in called_names.members(path, value)
        if not name.endswith(("__init__", "__call__")) and callable(member) and not inspect.getdoc(member)
    ]
    assert len(missing) <= MOST_WITHOUT_DOCSTRING, "\n".join(missing)


def ours():
    """The public names that are defined here: NumPy's types, for one, are not."""
    names = public_names.callables().items()
    return [(path, v) for path, v in names if str(v.__module__).split(".")[0] in called_names.PACKAGES]
