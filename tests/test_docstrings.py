"""Every example in a docstring runs and gives what it says."""

import doctest
import importlib
import inspect

import pytest

from tests import ROOT, called_names, public_names

MODULES = sorted(
    str(path.relative_to(ROOT).with_suffix("")).replace("/", ".").removesuffix(".__init__")
    for package in ("autograph", "graphrt")
    for path in (ROOT / package).rglob("*.py")
    if path.name != "__main__.py"
)


@pytest.mark.parametrize("name", MODULES)
def test_examples_run(name):
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.startswith(("graphrt", "autograph")):
            raise
        pytest.skip(f"{error.name}, of an extra, is not installed")
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL
    results = doctest.testmod(module, optionflags=flags, verbose=False)
    assert results.failed == 0


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
