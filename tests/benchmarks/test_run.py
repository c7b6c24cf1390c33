"""The benchmarks run, and their tables compare."""

from __future__ import annotations

import json
import pathlib
import sys

import pytest

HERE = pathlib.Path(__file__).parent


@pytest.fixture
def run(monkeypatch):
    monkeypatch.syspath_prepend(str(HERE))
    monkeypatch.delitem(sys.modules, "run", raising=False)
    import run

    yield run
    sys.modules.pop("run", None)


@pytest.mark.filterwarnings("ignore::graphrt.errors.RetracingWarning")
def test_every_case_is_measured(run):
    results = run.measure("graphrt", list(run.QUESTIONS), 1e-6)
    assert {"x + 1", "nested dictionary", "collatz(27) / 111", "first call: one line", "import"} <= set(results)
    assert all(seconds > 0 for seconds in results.values())


def test_iterations(run):
    assert run._iterations("collatz(27) / 111") == 111 and run._iterations("x + 1") == 1


def test_tables(run, tmp_path, capsys):
    for name, seconds in (("old.json", 2e-6), ("new.json", 1e-6)):
        (tmp_path / name).write_text(json.dumps({"results": {"graphrt": {"x + 1": [seconds, seconds, 1.0]}}}))
    run.main(["--compare", str(tmp_path / "new.json"), str(tmp_path / "old.json")])
    line = capsys.readouterr().out.splitlines()[-1]
    assert line.split() == ["x", "+", "1", "1.00", "us", "2.00", "us", "2.0x"]
