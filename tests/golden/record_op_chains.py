"""Records what TensorFlow does with the chains of `op_chain_cases`: run with a Python that has TensorFlow.

What is recorded already stays; names as arguments: these are recorded again. A chain that ends TensorFlow's process, or that
waits for ever, is recorded as null; so is one for which it has no kernel.
"""

import json
import os
import signal
import subprocess
import sys

from tests.golden.op_chains import CHAINS

HERE = os.path.dirname(os.path.abspath(__file__))
PATH = os.path.join(HERE, "op_chains.json")
MISSING = ("Could not find device for node", "No registered", "No OpKernel")  # no kernel for this dtype on a CPU


def recorded_now(names):
    with open(PATH) as file:
        return {name: steps for name, steps in json.load(file).items() if name in CHAINS and name not in names}


def wanted(recorded):
    return [(name, n, chain) for name in CHAINS for n, chain in enumerate(CHAINS[name]) if n >= len(recorded.get(name, ()))]


def result_of(tf, name, number, chain):
    from tests.golden import op_chain_runner as runner

    with runner.place(chain) as folder:
        results = runner.outputs(tf, chain, f"{name}{number}", folder)
        if any(isinstance(r, Exception) and any(m in str(r) for m in MISSING) for r in results):
            return None
        return runner.shown(tf, chain, results, folder)


def work(first, names):
    """Prints a line for each chain from the `first` one on."""
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    import tensorflow as tf

    for name, number, chain in wanted(recorded_now(names))[first:]:
        signal.alarm(20)
        print(json.dumps(result_of(tf, name, number, chain), separators=(",", ":")), flush=True)


def main(names):
    recorded = recorded_now(names)
    chains, found = wanted(recorded), []
    while len(found) < len(chains):
        command = [sys.executable, "-m", "tests.golden.record_op_chains", "from", str(len(found)), *names]
        run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
        found += map(json.loads, run.stdout.decode().splitlines())
        if len(found) < len(chains):
            print("ended by", *chains[len(found)])
            found.append(None)
    for (name, _, _), steps in zip(chains, found):
        recorded.setdefault(name, []).append(steps)
    lines = [f"{json.dumps(name)}: {json.dumps(recorded[name], separators=(',', ':'))}" for name in CHAINS]
    with open(PATH, "w") as file:
        file.write("{\n" + ",\n".join(lines) + "\n}\n")
    print(len(lines), len(chains))


if __name__ == "__main__":
    given = sys.argv[1:]
    work(int(given[1]), given[2:]) if given[:1] == ["from"] else main(given)
