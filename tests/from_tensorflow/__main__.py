"""Files as users of TensorFlow have them, written by TensorFlow, loaded and run here, each in a process of its own.

    python -m tests.from_tensorflow FOLDER --tensorflow PYTHON [NAME...]

GraphDefs of all op families, frozen models, SavedModels of TensorFlow 2 and 1, Keras models, checkpoints. The files stay in
FOLDER; without `--tensorflow` those that are there are run. Prints a line for each, and ends with 1 if one differs.
"""

import argparse
import os
import pathlib
import subprocess
import sys


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--tensorflow", help="a Python that has TensorFlow 2.20, which writes the files")
    parser.add_argument("--together", action="store_true", help="run all in one process, which is faster")
    given = parser.parse_intermixed_args()
    folder = given.folder.resolve()
    root = pathlib.Path(__file__).parents[2]
    environment = {**os.environ, "PYTHONPATH": str(root)}
    if given.tensorflow:
        subprocess.run(
            [given.tensorflow, "-m", "tests.from_tensorflow.write", str(folder), *given.names],
            cwd=root,
            env=environment,
            check=True,
        )
    cases = sorted(
        p.parent for p in folder.glob("*/case.json") if not given.names or any(n in p.parent.name for n in given.names)
    )
    command = [sys.executable, "-m", "tests.from_tensorflow.run"]
    told = []
    for part in [cases] if given.together else [[c] for c in cases]:
        ran = subprocess.run([*command, *map(str, part)], cwd=root, env=environment, capture_output=True, text=True)
        print(ran.stdout or f"FAILED {part[0].name}: {ran.stderr[-500:]}", end="", flush=True)
        told += [line for line in (ran.stdout or "FAILED").splitlines() if not line.startswith(" ")]
    equal = sum(line.startswith("equal") for line in told)
    print(f"{equal} of {len(cases)} equal")
    sys.exit(equal != len(cases))


if __name__ == "__main__":
    main()
