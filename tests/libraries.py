"""Runs the tests of libraries that use TensorFlow, on TensorFlow and on graphrt in its place, and lists what differs.

    python -m tests.libraries FOLDER [library ...] --tensorflow PYTHON [--again] [--go-on]

`FOLDER` holds what pip puts there (`pip install --target FOLDER/libs --no-deps` of the wheels below and of what they import, and pytest),
and the unpacked source archives of those whose wheels have no tests, in `FOLDER/sdists`. `PYTHON` is one that has tensorflow 2.20.

What became of each test stands in `FOLDER/LIBRARY.tensorflow.jsonl` and `FOLDER/LIBRARY.graphrt.jsonl` at once, so that nothing
that was done is lost: on TensorFlow, and with `--go-on` here, a run goes on behind what stands there. A test may take `--seconds` of processor time,
a library `--minutes`; a process that dies, or hangs where no signal reaches it, is begun again behind that test. Of the tests that
did not end on TensorFlow nothing is asked. Prints for each library how many of the tests that pass on TensorFlow pass
here, and writes those that do not to `FOLDER/failing.txt`.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]


@dataclasses.dataclass(frozen=True)
class Library:
    """How the tests of a library are run.

    Attributes:
      package: its name on the Python Package Index.
      tests: where its tests are, below the folder.
      options: for pytest.
      environment: what says that TensorFlow is meant.
    """

    package: str
    tests: str
    options: tuple[str, ...] = ()
    environment: tuple[tuple[str, str], ...] = ()


LIBRARIES = {
    "einops": Library("einops==0.8.2", "libs/einops/tests", (), (("EINOPS_TEST_BACKENDS", "numpy,tensorflow"),)),
    "opt_einsum": Library("opt_einsum==3.4.0", "libs/opt_einsum/tests", ("-k", "tensorflow or tf")),
    "tensornetwork": Library("tensornetwork==0.4.6", "sdists/tn-git/tensornetwork", ("-k", "tensorflow")),
    "tensorly": Library("tensorly==0.10.0", "libs/tensorly", (), (("TENSORLY_BACKEND", "tensorflow"),)),
    "autoray": Library("autoray==0.11.0", "sdists/autoray-0.11.0/tests", ("-k", "tensorflow")),
    "eagerpy": Library("eagerpy==0.30.0", "sdists/eagerpy-git/tests", ("--backend", "tensorflow")),
    "sonnet": Library("dm-sonnet==2.0.2", "libs/sonnet"),
}


def told(report: pathlib.Path) -> dict[str, str]:
    """By test, `passed`, `skipped`, the first line of why it failed, or that it did not end."""
    return dict(map(json.loads, report.read_text().splitlines())) if report.exists() else {}


def run(
    folder: pathlib.Path,
    library: Library,
    report: pathlib.Path,
    python: str,
    options: list[str],
    given: argparse.Namespace,
) -> None:
    """Runs the tests that `report` does not tell of, each process until it ends, dies or says nothing any more."""
    environment = {
        **os.environ, **dict(library.environment), "PYTHONPATH": f"{folder / 'libs'}:{ROOT}", "TF_CPP_MIN_LOG_LEVEL": "3",
        "TF_USE_LEGACY_KERAS": "0", "PYTHONDONTWRITEBYTECODE": "1", "LIBRARY_REPORT": str(report), "LIBRARY_SECONDS": str(given.seconds),
    }  # fmt: skip
    files = sorted(map(str, (folder / library.tests).rglob("*_test.py"))) or [str(folder / library.tests)]
    command = [
        python, "-m", "pytest", "-q", "--no-header", "-p", "no:cacheprovider", "-p", "tests.library_report", "-W", "ignore",
        "--continue-on-collection-errors", "-o", "addopts=", "-o", "python_files=*_test.py test_*.py",
        "--import-mode=importlib", *options, *library.options, *files,
    ]  # fmt: skip
    end = time.monotonic() + 60 * given.minutes
    before = -1
    while len(told(report)) > before and time.monotonic() < end:
        before = len(told(report))
        process = subprocess.Popen(
            command, cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.STDOUT
        )
        heard = time.monotonic()
        size = -1
        while process.poll() is None and time.monotonic() < min(end, heard + 10 * given.seconds + 600):
            time.sleep(0.5)
            if report.exists() and report.stat().st_size != size:
                size, heard = report.stat().st_size, time.monotonic()
        process.kill()
        if process.wait() in (0, 1, 2, 5):  # the codes of pytest that came to its end
            return


def main() -> int:
    """Runs and compares; returns 1 where a library has less than 98 %."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("libraries", nargs="*", help=", ".join(LIBRARIES))
    parser.add_argument("--tensorflow", metavar="PYTHON", required=True)
    parser.add_argument("--again", action="store_true", help="run on TensorFlow even where its answers are kept")
    parser.add_argument("--go-on", action="store_true", help="run here only what has no answer yet")
    parser.add_argument("--seconds", type=float, default=60, help="of processor time, after which a test is ended")
    parser.add_argument("--minutes", type=float, default=60, help="after which a run is ended; what it told counts")
    given = parser.parse_args()
    folder = given.folder.resolve()
    few, lines = False, []
    for name in given.libraries or LIBRARIES:
        library = LIBRARIES[name]
        theirs, ours = (folder / f"{name}.{side}.jsonl" for side in ("tensorflow", "graphrt"))
        if given.again:
            theirs.unlink(missing_ok=True)
        if not given.go_on:
            ours.unlink(missing_ok=True)
        run(folder, library, theirs, given.tensorflow, [], given)
        run(folder, library, ours, sys.executable, ["-p", "graphrt.as_tensorflow"], given)
        wanted = [test for test, state in told(theirs).items() if state == "passed"]
        found = told(ours)
        failing = [test for test in wanted if found.get(test) != "passed"]
        share = (
            1 - len(failing) / len(wanted) if wanted else 0.0
        )  # nothing that TensorFlow passes: pytest did not begin
        few = few or share < 0.98
        print(f"{name}: {len(wanted) - len(failing)} of {len(wanted)} ({share:.1%})", flush=True)
        lines += [f"{name} {test}\n    {found.get(test, 'not collected')}\n" for test in failing]
    (folder / "failing.txt").write_text("".join(lines))
    return 1 if few else 0


if __name__ == "__main__":
    sys.exit(main())
