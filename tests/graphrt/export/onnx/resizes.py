"""Models of one Resize, in many ways: `CASES`, name -> (message, array). ONNX Runtime's answers stand in `resizes.json`.

PYTHONPATH=. python -m tests.graphrt.export.onnx.resizes      with a Python that has onnxruntime: records them
"""

import itertools
import json
import pathlib

import numpy as np

from graphrt.export.onnx import schema
from graphrt.export.onnx.writing import write_tensor

ANSWERS = pathlib.Path(__file__).with_name("resizes.json")
LINE = np.float32([3, -1, 4, 1, -5, 9, 2]).reshape(1, 1, 1, 7)
PLANE = np.float32([[1, 2, 3, 4], [5, -6, 7, 8], [9, 10, 11, -12]]).reshape(1, 1, 3, 4)
F, I, S = schema.FLOAT, schema.INT, schema.STRING


def model(array, scales=None, sizes=None, roi=None, axes=None, **attributes):
    found = schema.message_class("ModelProto")(ir_version=8)
    found.opset_import.add(domain="", version=19)
    found.graph.name = "g"
    for port, name in ((found.graph.input.add(), "x"), (found.graph.output.add(), "y")):
        port.name, port.type.tensor_type.elem_type = name, 1
    for size in array.shape:
        found.graph.input[0].type.tensor_type.shape.dim.add(dim_value=size)
    node = found.graph.node.add(op_type="Resize", name="resized")
    given = {"roi": roi, "scales": scales, "sizes": sizes}
    node.input.extend(["x", *("" if v is None else k for k, v in given.items())])
    node.output.append("y")
    for name, value in given.items():
        if value is not None:
            write_tensor(
                found.graph.initializer.add(), np.array(value, np.int64 if name == "sizes" else np.float32), name
            )
    for name, value in attributes.items():
        field, kind = {str: ("s", S), int: ("i", I), float: ("f", F)}[type(value)]
        attribute = node.attribute.add(name=name, type=kind)
        setattr(attribute, field, value.encode() if isinstance(value, str) else value)
    if axes is not None:
        node.attribute.add(name="axes", type=schema.INTS).ints.extend(axes)
    return found, array


CASES = {}
WAYS = ["half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric", "half_pixel_symmetric"]
HOW = {"smaller": {"scales": [1, 1, 1, 0.6]}, "larger": {"scales": [1, 1, 1, 1.7]}, "sized": {"sizes": [1, 1, 1, 5]}}
for way, (how, sizes) in itertools.product(WAYS, HOW.items()):
    for mode in ("linear", "cubic"):
        CASES[f"{mode} {way} {how}"] = model(LINE, **sizes, mode=mode, coordinate_transformation_mode=way)
    if way == "half_pixel_symmetric":
        continue  # where elements are as near as others, it depends on the order of operations
    for rounding in ("floor", "ceil", "round_prefer_floor", "round_prefer_ceil"):
        CASES[f"nearest {way} {how} {rounding}"] = model(
            LINE, **sizes, mode="nearest", coordinate_transformation_mode=way, nearest_mode=rounding
        )
for mode, how in itertools.product(("linear", "cubic"), HOW):
    CASES[f"{mode} antialias {how}"] = model(LINE, **HOW[how], mode=mode, antialias=1, exclude_outside=1)
for number in (-0.5, -0.75):
    CASES[f"cubic {number} excluded"] = model(
        LINE, **HOW["larger"], mode="cubic", cubic_coeff_a=number, exclude_outside=1
    )
for policy in ("not_larger", "not_smaller"):
    CASES[policy] = model(PLANE, sizes=[7, 6], axes=[2, 3], mode="linear", keep_aspect_ratio_policy=policy)
CASES["axes"] = model(PLANE, scales=[2.5, 0.5], axes=[3, 2], mode="linear")
CASES["batch"] = model(
    PLANE.reshape(3, 4, 1, 1),
    scales=[2, 1, 1, 1],
    mode="nearest",
    coordinate_transformation_mode="asymmetric",
    nearest_mode="floor",
)
CASES["parts"] = model(
    PLANE, sizes=[1, 1, 4, 5], roi=[0, 0, 0.25, -0.5, 1, 1, 0.75, 1.5], mode="linear",
    coordinate_transformation_mode="tf_crop_and_resize", extrapolation_value=10.0,
)  # fmt: skip


def main():
    import onnxruntime

    answers = {}
    for name, (message, array) in CASES.items():
        try:
            session = onnxruntime.InferenceSession(message.SerializeToString())
            (found,) = session.run(None, {"x": array})
        except Exception as error:
            print(name, str(error)[:150])
            continue
        answers[name] = [list(found.shape), [float(f"{v:.7g}") for v in found.ravel()]]
    ANSWERS.write_text("{\n" + ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in answers.items()) + "\n}\n")


if __name__ == "__main__":
    main()
