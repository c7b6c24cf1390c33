"""Where things are: the tests find their data and the sources from here, wherever they stand themselves."""

import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[1]
GOLDEN = ROOT / "tests" / "golden"
