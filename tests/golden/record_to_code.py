"""Records what TensorFlow's `tf.autograph.to_code` prints for the functions of `to_code_zoo`.

    python -m tests.golden.record_to_code        (with a Python that has TensorFlow)
"""

import json
import os

from tests.golden import to_code_zoo as zoo

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import tensorflow as tf

HERE = os.path.dirname(os.path.abspath(__file__))


zoo.set_loop_options = tf.autograph.experimental.set_loop_options

FEATURES = ("LISTS", "EQUALITY_OPERATORS", "ASSERT_STATEMENTS", "BUILTIN_FUNCTIONS")


def _text(function, features=None):
    try:
        return {"text": tf.autograph.to_code(function, experimental_optional_features=features)}
    except Exception as error:
        return {"error": type(error).__name__, "message": str(error).strip().splitlines()[-1][:200]}


def main():
    texts = {name: _text(function) for name, function in zoo.FUNCTIONS.items()}
    for feature in FEATURES:
        member = tf.autograph.experimental.Feature[feature]
        for name, function in zoo.FUNCTIONS.items():
            if name.startswith(("stmt_", "expr_", "assign_", "big_", "lambda_")):
                found = _text(function, member)
                if found.get("text", "").replace(f"ag__.Feature.{feature}", "()") != texts[name].get("text"):
                    texts[f"{name}/{feature}"] = found
    data = {"tensorflow": tf.__version__, "texts": texts}
    with open(os.path.join(HERE, "to_code.json"), "w", encoding="utf-8", newline="\n") as file:
        json.dump(data, file, indent=1, ensure_ascii=False)
        file.write("\n")
    print(len(texts), "texts,", sum("error" in t for t in texts.values()), "refused")


if __name__ == "__main__":
    main()
