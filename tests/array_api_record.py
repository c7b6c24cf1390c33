"""Writes docs/array_api.md: what each name of the array API is asked, and whether it answers as the standard says.

python -m tests.array_api_record            (`--check` compares the page with what is found)
"""

import sys

from tests import ROOT

PAGE = ROOT / "docs" / "array_api.md"
HEAD = """# The array API

`x.__array_namespace__()` of a tensor is `graphrt.array_api`: every name of the
Python array API standard 2024.12 with its extensions `linalg` and `fft` (and `isin` and
`broadcast_shapes` of 2025.12), for eager and for symbolic tensors, with gradients.

```python
import graphrt as tf

def standardise(x):
    xp = x.__array_namespace__()
    return (x - xp.mean(x, axis=0)) / xp.std(x, axis=0)

x = tf.constant([[1.0, 2.0], [3.0, 6.0]])
assert standardise(x).numpy().tolist() == [[-1.0, -1.0], [1.0, 1.0]]
assert tf.function(standardise)(x).numpy().tolist() == [[-1.0, -1.0], [1.0, 1.0]]
```

Default dtypes: float32, int32, complex64; positions are int64. Functions promote dtypes as the standard says.
DLPack works both ways: `numpy.from_dlpack(x)` sees the memory of a tensor, read-only; `from_dlpack(array)` copies, as nobody
else may write to a tensor. `memoryview(x)` works from Python 3.12 on; before, only types written in C can have buffers.

## What is not as the standard says

"""
TABLE = """
## Results

Written by `tests/array_api_record.py`, which makes each call for each dtype, eagerly and in a graph, and compares values,
dtypes and shapes with those of NumPy, whose main namespace keeps to the standard; signatures are compared with those of
array-api-strict. Cases that fail would be named here.

| name | calls | dtypes | eager | graph |
|---|---|---|---|---|
"""


def passes(call, dtype, traced):
    import graphrt as tf
    from tests.graphrt.numpy_api.array_api import array_api_cases as cases

    arrays = {n: tf.constant(v) for n, v in cases.arrays(dtype).items()}
    code = compile(call, "case", "eval")
    names = [n for n in arrays if n in code.co_names]

    def run(*xs):
        return cases.leaves(eval(code, {"xp": tf.array_api, **dict(zip(names, xs))}))

    try:
        found = (tf.function(run, autograph=False) if traced else run)(*[arrays[n] for n in names])
        return cases.difference(found, cases.wanted(call, dtype)) is None
    except Exception:
        return False


def page():
    from tests.graphrt.numpy_api.array_api import array_api_cases as cases

    lines = [HEAD, "| what | why |\n|---|---|\n"]
    lines += [f"| {what} | {why} |\n" for what, why in cases.EXCEPTIONS.items()]
    lines.append(TABLE)
    total = 0
    for name, (calls, dtypes) in sorted(cases.CASES.items()):
        told = []
        for traced in (False, True):
            failed = [f"{c} {d}" for c in calls for d in dtypes if not passes(c, d, traced)]
            told.append("pass" if not failed else "fail: " + ", ".join(failed))
        total += 2 * len(calls) * len(dtypes)
        lines.append(f"| {name} | {len(calls)} | {len(dtypes)} | {told[0]} | {told[1]} |\n")
    others = len(cases.MAKERS) + len(cases.FACTS) + len(cases.REFUSED)
    lines.append(f"\n{total} runs; {others} further checks of makers, facts and refusals are in the test suite.\n")
    return "".join(lines)


if __name__ == "__main__":
    if "--check" in sys.argv:
        sys.exit(
            0
            if PAGE.read_text(encoding="utf-8") == page()
            else "docs/array_api.md: run python -m tests.array_api_record"
        )
    PAGE.write_text(page(), encoding="utf-8")
