"""Records what TensorFlow does with the chains of `op_chain_cases`: run with a Python that has TensorFlow.

Names as arguments: only these chains are recorded again. A chain that ends TensorFlow's process, or that waits for ever, is recorded as null; so is one for which it has no kernel.
"""

import json
import os
import signal
import subprocess
import sys

from tests.golden.op_chain_cases import CHAINS

HERE = os.path.dirname(os.path.abspath(__file__))
MISSING = ("Could not find device for node", "No registered", "No OpKernel")  # no kernel for this dtype on a CPU


def flat(names):
    return [(name, number, chain) for name in names or CHAINS for number, chain in enumerate(CHAINS[name])]


def work(first, names):
    """Prints a line for each chain from the `first` one on."""
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    import tensorflow as tf

    from tests.golden import op_chain_runner as runner

    for name, number, chain in flat(names)[first:]:
        signal.alarm(20)
        results = runner.outputs(tf, chain, f"{name}{number}")
        unknown = any(isinstance(r, Exception) and any(m in str(r) for m in MISSING) for r in results)
        print(json.dumps(None if unknown else runner.shown(tf, results), separators=(",", ":")), flush=True)


def main(names):
    count = len(flat(names))
    found = []
    while len(found) < count:
        command = [sys.executable, "-m", "tests.golden.record_op_chains", "from", str(len(found)), *names]
        run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
        found += map(json.loads, run.stdout.decode().splitlines())
        if len(found) < count:
            print("ended by", len(found))
            found.append(None)
    path = os.path.join(HERE, "op_chains.json")
    recorded = {} if not names else json.load(open(path))
    for (name, number, _), steps in zip(flat(names), found):
        recorded[name] = [*recorded.get(name, [])[:number], steps] if number else [steps]
    lines = [f"{json.dumps(name)}: {json.dumps(recorded[name], separators=(',', ':'))}" for name in CHAINS]
    with open(path, "w") as file:
        file.write("{\n" + ",\n".join(lines) + "\n}\n")
    print(len(lines), count)


if __name__ == "__main__":
    given = sys.argv[1:]
    work(int(given[1]), given[2:]) if given[:1] == ["from"] else main(given)
