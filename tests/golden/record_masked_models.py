"""Records in masked_models.json the operations that Keras counts in models with masks, in its order.

python -m tests.golden.record_masked_models      (with an interpreter that has TensorFlow)
"""

import json
import pathlib

import tensorflow as tf

from tests.golden import masked_model_cases


def main():
    found = {}
    for name, build in masked_model_cases.CASES.items():
        model = build(tf)
        graph = model if hasattr(model, "_operations") else model._functional
        found[name] = " ".join(type(operation).__name__ for operation in graph._operations)
    path = pathlib.Path(__file__).parent / "masked_models.json"
    path.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
