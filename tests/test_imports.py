"""What is not asked for is not imported; what that costs is measured by `tests/benchmarks/imports.py`."""

import os
import subprocess
import sys

import pytest

from tests import ROOT


@pytest.mark.parametrize(
    ("package", "others"),
    [
        ("autograph", ["gast", "ast", "inspect", "dis", "autograph.api", "autograph.operators", "autograph.pyct"]),
        (
            "graphrt",
            [
                "gast",
                "google.protobuf",
                "autograph.api",
                "autograph.conversion",
                "graphrt.function.function",
                "graphrt.data",
            ]
            + ["graphrt.keras", "graphrt.passes", "graphrt.executor", "graphrt.numpy_api", "graphrt.linear_operators"]
            + ["graphrt.ops.array", "graphrt.ops.math", "graphrt.ops.ragged", "graphrt.ops.nn", "graphrt.saving"]
            + ["graphrt.staging.backend", "graphrt.tensor.apply", "autograph.operators"],
        ),
    ],
)
def test_what_is_not_asked_for_is_not_imported(package, others):
    code = (
        "import sys\nif sys.argv[1] == 'graphrt':\n    import numpy\nbefore = {*sys.modules}\n"
        "__import__(sys.argv[1])\nprint(*{*sys.modules} - before)"
    )
    command = [sys.executable, "-c", code, package]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert package in done.stdout.split()
    assert {*done.stdout.split()} & {*others} == set()
