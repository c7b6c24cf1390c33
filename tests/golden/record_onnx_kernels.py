"""Records which element types ONNX Runtime's CPU kernels take, as `graphrt/export/onnx/kernels.py`.

    python -m tests.golden.record_onnx_kernels       with a Python that has onnx and onnxruntime

For each op: the inputs, and outputs, of the type that varies, and the types there are kernels for. Left out are ops whose
kernels take all.
"""

import onnx.defs
from onnxruntime.capi import onnxruntime_pybind11_state as runtime

from tests import ROOT

OPSET = 20
NAMES = {
    "float": "float32", "double": "float64", "float16": "float16", "bfloat16": "bfloat16", "string": "string", "bool": "bool",
    **{f"{sign}int{size}": f"{sign}int{size}" for sign in ("", "u") for size in (8, 16, 32, 64)},
}  # fmt: skip
HEAD = '''"""Which element types ONNX Runtime's kernels take: written by `tests/golden/record_onnx_kernels.py` ({version}).

    "Where": "1 2 -> 0: float32"       inputs 1 and 2, and output 0, have the type that varies; of these there are kernels

An op that is not named takes all types. `...` after an input means that and all behind it.
"""

# names: ONNX's ops
KERNELS = {{
'''


def plain(types):
    return {NAMES[t[7:-1]] for t in types if t.startswith("tensor(") and t[7:-1] in NAMES}


def kernels():
    found = {}
    for kernel in runtime.get_all_opkernel_def():
        first, last = kernel.version_range
        if kernel.domain == "" and "CPU" in kernel.provider and first <= OPSET <= last:
            for variable, types in kernel.type_constraints.items():
                found.setdefault(kernel.op_name, {}).setdefault(variable, set()).update(plain(types))
    return found


def line(name, there):
    schema = onnx.defs.get_schema(name, OPSET, "")
    allowed = {c.type_param_str: plain(c.allowed_type_strs) for c in schema.type_constraints}
    variable = max(allowed, key=lambda v: len(allowed[v]), default=None)
    if variable is None or variable not in there or len(allowed[variable]) < 2:
        return None
    if there[variable] >= set(NAMES.values()) or name in ("Cast", "Shape"):
        return None
    variadic = onnx.defs.OpSchema.FormalParameterOption.Variadic
    inputs = [f"{i}{'...' if p.option == variadic else ''}" for i, p in enumerate(schema.inputs) if p.type_str == variable]
    outputs = [str(i) for i, p in enumerate(schema.outputs) if p.type_str == variable]
    if name == "Pow":  # its exponent may have a type of its own, which we do not use
        inputs, outputs = ["0", "1"], ["0"]
    if not inputs:
        return None
    return f'    "{name}": "{" ".join(inputs)} -> {" ".join(outputs)}: {" ".join(sorted(there[variable]))}",\n'


def main():
    found = kernels()
    there = {s.name for s in onnx.defs.get_all_schemas() if s.domain == ""}
    body = [line(name, found[name]) for name in sorted(found) if name in there]
    import onnxruntime

    text = HEAD.format(version=f"onnxruntime {onnxruntime.__version__}") + "".join(filter(None, body)) + "}\n"
    (ROOT / "graphrt/export/onnx/kernels.py").write_text(text)


if __name__ == "__main__":
    main()
