"""Which ranks the inputs of raw ops may have while tracing, one input at a time, of the others nothing being known."""

import json
import os

from tests.golden.op_samples_cases import CASES

HERE = os.path.dirname(os.path.abspath(__file__))
SCHEMAS = json.load(open(os.path.join(HERE, "op_schemas.json")))
GOLDEN = os.path.join(HERE, "op_ranks.json")
RANKS = range(7)
RENAMED = {"reduction_indices": "axis", "split_dim": "axis", "squeeze_dims": "axis"}
OF_OPS = {"ExpandDims": {"dim": "axis"}, "Select": {"t": "x", "e": "y"}, "SelectV2": {}, "Where": {"input": "condition"}}
NUMBERS = {1: "float32", 2: "float64", 3: "int32", 4: "uint8", 7: "string", 8: "complex64", 9: "int64", 10: "bool"}
PREFERRED = (1, 8, 3, 9, 7, 10, 4, 2)
USUAL = {
    "int": 1, "float": 0.5, "bool": False, "string": "", "shape": None, "list(int)": [1, 1, 1, 1], "list(float)": [1.0],
    "list(string)": ["a"], "list(bool)": [False], "list(shape)": [None],
}  # fmt: skip


def _attributes(tf, op):
    """Attributes of a use of the op that have no default: those of its first sample, else usual ones."""
    schema = SCHEMAS[op]
    sample = dict(CASES[op][0][1]) if op in CASES else {}
    given, types = {}, {}
    for attr in schema["attrs"]:
        name, kind = attr["name"], attr["kind"]
        if kind == "type":
            allowed = attr.get("allowed") or list(PREFERRED)
            number = next((n for n in PREFERRED if n in allowed), None)
            default = attr["default"]["type"].removeprefix("DT_").lower() if "default" in attr else None
            default = {"float": "float32", "double": "float64", "half": "float16"}.get(default, default)
            chosen = sample.get(name) or default or NUMBERS.get(number)
            if chosen is None:
                return None
            types[name] = tf.as_dtype(chosen)
            fed = any(i["type_attr"] == name for i in schema["inputs"])
            if not fed and "default" not in attr:
                given[name] = types[name]
        elif name in sample:
            given[name] = sample[name]
        elif "default" not in attr and not any(name in (i["number_attr"], i["list_attr"]) for i in schema["inputs"]):
            if kind not in USUAL:
                return None
            given[name] = attr["allowed"][0] if attr.get("allowed") else USUAL[kind]
            if kind == "int" and "minimum" in attr:
                given[name] = max(1, attr["minimum"])
    return given, types


def _accepts(tf, op, given, types, ranks):
    """Whether a use whose inputs have these ranks is taken while tracing."""
    renamed = OF_OPS.get(op, RENAMED)
    args = SCHEMAS[op]["inputs"]
    if any(arg["list_attr"] for arg in args):
        raise NotImplementedError  # how many there are is the caller's to say
    specs = []
    for arg, rank in zip(args, ranks):
        dtype = types[arg["type_attr"]] if arg["type_attr"] else tf.as_dtype(arg["type"])
        specs += [tf.TensorSpec(None if rank is None else [None] * rank, dtype)] * (2 if arg["number_attr"] else 1)

    def function(*tensors):
        left = iter(tensors)
        inputs = {
            renamed.get(arg["name"], arg["name"]): [next(left), next(left)] if arg["number_attr"] else next(left)
            for arg in args
        }
        attrs = {renamed.get(n, n): v for n, v in given.items()}
        getattr(tf.raw_ops, op)(**inputs, **attrs)

    try:
        tf.function(function, input_signature=specs, autograph=False).get_concrete_function()
    except Exception as error:
        return type(error).__name__
    return True


def answers_of(tf, op):
    """For each input by its name, True or the class of the error for each of `RANKS`; None where no use is known."""
    found = _attributes(tf, op)
    inputs = SCHEMAS[op]["inputs"]
    if found is None or not inputs or any(i["type"] == 20 for i in inputs):
        return None
    try:
        if _accepts(tf, op, *found, [None] * len(inputs)) is not True:
            return None
        return {
            arg["name"]: [
                _accepts(tf, op, *found, [rank if i == place else None for i in range(len(inputs))]) for rank in RANKS
            ]
            for place, arg in enumerate(inputs)
        }
    except NotImplementedError:
        return None


def ranks_of(tf, op):
    """By the name of each input for which only some ranks are taken, these."""
    taken = {
        name: [r for r, a in zip(RANKS, answers) if a is True] for name, answers in (answers_of(tf, op) or {}).items()
    }
    return {name: ranks for name, ranks in taken.items() if ranks != list(RANKS)}
