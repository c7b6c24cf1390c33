"""Every example in a docstring runs and gives what it says."""

import doctest
import importlib
import pathlib

import pytest

ROOT = pathlib.Path(__file__).parents[1]
MODULES = sorted(
    str(path.relative_to(ROOT).with_suffix("")).replace("/", ".").removesuffix(".__init__")
    for package in ("autograph", "graphrt")
    for path in (ROOT / package).rglob("*.py")
    if path.name != "__main__.py"
)


@pytest.mark.parametrize("name", MODULES)
def test_examples_run(name):
    module = importlib.import_module(name)
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL
    results = doctest.testmod(module, optionflags=flags, verbose=False)
    assert results.failed == 0
