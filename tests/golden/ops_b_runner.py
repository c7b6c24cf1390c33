"""Runs a case of `ops_b_cases` with a module that has TensorFlow's names, and says what came out."""

import numpy as np


def outcome(call):
    try:
        found = call()
    except Exception as error:
        return {"error": type(error).__name__}, error
    return found, None


def values_of(found):
    leaves = list(found) if isinstance(found, (list, tuple)) else [found]
    out = []
    for leaf in leaves:
        if leaf is None:
            out.append(None)
            continue
        array = np.asarray(leaf.numpy())
        flat = array.reshape(-1).tolist()
        shown = [v.decode("latin-1") if isinstance(v, bytes) else str(v) if isinstance(v, complex) else v for v in flat]
        out.append({"dtype": leaf.dtype.name, "shape": list(array.shape), "values": shown})
    return out


def run_eagerly(tf, case):
    expression, *args = case
    scope = {"tf": tf, "np": np}
    scope.update({n: tf.constant(a[0], a[1]) for n, a in zip("abc", args)})
    found, error = outcome(lambda: eval(expression, scope))
    return (found if error is not None else {"result": values_of(found)}), error


def specs_of(tf, case):
    out = []
    for n, (values, dtype, *dims) in zip("abc", case[1:]):
        out.append(tf.TensorSpec(dims[0] if dims else list(np.shape(values)), dtype, name=n))
    return out


def shape_of(leaf):
    return None if leaf is None or leaf.shape.rank is None else leaf.shape.as_list()


def function_of(tf, case):
    expression, *args = case
    names = list("abc"[: len(args)])

    def f(*values):
        return eval(expression, {"tf": tf, "np": np, **dict(zip(names, values))})

    scope = {"f": f}
    exec(f"def g({', '.join(names)}):\n    return f({', '.join(names)})", scope)
    return scope["g"]
