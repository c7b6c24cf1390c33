"""`from_onnx`: an ONNX file as a concrete function."""

from __future__ import annotations

import os

from graphrt.export.onnx.reader import Reader
from graphrt.export.onnx.readings import all_readings
from graphrt.export.onnx.tensors import read_model
from graphrt.function.concrete import ConcreteFunction
from graphrt.types.likes import PathLike


def from_onnx(path: PathLike) -> ConcreteFunction:
    """The model of an ONNX file (opset 13 to 21) as a concrete function, whose arguments have the names of its inputs.

    A result is a tensor; several are a tuple if they are called `output_0`, `output_1`, ..., as `to_onnx` calls them, or
    else a dict by their names. The function runs under `tf.config.limits`, as every graph from outside.

    >>> import graphrt as tf, os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "model.onnx")
    >>> tf.export.to_onnx(tf.function(lambda x: x * 2.0).get_concrete_function(tf.TensorSpec([None], name="x")), path)
    >>> double = tf.export.from_onnx(path)
    >>> double(tf.constant([1.0, 2.0])).numpy().tolist(), double.structured_input_signature[0][0].name
    ([2.0, 4.0], 'x')

    Raises:
      DataLossError: the file is damaged: file, node and reason are told.
      NotFoundError: there is none.
      PermissionDeniedError: it names data outside of its directory.
      ResourceExhaustedError: it asks for more than the limits allow.
      UnimplementedError: it uses ops that cannot be read; all of them are listed with their nodes.
    """
    where = os.fsdecode(path)
    return Reader(read_model(where), where, all_readings()).concrete()
