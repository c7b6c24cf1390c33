"""What `import autograph` and `import graphrt` cost beyond the interpreter, and beyond `import numpy`: processor time.

python -m tests.benchmarks.imports             the least of 15 fresh interpreters each, and how it compares with NumPy's
python -m tests.benchmarks.imports --modules   what `-X importtime` says of each module: own, with all it imports
"""

from __future__ import annotations

import os
import subprocess
import sys

from tests import ROOT

ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}
# What is imported first, and not counted; what is counted; milliseconds that it should take at most on a quiet machine.
IMPORTS = [("", "numpy", None), ("", "autograph", 20), ("", "autograph.api", None), ("numpy", "graphrt", 60)]
ROUNDS = 15


def seconds(before: str, package: str) -> float:
    """Processor time of one import in a fresh interpreter."""
    first = f"import {before}\n" if before else ""
    code = f"import time\n{first}start = time.process_time()\nimport {package}\nprint(time.process_time() - start)"
    command = [sys.executable, "-c", code]
    return float(subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, check=True).stdout)


def modules(before: str, package: str) -> str:
    """The modules that an import reads, with microseconds."""
    first = f"import {before}" if before else ""
    code = f"import sys\n{first}\nprint('BEGIN', file=sys.stderr, flush=True)\nimport {package}"
    command = [sys.executable, "-X", "importtime", "-c", code]
    told = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, check=True).stderr
    return told.partition("BEGIN\n")[2]


def main() -> None:
    if "--modules" in sys.argv:
        for before, package, _ in IMPORTS:
            print(f"{package}\n{modules(before, package)}")
        return
    least = {
        package: min(seconds(before, package) for _ in range(ROUNDS)) * 1000 for before, package, _ in IMPORTS
    }  # one package after the other: a busy machine shows in all
    for before, package, most in IMPORTS:
        beyond = f" beyond {before}" if before else ""
        goal = f", at most {most} wanted" if most else ""
        print(
            f"import {package}{beyond}: {least[package]:.1f} ms ({least[package] / least['numpy']:.2f} of NumPy's){goal}"
        )


if __name__ == "__main__":
    main()
