"""Names that the sources use are there in the oldest NumPy that setup.cfg allows."""

import ast
import configparser

from tests import ROOT
from tests.golden.record_numpy_names import PATH


def used(path):
    """Dotted names of NumPy that a file asks for by `np.` or `numpy.`."""
    for node in ast.walk(ast.parse(path.read_text())):
        parts = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if parts and isinstance(node, ast.Name) and node.id in ("np", "numpy"):
            yield parts[::-1]


def test_the_record_is_of_the_oldest_that_is_allowed():
    setup = configparser.ConfigParser()
    setup.read(ROOT / "setup.cfg")
    (least,) = (line.partition(">=")[2] for line in setup["options"]["install_requires"].split() if "numpy" in line)
    assert PATH.read_text().partition("\n")[0].startswith(f"# numpy {least}")


def test_names_are_there():
    known = {*PATH.read_text().splitlines()}
    modules = {name.rpartition(".")[0] for name in known}
    missing, seen = set(), 0
    for path in (ROOT / "graphrt").rglob("*.py"):
        for first, *more in used(path):
            seen += 1
            name = first
            while name in modules and more:
                name += "." + more.pop(0)
            if name not in known and not name.startswith("_"):
                missing.add(f"{path.relative_to(ROOT)}: np.{name}")
    assert seen > 1000
    assert not missing, "\n".join(sorted(missing))
