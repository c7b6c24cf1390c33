"""The benchmarks run, agree with what is written by hand, and their tables compare (run, worker, tables, rows)."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

import graphrt as tf
from tests.benchmarks import run, tables, worker
from tests.benchmarks.rows import all_rows

ROWS = all_rows()
LONG = {"first call: 100k ops", "first call: 10k ops"} | {name for name in ROWS if "100 MB" in name}


@pytest.mark.filterwarnings("ignore::graphrt.errors.RetracingWarning")
@pytest.mark.parametrize("name", [name for name in ROWS if name not in LONG])
def test_a_row_gives_what_the_program_by_hand_gives(name):
    row = ROWS[name]
    found = worker.leaves(worker.prepare("graphrt", tf, row)())
    by_hand = worker.prepare("numpy", None, row)
    if by_hand is not None and row.rtol is not None:
        assert run._agree(found, worker.leaves(by_hand()), row.rtol)
    elif row.rtol is not None:
        assert all(np.all(np.isfinite(np.asarray(f, float))) for f in found) and found


def test_a_worker_answers(tmp_path):
    one = run.Worker("graphrt", __import__("sys").executable)
    try:
        said = one.ask(row="call: x + 1", do="result", folder=str(tmp_path))
        assert [np.load(p).tolist() for p in said["arrays"]] == [2.0]
        assert 0 < one.ask(row="call: x + 1", do="time", seconds=1e-4)["seconds"] < 1
        assert 0 < one.ask(row="first call: one line", do="time", seconds=1e-4)["seconds"] < 10
        assert "KeyError" in one.ask(row="no such row", do="time")["error"]
    finally:
        one.close()


def test_results_that_differ_are_told():
    assert run._agree([np.float32(1)], [np.float64(1 + 1e-6)], 1e-4)
    assert not run._agree([np.float32(1)], [np.float32(1.1)], 1e-4)
    assert not run._agree([np.zeros(2)], [np.zeros(3)], 1e-4) and not run._agree([], [np.zeros(3)], 1e-4)


RESULTS = {
    "a & b": {"graphrt": [1e-6, 2e-6, 1e-6], "numpy": [2e-6] * 3, "tensorflow": [4e-6] * 3},
    "c": {"graphrt": [2.0]},
}


def test_tables(tmp_path, capsys):
    for name, seconds in (("old.json", 2e-6), ("new.json", 1e-6)):
        (tmp_path / name).write_text(json.dumps({"results": {"x + 1": {"graphrt": [seconds, seconds, 1.0]}}}))
    run.main(["--compare", str(tmp_path / "old.json"), str(tmp_path / "new.json")])
    assert capsys.readouterr().out.split() == ["x", "+", "1", "2", "us", "1", "us", "0.50x"]
    assert tables.text(RESULTS).splitlines()[1].split()[3:] == ["1", "us", "100%", "2", "us", "4", "us", "0.25", "0.50"]
    assert tables.markdown(RESULTS).splitlines()[3].startswith("| c | 2 s | 0% | - |")


def test_the_picture_is_one():
    tree = ElementTree.fromstring(tables.picture(RESULTS))
    names = [e.text for e in tree if e.tag.endswith("text")]
    assert "a & b" in names and "c" in names
