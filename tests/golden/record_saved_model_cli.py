"""Records a SavedModel of TensorFlow, and what its `saved_model_cli show` prints of it.

Run with the Python of an environment that has TensorFlow 2.20: python tests/golden/record_saved_model_cli.py
"""

import os
import shutil
import subprocess
import sys

import tensorflow as tf

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "saved_model_cli")


class Scale(tf.Module):
    def __init__(self):
        super().__init__()
        self.w = tf.Variable([[1.0, 2.0], [3.0, 4.0]])

    @tf.function(input_signature=[
        tf.TensorSpec([None, 2], tf.float32, name="x"), tf.TensorSpec([], tf.int32, name="n"),
    ])  # fmt: skip
    def f(self, x, n):
        return {"y": x @ self.w, "text": tf.strings.as_string(n)}

    @tf.function(input_signature=[{"a": tf.TensorSpec(None)}, [tf.TensorSpec([3], tf.float16)], tf.RaggedTensorSpec([2, None])])
    def nested(self, x, y, z):
        return x["a"]


def show(name, *arguments):
    cli = os.path.join(os.path.dirname(sys.executable), "saved_model_cli")
    text = subprocess.run([cli, "show", "--dir", MODEL, *arguments], capture_output=True, text=True, check=True).stdout
    with open(os.path.join(FOLDER, name), "w") as file:
        file.write(text)


MODEL = os.path.join(FOLDER, "model")
shutil.rmtree(FOLDER, ignore_errors=True)
module = Scale()
tf.saved_model.save(module, MODEL, signatures=module.f)
show("show_all.txt", "--all")
show("show_signature.txt", "--tag_set", "serve", "--signature_def", "serving_default")
