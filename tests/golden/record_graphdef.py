"""Records TensorFlow's GraphDef texts: run with a Python that has TensorFlow, from the project's root.

    python -m tests.golden.record_graphdef [name ...]
"""

import os
import pathlib
import sys

from tests.golden import graphdef_programs

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import tensorflow as tf

HERE = pathlib.Path(__file__).parent / "graphdef"


def main() -> None:
    HERE.mkdir(exist_ok=True)
    for program in graphdef_programs.PROGRAMS:
        if len(sys.argv) > 1 and program.__name__ not in sys.argv[1:]:
            continue
        function, specs = program(tf)
        graph = function.get_concrete_function(*specs).graph.as_graph_def()
        (HERE / f"{program.__name__}.pbtxt").write_text(str(graph), encoding="utf-8")


if __name__ == "__main__":
    main()
