"""Chains of raw ops: those with state (variables, tables, queues, lists, datasets), and those that work on what others give.

A chain is a list of calls `(op, inputs, attributes)`; an input is as in `op_samples_cases`, or `Of(step, output)`, an output of an
earlier call. An op that fails in a chain shows by what follows that it changed nothing. `record_op_chains.py` records what
TensorFlow gives.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tests.golden.op_samples_cases import A

REAL = ["float16", "bfloat16", "float32", "float64"]
NUMBERS = [*REAL, "int32", "int64", "uint8", "complex64"]


class Of(NamedTuple):
    step: int
    output: int = 0


CHAINS: dict[str, list] = {}


def chain(name, *calls):
    CHAINS.setdefault(name, []).append([(op, inputs, attrs) for op, inputs, attrs in calls])


def call(op, *inputs, **attrs):
    return op, inputs, attrs


def scalar(dtype, value):
    return (dtype, value) if dtype in ("bfloat16", "float16") else np.array(value, dtype)


def i32(*values):
    return np.array(values, "int32")


def i64(*values):
    return np.array(values, "int64")


class Variables:
    """Calls that make variables first: `of(value)` is the handle of a new one."""

    def __init__(self):
        self.calls, self.handles = [], []

    def of(self, value, dtype, shape):
        step = len(self.calls)
        self.calls.append(call("VarHandleOp", dtype=dtype, shape=list(shape)))
        self.calls.append(call("AssignVariableOp", Of(step), value))
        self.handles.append((Of(step), dtype))
        return Of(step)

    def then(self, *calls):
        read = [call("ReadVariableOp", handle, dtype=dtype) for handle, dtype in self.handles]
        return [*self.calls, *calls, *read]


# --- updates of variables by gradients -------------------------------------------------------------------------------
VALUES = {
    "lr": 0.5, "alpha": 0.25, "beta": 0.25, "beta1": 0.5, "beta2": 0.75, "beta1_power": 0.5, "beta2_power": 0.75, "epsilon": 0.125, "rho": 0.5,
    "momentum": 0.75, "l1": 0.125, "l2": 0.25, "l2_shrinkage": 0.125, "lr_power": -0.5, "logbase": 0.5, "sign_decay": 0.5,
}  # fmt: skip
DENSE = {
    "AdaMax": "var m v beta1_power lr beta1 beta2 epsilon grad", "Adadelta": "var accum accum lr rho epsilon grad",
    "Adagrad": "var accum lr grad", "AdagradDA": "var accum accum grad lr l1 l2 step", "AdagradV2": "var accum lr epsilon grad",
    "Adam": "var m v beta1_power beta2_power lr beta1 beta2 epsilon grad",
    "AdamWithAmsgrad": "var m v accum beta1_power beta2_power lr beta1 beta2 epsilon grad",
    "AddSign": "var m lr alpha sign_decay beta grad", "CenteredRMSProp": "var small accum m lr rho momentum epsilon grad",
    "Ftrl": "var accum m grad lr l1 l2 lr_power", "FtrlV2": "var accum m grad lr l1 l2 l2_shrinkage lr_power",
    "GradientDescent": "var alpha grad", "KerasMomentum": "var m lr grad momentum", "Momentum": "var m lr grad momentum",
    "PowerSign": "var m lr logbase sign_decay beta grad", "ProximalAdagrad": "var accum lr l1 l2 grad",
    "ProximalGradientDescent": "var alpha l1 l2 grad", "RMSProp": "var accum m lr rho momentum epsilon grad",
}  # fmt: skip
SPARSE = {
    "Adadelta": "var accum accum lr rho epsilon grad indices", "Adagrad": "var accum lr grad indices",
    "AdagradDA": "var accum accum grad indices lr l1 l2 step", "AdagradV2": "var accum lr epsilon grad indices",
    "CenteredRMSProp": "var small accum m lr rho momentum epsilon grad indices", "Ftrl": "var accum m grad indices lr l1 l2 lr_power",
    "FtrlV2": "var accum m grad indices lr l1 l2 l2_shrinkage lr_power", "KerasMomentum": "var m lr grad indices momentum",
    "Momentum": "var m lr grad indices momentum", "ProximalAdagrad": "var accum lr l1 l2 grad indices",
    "ProximalGradientDescent": "var alpha l1 l2 grad indices", "RMSProp": "var accum m lr rho momentum epsilon grad indices",
}  # fmt: skip
FLAGS = {
    "Momentum": "use_nesterov",
    "KerasMomentum": "use_nesterov",
    "Adam": "use_nesterov",
    "Adagrad": "update_slots",
    "AdagradV2": "update_slots",
    "Ftrl": "multiply_linear_by_lr",
    "FtrlV2": "multiply_linear_by_lr",
}
SLOTS = {"var": "any", "m": "small", "v": "above", "accum": "above", "small": "part"}


def update(op, names, dtype, shape, grad, indices=(), wrong=None, **attrs):
    variables = Variables()
    inputs = []
    for name in names.split():
        if name in SLOTS:
            slot = (5,) if wrong == "slot" and name not in ("var",) else shape
            inputs.append(variables.of(A(dtype, slot, SLOTS[name]), dtype, slot))
        elif name == "grad":
            inputs.append(A(dtype, grad, "small"))
        elif name == "indices":
            inputs.append(indices)
        elif name == "step":
            inputs.append(np.array(3, "int64"))
        else:
            inputs.append(
                A(dtype, (2,), "part") if wrong == "rate" and name in ("lr", "alpha") else scalar(dtype, VALUES[name])
            )
    chain(op, *variables.then(call(op, *inputs, **attrs)))


for _rule, _names in DENSE.items():
    _op = f"ResourceApply{_rule}"
    for _dtype in REAL:
        for _shape in [(3,), (0,), (), (2, 3)] if _dtype == "float32" else [(2, 3)]:
            update(_op, _names, _dtype, _shape, _shape)
    update(_op, _names, "float32", (40,), (40,), use_locking=True)
    update(_op, _names, "float64", (2, 0, 3), (2, 0, 3))
    update(_op, _names, "float64", (1,), (1,))
    if _rule in FLAGS:
        update(_op, _names, "float32", (2, 3), (2, 3), **{FLAGS[_rule]: _rule not in ("Adagrad", "AdagradV2")})
    update(_op, _names, "float32", (3,), (2,))
    update(_op, _names, "float32", (3,), (1, 3))
    update(_op, _names, "float32", (3,), (3,), wrong="rate")
    update(_op, _names, "float32", (3,), (3,), wrong="slot")
for _rule, _names in SPARSE.items():
    _op = f"ResourceSparseApply{_rule}"
    for _dtype in REAL:
        update(_op, _names, _dtype, (4, 2), (2, 2), i32(2, 0))
    for _shape, _grad, _indices in [
        ((4,), (2,), i64(3, 1)), ((4, 2), (0, 2), i32()), ((4, 2), (2, 2), i32(1, 1)), ((3, 2, 2), (1, 2, 2), i64(2)),
        ((4, 2), (2, 2), i32(4, 0)), ((4, 2), (2, 2), i32(-1, 0)), ((4, 2), (3, 2), i32(1, 0)), ((4, 2), (2, 3), i32(1, 0)), ((), (1,), i32(0)),
    ]:  # fmt: skip
        update(_op, _names, "float32", _shape, _grad, _indices)
    if _rule in FLAGS:
        update(
            _op, _names, "float64", (4, 2), (2, 2), i32(2, 0), **{FLAGS[_rule]: _rule not in ("Adagrad", "AdagradV2")}
        )
    update(_op, _names, "float32", (4, 2), (2, 2), i32(1, 0), wrong="rate")


# --- variables -------------------------------------------------------------------------------------------------------
def on_variable(op, of, shape, /, *inputs, **attrs):
    variables = Variables()
    handle = variables.of(A(of, shape), of, shape)
    chain(op, *variables.then(call(op, handle, *inputs, **attrs)))


for _dtype in [*NUMBERS, "bool", "string"]:
    on_variable("AssignVariableOp", _dtype, (2, 3), A(_dtype, (2, 3), "positive"))
    on_variable("ReadVariableOp", _dtype, (2, 3), dtype=_dtype)
    on_variable("ResourceGather", _dtype, (3, 2), i32(2, 0), dtype=_dtype)
    on_variable("ResourceGatherNd", _dtype, (3, 2), np.array([[2, 1], [0, 0]], "int64"), dtype=_dtype)
    on_variable(
        "ResourceStridedSliceAssign", _dtype, (3, 2), i32(0, 1), i32(3, 2), i32(2, 1), A(_dtype, (2, 1), "positive")
    )
    on_variable("ResourceScatterUpdate", _dtype, (4, 2), i32(3, 1), A(_dtype, (2, 2), "positive"))
    on_variable("ResourceScatterNdUpdate", _dtype, (4, 2), np.array([[3], [1]], "int32"), A(_dtype, (2, 2), "positive"))
    on_variable("VariableShape", _dtype, (2, 3))
    on_variable("VarIsInitializedOp", _dtype, (0,))
for _op in ("AssignAddVariableOp", "AssignSubVariableOp"):
    for _dtype in NUMBERS:
        on_variable(_op, _dtype, (2, 3), A(_dtype, (2, 3), "positive"))
    for _value in ((), (3,), (0, 3), (2, 1), (2, 3, 1)):
        on_variable(_op, "float32", (2, 3), A("float32", _value))
    on_variable(_op, "float32", (), A("float32", ()))
    on_variable(_op, "float32", (2,), A("float32", (2,)))
    on_variable(_op, "float32", (0,), A("float32", (0,)))
on_variable("AssignVariableOp", "float32", (2,), A("float32", (3,)), validate_shape=True)
on_variable("AssignVariableOp", "float32", (2,), A("float32", (3,)))
on_variable("AssignVariableOp", "float32", (2,), A("float64", (2,)))
on_variable("ReadVariableOp", "float32", (2,), dtype="int32")
for _shape in ((), (0, 3), (5,), (1, 2, 3)):
    on_variable("VariableShape", "float32", _shape, out_type="int64")
    on_variable("ReadVariableOp", "float32", _shape, dtype="float32")
chain(
    "VarIsInitializedOp",
    call("VarHandleOp", dtype="float32", shape=[2]),
    call("VarIsInitializedOp", Of(0)),
    call("ReadVariableOp", Of(0), dtype="float32"),
    call("VariableShape", Of(0)),
)
for _dtype in ("float32", "int64", "string", "bool"):
    chain("DestroyResourceOp", call("VarHandleOp", dtype=_dtype, shape=[2]), call("DestroyResourceOp", Of(0)), call("DestroyResourceOp", Of(0), ignore_lookup_error=False),
          call("AssignVariableOp", Of(0), A(_dtype, (2,))), call("DestroyResourceOp", Of(0), ignore_lookup_error=False), call("ReadVariableOp", Of(0), dtype=_dtype), call("VarIsInitializedOp", Of(0)))  # fmt: skip
for _limit in (5, 3, 2, -1):
    for _dtype in ("int32", "int64"):
        _variables = Variables()
        _handle = _variables.of(np.array(2, _dtype), _dtype, ())
        chain(
            "ResourceCountUpTo",
            *_variables.then(*[call("ResourceCountUpTo", _handle, limit=_limit, T=_dtype) for _ in range(3)]),
        )
for _indices, _batch in (
    (3, 0),
    ([], 0),
    ([[0, 1]], 0),
    ([5], 0),
    ([-1], 0),
    ([[0], [1], [0]], 1),
    ([[0], [2], [0]], 1),
):
    on_variable("ResourceGather", "float32", (3, 2), np.array(_indices, "int32"), dtype="float32", batch_dims=_batch)
for _indices in ([[0], [2]], [[3]], [[-1, 0]], [[]], [0, 1]):
    on_variable("ResourceGatherNd", "float32", (3, 2), np.array(_indices, "int32"), dtype="float32")
for _op in ("Add", "Sub", "Mul", "Div", "Min", "Max", "Update"):
    for _dtype in ["float32", "float16", "bfloat16", "float64", "int32", "int64"]:
        on_variable(f"ResourceScatter{_op}", _dtype, (4, 2), i32(3, 1), A(_dtype, (2, 2), "positive"))
    for _indices, _shape in (
        ([1, 1], (2, 2)), ([], (0, 2)), (2, (2,)), ([[0, 1]], (1, 2, 2)), ([4, 0], (2, 2)), ([-1, 0], (2, 2)), ([0, 1], (2, 3)), ([0, 1], ()), ([0], (2, 2)),
    ):  # fmt: skip
        on_variable(
            f"ResourceScatter{_op}", "float32", (4, 2), np.array(_indices, "int64"), A("float32", _shape, "positive")
        )
for _op in ("Add", "Sub", "Min", "Max", "Update"):
    for _dtype in ["float32", "float64", "int32", "int64", "bfloat16"]:
        on_variable(
            f"ResourceScatterNd{_op}", _dtype, (4, 2), np.array([[3, 1], [0, 0]], "int32"), A(_dtype, (2,), "positive")
        )
    for _indices, _shape in (
        ([[1], [1]], (2, 2)), ([[4]], (1, 2)), ([[-1]], (1, 2)), ([[0, 0, 0]], (1,)), ([[2]], (2,)), ([[2, 1], [2, 1]], (2,)), ([[[0], [3]]], (1, 2, 2)), ([[0], [1]], (1, 2)),
    ):  # fmt: skip
        on_variable(
            f"ResourceScatterNd{_op}", "float32", (4, 2), np.array(_indices, "int64"), A("float32", _shape, "positive")
        )
for _spec, _value, _masks in (
    ((i32(1), i32(2), i32(1)), (2,), {"shrink_axis_mask": 1}), ((i32(0, 0), i32(0, 0), i32(1, 1)), (3, 2), {"begin_mask": 3, "end_mask": 3}),
    ((i32(0, 0), i32(0, 1), i32(1, 1)), (), {"ellipsis_mask": 1}), ((i32(2, 1), i32(-9, -9), i32(-1, -1)), (3, 2), {}), ((i32(5), i32(6), i32(1)), (0, 2), {}),
    ((i32(0), i32(2), i32(0)), (2, 2), {}), ((i32(0), i32(2), i32(1)), (3, 2), {}), ((i32(0), i32(2), i32(1)), (1,), {}),
):  # fmt: skip
    on_variable("ResourceStridedSliceAssign", "float32", (3, 2), *_spec, A("float32", _value, "positive"), **_masks)

# --- tables ----------------------------------------------------------------------------------------------------------
KEYS = {
    "int64": [i64(1, 2, 3), i64(2, 9, -1), i64(2, 7)],
    "int32": [i32(1, 2, 3), i32(2, 9, -1), i32(2, 7)],
    "string": [np.array(v, object) for v in ([b"a", b"b", b"c"], [b"b", b"z", b""], [b"b", b"y"])],
}
PAIRS = [
    ("int64", "float32"),
    ("int64", "int64"),
    ("int64", "string"),
    ("string", "int64"),
    ("string", "float32"),
    ("string", "string"),
    ("string", "bool"),
    ("int32", "float32"),
    ("int32", "int32"),
    ("int64", "int32"),
    ("string", "int32"),
    ("string", "float64"),
    ("int64", "float64"),
    ("int64", "bool"),
]
for _key, _value in PAIRS:
    _keys, _asked, _later = KEYS[_key]
    _default = A(_value, (), "positive")
    _static = "HashTableV2"
    chain("HashTable", call("HashTableV2", key_dtype=_key, value_dtype=_value), call("LookupTableFindV2", Of(0), _asked, _default),
          call("InitializeTableV2", Of(0), _keys, A(_value, (3,))), call("LookupTableFindV2", Of(0), _asked, _default), call("LookupTableSizeV2", Of(0)),
          call("InitializeTableV2", Of(0), _later, A(_value, (2,), "positive")), call("LookupTableFindV2", Of(0), _asked.reshape(1, 3), _default), call("LookupTableInsertV2", Of(0), _later, A(_value, (2,))))  # fmt: skip
    for _op, _shape in (
        ("MutableHashTableV2", ()),
        ("MutableHashTableOfTensorsV2", (2,)),
        ("MutableDenseHashTableV2", (2,)),
    ):
        _attrs = {} if _op == "MutableHashTableV2" else {"value_shape": list(_shape)}
        _extra = (
            []
            if _op != "MutableDenseHashTableV2"
            else [
                _keys[0] * 100 if _key != "string" else np.array(b"e", object),
                _keys[0] * 101 if _key != "string" else np.array(b"d", object),
            ]
        )
        _attrs |= {"key_dtype": _key} if not _extra else {}
        _default = A(_value, _shape, "positive")
        chain(_op, call(_op, *_extra, value_dtype=_value, **_attrs), call("LookupTableSizeV2", Of(0)), call("LookupTableInsertV2", Of(0), _keys, A(_value, (3, *_shape))),
              call("LookupTableFindV2", Of(0), _asked, _default), call("LookupTableInsertV2", Of(0), _later, A(_value, (2, *_shape), "positive")), call("LookupTableSizeV2", Of(0)),
              call("LookupTableFindV2", Of(0), _asked, _default), call("LookupTableRemoveV2", Of(0), _later), call("LookupTableSizeV2", Of(0)), call("LookupTableFindV2", Of(0), _asked.reshape(3, 1), _default),
              call("LookupTableInsertV2", Of(0), _keys[:0], A(_value, (0, *_shape))), *([] if _extra else [call("LookupTableInsertV2", Of(0), _keys, A(_value, (2, *_shape))), call("LookupTableFindV2", Of(0), _asked, A(_value, (4,)))]),
              call("LookupTableImportV2", Of(0), _later[:1], A(_value, (1, *_shape))), call("LookupTableExportV2", Of(0), Tkeys=_key, Tvalues=_value) if not _extra else call("LookupTableSizeV2", Of(0)))  # fmt: skip

# --- queues ----------------------------------------------------------------------------------------------------------
for _op, _attrs in (
    ("FIFOQueueV2", {}),
    ("PaddingFIFOQueueV2", {}),
    ("FIFOQueueV2", {"capacity": 2}),
    ("FIFOQueueV2", {"shapes": [[2]]}),
    ("PaddingFIFOQueueV2", {"shapes": [[None]]}),
    ("RandomShuffleQueueV2", {"seed": 1, "seed2": 2}),
):
    for _dtype in ("float32", "int64", "string", "bool"):
        _shapes = _attrs.get("shapes")
        _each = () if _shapes is None else (2,)
        if _op == "PaddingFIFOQueueV2" and _shapes is None:
            _attrs = {"shapes": [[]]}
        _many = {"component_types": [_dtype]}
        chain(_op, call(_op, component_types=[_dtype], **_attrs), call("QueueSizeV2", Of(0)), call("QueueEnqueueV2", Of(0), [A(_dtype, _each)]),
              call("QueueEnqueueManyV2", Of(0), [A(_dtype, (1, *_each), "positive")]), call("QueueSizeV2", Of(0)), call("QueueEnqueueV2", Of(0), [A("complex64", _each)]),
              call("QueueIsClosedV2", Of(0)), call("QueueCloseV2", Of(0)), call("QueueIsClosedV2", Of(0)), call("QueueEnqueueV2", Of(0), [A(_dtype, _each)]),
              *([call("QueueDequeueV2", Of(0), **_many), call("QueueDequeueV2", Of(0), **_many)] if _op != "RandomShuffleQueueV2" else []), call("QueueDequeueUpToV2", Of(0), np.array(0, "int32"), **_many) if _shapes else call("QueueSizeV2", Of(0)),
              call("QueueSizeV2", Of(0)), *([call("QueueDequeueV2", Of(0), **_many)] if _op != "RandomShuffleQueueV2" else []))  # fmt: skip
for _dtype in ("float32", "int32", "string"):
    for _count in (1, 2, 3, 5, 0):
        chain("QueueDequeueMany", call("FIFOQueueV2", component_types=[_dtype, "int64"], shapes=[[2], []]), call("QueueEnqueueManyV2", Of(0), [A(_dtype, (3, 2)), i64(1, 2, 3)]), call("QueueCloseV2", Of(0)),
              call("QueueDequeueManyV2", Of(0), np.array(_count, "int32"), component_types=[_dtype, "int64"]), call("QueueSizeV2", Of(0)), call("QueueDequeueUpToV2", Of(0), np.array(_count, "int32"), component_types=[_dtype, "int64"]), call("QueueSizeV2", Of(0)))  # fmt: skip
        chain("PriorityQueueV2", call("PriorityQueueV2", component_types=[_dtype], shapes=[[]]), call("QueueEnqueueManyV2", Of(0), [i64(5, -1, 3), A(_dtype, (3,))]), call("QueueEnqueueV2", Of(0), [np.array(_count, "int64"), A(_dtype, (), "positive")]),
              *[call("QueueDequeueV2", Of(0), component_types=["int64", _dtype]) for _ in range(4)], call("QueueSizeV2", Of(0)))  # fmt: skip

# --- lists of tensors ------------------------------------------------------------------------------------------------
for _dtype in ["float32", "int32", "string", "bool", "complex64", "bfloat16", "int64", "uint8", "float64", "float16"]:
    for _shape in [(2,), (), (0,), (2, 3)] if _dtype in ("float32", "string") else [(2,)]:
        _dims = np.array(_shape, "int32")
        _of = {"element_dtype": _dtype}
        chain("TensorListFromTensor", call("TensorListFromTensor", A(_dtype, (3, *_shape)), _dims), call("TensorListLength", Of(0)), call("TensorListElementShape", Of(0), shape_type="int64"),
              call("TensorListGetItem", Of(0), np.array(2, "int32"), _dims, **_of), call("TensorListSetItem", Of(0), np.array(1, "int32"), A(_dtype, _shape, "positive")), call("TensorListStack", Of(4), _dims, **_of), call("TensorListStack", Of(0), _dims, num_elements=3, **_of),
              call("TensorListGather", Of(4), i32(2, 1, 1), _dims, **_of), call("TensorListPopBack", Of(4), _dims, **_of), call("TensorListLength", Of(8)), call("TensorListPushBack", Of(8), A(_dtype, _shape, "small")), call("TensorListStack", Of(10), _dims, **_of),
              call("TensorListResize", Of(10), np.array(4, "int32")), call("TensorListStack", Of(12), _dims, **_of), call("TensorListResize", Of(10), np.array(1, "int32")), call("TensorListStack", Of(14), _dims, **_of),
              call("TensorListGetItem", Of(0), np.array(3, "int32"), _dims, **_of), call("TensorListGetItem", Of(0), np.array(-1, "int32"), _dims, **_of), call("TensorListSetItem", Of(0), np.array(9, "int32"), A(_dtype, _shape)), call("TensorListGather", Of(0), i32(5), _dims, **_of),
              call("TensorListConcatLists", Of(0), Of(4), **_of), call("TensorListLength", Of(20)))  # fmt: skip
        chain("TensorListReserve", call("TensorListReserve", _dims, np.array(3, "int32"), **_of), call("TensorListLength", Of(0)), call("TensorListSetItem", Of(0), np.array(1, "int32"), A(_dtype, _shape)), call("TensorListStack", Of(2), _dims, **_of),
              call("TensorListGetItem", Of(2), np.array(0, "int32"), _dims, **_of), call("TensorListElementShape", Of(2), shape_type="int32"), call("TensorListScatterIntoExistingList", Of(2), A(_dtype, (2, *_shape), "positive"), i32(2, 0)), call("TensorListStack", Of(6), _dims, **_of),
              call("TensorListScatterV2", A(_dtype, (2, *_shape)), i32(2, 0), _dims, np.array(-1, "int32")), call("TensorListStack", Of(8), _dims, **_of), call("TensorListScatterV2", A(_dtype, (2, *_shape)), i32(2, -1), _dims, np.array(4, "int32")),
              call("EmptyTensorList", _dims, np.array(1, "int32"), **_of), call("TensorListPushBack", Of(11), A(_dtype, _shape)), call("TensorListPushBack", Of(12), A(_dtype, _shape)), call("TensorListPopBack", Of(11), _dims, **_of), call("TensorListPushBack", Of(11), A(_dtype, (7, 7))),
              call("TensorListReserve", _dims, np.array(-1, "int32"), **_of))  # fmt: skip
    chain("TensorListSplit", call("TensorListSplit", A(_dtype, (5, 2)), i32(-1, 2), i64(2, 0, 3)), call("TensorListLength", Of(0)), call("TensorListGetItem", Of(0), np.array(2, "int32"), i32(-1, 2), element_dtype=_dtype),
          call("TensorListConcatV2", Of(0), i32(-1, 2), i64(), element_dtype=_dtype), call("TensorListSplit", A(_dtype, (5, 2)), i32(-1, 2), i64(2, 2)), call("TensorListSplit", A(_dtype, (5, 2)), i32(-1, 2), i64(7, -2)),
          call("TensorListConcatV2", Of(0), i32(-1, 3), i64(), element_dtype=_dtype))  # fmt: skip

# --- datasets --------------------------------------------------------------------------------------------------------
OF_INTS = {"output_types": ["int64"], "output_shapes": [[None]]}
OF_ONE = {"output_types": ["int64"], "output_shapes": [[]]}


def dataset(name, calls, reads=5, **spec):
    """The dataset of the last call: its cardinality and elements, until its end is told twice."""
    last = len(calls) - 1
    chain(
        name,
        *calls,
        call("DatasetCardinality", Of(last)),
        call("AnonymousIteratorV3", **spec),
        call("MakeIterator", Of(last), Of(last + 2)),
        *[call("IteratorGetNext", Of(last + 2), **spec) for _ in range(reads)],
    )


def numbers(stop, step=1, start=0):
    return call("RangeDataset", np.array(start, "int64"), np.array(stop, "int64"), np.array(step, "int64"), **OF_ONE)


def one(value):
    return np.array(value, "int64")


for _stop, _step, _start in ((3, 1, 0), (0, 1, 0), (0, -2, 5), (7, 3, 1), (3, 0, 0)):
    dataset("RangeDataset", [numbers(_stop, _step, _start)], **OF_ONE)
for _count in (0, 1, 2, 4, -1, 9):
    dataset("TakeDataset", [numbers(4), call("TakeDataset", Of(0), one(_count), **OF_ONE)], **OF_ONE)
    dataset("SkipDataset", [numbers(4), call("SkipDataset", Of(0), one(_count), **OF_ONE)], **OF_ONE)
    dataset("RepeatDataset", [numbers(2), call("RepeatDataset", Of(0), one(_count), **OF_ONE)], **OF_ONE)
    for _drop in (False, True):
        dataset("BatchDatasetV2", [numbers(5), call("BatchDatasetV2", Of(0), one(_count), _drop, **OF_INTS)], **OF_INTS)
        dataset(
            "ParallelBatchDataset",
            [numbers(5), call("ParallelBatchDataset", Of(0), one(_count), one(2), _drop, **OF_INTS)],
            **OF_INTS,
        )
        if _count >= 0:
            dataset(
                "RebatchDatasetV2",
                [
                    numbers(5),
                    call("BatchDatasetV2", Of(0), one(2), False, **OF_INTS),
                    call("RebatchDatasetV2", Of(1), i64(_count, 1), _drop, **OF_INTS),
                ],
                6,
                **OF_INTS,
            )
    dataset(
        "AssertCardinalityDataset",
        [numbers(4), call("AssertCardinalityDataset", Of(0), one(_count), **OF_ONE)],
        6,
        **OF_ONE,
    )
    dataset("PrefetchDataset", [numbers(3), call("PrefetchDataset", Of(0), one(_count), **OF_ONE)], **OF_ONE)
for _size, _index in ((2, 0), (2, 1), (3, 2), (1, 0), (7, 5), (2, 2), (0, 0), (2, -1)):
    for _required in (False, True):
        dataset(
            "ShardDataset",
            [numbers(5), call("ShardDataset", Of(0), one(_size), one(_index), require_non_empty=_required, **OF_ONE)],
            **OF_ONE,
        )
for _size, _shift, _stride, _drop in (
    (2, 1, 1, False),
    (3, 2, 2, True),
    (2, 2, 1, True),
    (9, 1, 1, False),
    (9, 1, 1, True),
    (0, 1, 1, False),
    (2, 0, 1, False),
    (2, 1, 0, False),
):
    _windows = {"output_types": ["variant"], "output_shapes": [[]]}
    chain("WindowDataset", numbers(5), call("WindowDataset", Of(0), one(_size), one(_shift), one(_stride), _drop, **_windows), call("DatasetCardinality", Of(1)), call("AnonymousIteratorV3", **_windows), call("MakeIterator", Of(1), Of(3)), call("IteratorGetNext", Of(3), **_windows), call("IteratorGetNext", Of(3), **_windows),
          call("BatchDatasetV2", Of(6), one(9), False, **OF_INTS), call("DatasetToSingleElement", Of(7), **OF_INTS), call("DatasetToSingleElement", Of(6), **OF_ONE))  # fmt: skip
for _dtype in ("float32", "string", "bool", "int32"):
    _spec = {"output_types": [_dtype], "output_shapes": [[2]]}
    _parts = {"output_types": [_dtype], "output_shapes": [[]]}
    dataset("TensorDataset", [call("TensorDataset", [A(_dtype, (2,))], output_shapes=[[2]])], 2, **_spec)
    dataset("TensorSliceDataset", [call("TensorSliceDataset", [A(_dtype, (3, 2))], output_shapes=[[2]])], 4, **_spec)
    dataset(
        "UnbatchDataset",
        [call("TensorSliceDataset", [A(_dtype, (2, 2))], output_shapes=[[2]]), call("UnbatchDataset", Of(0), **_parts)],
        6,
        **_parts,
    )
    dataset(
        "ConcatenateDataset",
        [
            call("TensorSliceDataset", [A(_dtype, (2, 2))], output_shapes=[[2]]),
            call("TensorDataset", [A(_dtype, (2,), "positive")], output_shapes=[[2]]),
            call("ConcatenateDataset", Of(0), Of(1), **_spec),
        ],
        4,
        **_spec,
    )
    dataset(
        "ZipDataset",
        [
            call("TensorSliceDataset", [A(_dtype, (2, 2))], output_shapes=[[2]]),
            numbers(4),
            call("ZipDataset", [Of(0), Of(1)], output_types=[_dtype, "int64"], output_shapes=[[2], []]),
        ],
        3,
        output_types=[_dtype, "int64"],
        output_shapes=[[2], []],
    )
    dataset(
        "CacheDatasetV2",
        [
            call("TensorSliceDataset", [A(_dtype, (2, 2))], output_shapes=[[2]]),
            call("AnonymousMemoryCache"),
            call("CacheDatasetV2", Of(0), np.array(b"", object), Of(1, 0), **_spec),
        ],
        3,
        **_spec,
    )
    dataset(
        "IgnoreErrorsDataset",
        [
            call("TensorSliceDataset", [A(_dtype, (2, 2))], output_shapes=[[2]]),
            call("IgnoreErrorsDataset", Of(0), **_spec),
        ],
        3,
        **_spec,
    )
    dataset(
        "OptionsDataset",
        [
            call("TensorSliceDataset", [A(_dtype, (2, 2))], output_shapes=[[2]]),
            call("OptionsDataset", Of(0), serialized_options=b"", **_spec),
        ],
        3,
        **_spec,
    )
    if _dtype in ("string", "int32"):
        for _values in ([0, 1, 0, 2, 1], [1, 1], []):
            _array = (
                np.array(_values, _dtype) if _dtype == "int32" else np.array([str(v).encode() for v in _values], object)
            )
            dataset(
                "UniqueDataset",
                [call("TensorSliceDataset", [_array], output_shapes=[[]]), call("UniqueDataset", Of(0), **_parts)],
                4,
                **_parts,
            )
    dataset(
        "PaddedBatchDatasetV2",
        [
            call("TensorSliceDataset", [A(_dtype, (3, 2))], output_shapes=[[2]]),
            call(
                "PaddedBatchDatasetV2",
                Of(0),
                one(2),
                [i64(4)],
                [A(_dtype, (), "positive")],
                False,
                Toutput_types=[_dtype],
                output_shapes=[[None, 4]],
            ),
        ],
        3,
        output_types=[_dtype],
        output_shapes=[[None, 4]],
    )
    dataset(
        "PaddedBatchDatasetV2",
        [
            call("TensorSliceDataset", [A(_dtype, (3, 2))], output_shapes=[[2]]),
            call(
                "PaddedBatchDatasetV2",
                Of(0),
                one(2),
                [i64(1)],
                [A(_dtype, (), "positive")],
                False,
                Toutput_types=[_dtype],
                output_shapes=[[None, 1]],
            ),
        ],
        3,
        output_types=[_dtype],
        output_shapes=[[None, 1]],
    )
    dataset(
        "PaddedBatchDatasetV2",
        [
            call("TensorSliceDataset", [A(_dtype, (3, 2))], output_shapes=[[2]]),
            call(
                "PaddedBatchDatasetV2",
                Of(0),
                one(2),
                [i64(-1)],
                [A(_dtype, (), "positive")],
                True,
                Toutput_types=[_dtype],
                output_shapes=[[2, 2]],
            ),
        ],
        3,
        output_types=[_dtype],
        output_shapes=[[2, 2]],
    )
    chain(
        "DatasetToSingleElement",
        call("TensorSliceDataset", [A(_dtype, (2, 2))], output_shapes=[[2]]),
        call("DatasetToSingleElement", Of(0), **_spec),
        call("TakeDataset", Of(0), one(1), **_spec),
        call("DatasetToSingleElement", Of(2), **_spec),
        call("TakeDataset", Of(0), one(0), **_spec),
        call("DatasetToSingleElement", Of(4), **_spec),
    )
    chain(
        "OptionalFromValue",
        call("OptionalFromValue", [A(_dtype, (2,)), A(_dtype, ())]),
        call("OptionalHasValue", Of(0)),
        call("OptionalGetValue", Of(0), output_types=[_dtype, _dtype], output_shapes=[[2], []]),
        call("OptionalNone"),
        call("OptionalHasValue", Of(3)),
        call("OptionalGetValue", Of(3), **_spec),
        call("OptionalGetValue", Of(0), **_spec),
    )
    chain(
        "IteratorGetNextAsOptional",
        call("TensorSliceDataset", [A(_dtype, (1, 2))], output_shapes=[[2]]),
        call("AnonymousIteratorV3", **_spec),
        call("MakeIterator", Of(0), Of(1)),
        call("IteratorGetNextAsOptional", Of(1), **_spec),
        call("OptionalGetValue", Of(3), **_spec),
        call("IteratorGetNextAsOptional", Of(1), **_spec),
        call("OptionalHasValue", Of(5)),
        call("IteratorGetNext", Of(1), **_spec),
    )
for _inputs in ([0, 1, 0], [1, 1, 1, 1], [0, 2], [], [0, 0, 0, 1]):
    for _stop in (False, True):
        dataset(
            "DirectedInterleaveDataset",
            [
                call("TensorSliceDataset", [np.array(_inputs, "int64")], output_shapes=[[]]),
                numbers(2),
                numbers(8, 1, 5),
                call("DirectedInterleaveDataset", Of(0), [Of(1), Of(2)], stop_on_empty_dataset=_stop, **OF_ONE),
            ],
            4,
            **OF_ONE,
        )
for _row, _batch in ((3, 2), (5, 1), (2, 3), (1, 2)):
    _sparse = {"output_types": ["variant"], "output_shapes": [[None, 3]]}
    chain(
        "DenseToSparseBatchDataset",
        call("TensorSliceDataset", [i64(*range(6)).reshape(3, 2)], output_shapes=[[2]]),
        call(
            "DenseToSparseBatchDataset",
            Of(0),
            one(_batch),
            i64(_row),
            output_types=["int64"],
            output_shapes=[[None, _row]],
        ),
        call("DatasetCardinality", Of(1)),
    )

# --- ragged tensors behind handles -----------------------------------------------------------------------------------
for _dtype in ["float32", "int32", "string", "bool", "complex64", "bfloat16", "int64", "uint8", "float64", "float16"]:
    for _splits in (i64, i32) if _dtype in ("float32", "string") else (i64,):
        _from = {"Tvalues": _dtype, "Tsplits": _splits().dtype.name}
        _rows, _values = [_splits(0, 1, 3), _splits(0, 2, 2, 6)], A(_dtype, (6,))
        chain("RaggedTensorToVariant", call("RaggedTensorToVariant", _rows[1:], _values, batched_input=True), call("RaggedTensorFromVariant", Of(0), input_ragged_rank=-1, output_ragged_rank=1, **_from), call("RaggedTensorFromVariant", Of(0), input_ragged_rank=0, output_ragged_rank=1, **_from),
              call("RaggedTensorToVariant", _rows, _values, batched_input=True), call("RaggedTensorFromVariant", Of(3), input_ragged_rank=1, output_ragged_rank=2, **_from), call("RaggedTensorFromVariant", Of(3), input_ragged_rank=-1, output_ragged_rank=1, **_from), call("RaggedTensorFromVariant", Of(3), input_ragged_rank=1, output_ragged_rank=1, **_from),
              call("RaggedTensorToVariant", _rows, _values, batched_input=False), call("RaggedTensorFromVariant", Of(7), input_ragged_rank=2, output_ragged_rank=2, **_from), call("RaggedTensorFromVariant", Of(7), input_ragged_rank=0, output_ragged_rank=1, **_from),
              call("TensorListFromTensor", Of(3), i32()), call("TensorListGetItem", Of(10), np.array(1, "int32"), i32(), element_dtype="variant"), call("RaggedTensorFromVariant", Of(11), input_ragged_rank=-1, output_ragged_rank=1, **_from),
              call("TensorListSetItem", Of(10), np.array(0, "int32"), Of(11)), call("TensorListStack", Of(13), i32(), element_dtype="variant"), call("RaggedTensorFromVariant", Of(14), input_ragged_rank=-1, output_ragged_rank=2, **_from), call("Reshape", Of(14), i32(1, 2)), call("RaggedTensorFromVariant", Of(16), input_ragged_rank=-1, output_ragged_rank=3, **_from),
              call("RaggedTensorToVariantGradient", Of(0), _rows[1], i32(6), Tvalues=_dtype), call("RaggedTensorToVariantGradient", Of(3), _splits(0, 2, 6), i32(6), Tvalues=_dtype), call("RaggedTensorToVariantGradient", Of(7), np.array(0, _splits().dtype), i32(6), Tvalues=_dtype))  # fmt: skip
    _from = {"Tvalues": _dtype, "Tsplits": "int64"}
    chain("RaggedTensorFromVariant", call("RaggedTensorToVariant", [], A(_dtype, (3, 2)), batched_input=True), call("RaggedTensorFromVariant", Of(0), input_ragged_rank=-1, output_ragged_rank=0, **_from), call("RaggedTensorFromVariant", Of(0), input_ragged_rank=-1, output_ragged_rank=1, **_from), call("RaggedTensorFromVariant", Of(0), input_ragged_rank=0, output_ragged_rank=1, **_from),
          call("RaggedTensorToVariant", [], A(_dtype, (3,)), batched_input=True), call("RaggedTensorFromVariant", Of(4), input_ragged_rank=-1, output_ragged_rank=0, **_from), call("RaggedTensorFromVariant", Of(4), input_ragged_rank=-1, output_ragged_rank=1, **_from), call("Reshape", Of(4), i32(3, 1)), call("RaggedTensorFromVariant", Of(7), input_ragged_rank=-1, output_ragged_rank=1, **_from),
          call("Reshape", Of(7), i32(3)), call("RaggedTensorToVariant", [], A(_dtype, ()), batched_input=False), call("RaggedTensorFromVariant", Of(10), input_ragged_rank=0, output_ragged_rank=0, **_from), call("RaggedTensorToVariant", [], A(_dtype, ()), batched_input=True), call("Pack", [Of(10), Of(10)]), call("RaggedTensorFromVariant", Of(13), input_ragged_rank=-1, output_ragged_rank=0, **_from),
          call("RaggedTensorToVariant", [i64(0)], A(_dtype, (0, 3)), batched_input=True), call("RaggedTensorFromVariant", Of(15), input_ragged_rank=0, output_ragged_rank=1, **_from), call("RaggedTensorToVariant", [i64(0), i64(0)], A(_dtype, (0,)), batched_input=True), call("RaggedTensorFromVariant", Of(17), input_ragged_rank=-1, output_ragged_rank=2, **_from),
          call("RaggedTensorFromVariant", Of(0), input_ragged_rank=0, output_ragged_rank=1, Tvalues="quint8", Tsplits="int64"), call("RaggedTensorFromVariant", Of(0), input_ragged_rank=0, output_ragged_rank=1, Tvalues=_dtype, Tsplits="int32"), call("RaggedTensorToVariant", [], A(_dtype, (2, 1)), batched_input=False), call("Pack", [Of(10), Of(21)]), call("RaggedTensorFromVariant", Of(22), input_ragged_rank=-1, output_ragged_rank=0, **_from))  # fmt: skip
for _splits in (i64(0, 2, 9), i64(1, 2, 6), i64(0, 4, 2), i64(0, 2, 4), i64(), np.zeros((1, 1), "int64"), i64(0, 2, 6)):
    for _batched in (True, False):
        chain("RaggedTensorToVariantGradient", call("RaggedTensorToVariant", [_splits], A("float32", (6, 2)), batched_input=_batched), call("RaggedTensorToVariantGradient", Of(0), _splits, i32(6, 2), Tvalues="float32"), *([call("RaggedTensorToVariantGradient", Of(0), _splits, i32(12), Tvalues="float32")] if _batched else []), call("RaggedTensorToVariant", [i64(0, 3), _splits], A("int32", (6,)), batched_input=_batched),
              call("RaggedTensorFromVariant", Of(0), input_ragged_rank=-1, output_ragged_rank=1, Tvalues="float32", Tsplits="int64"))  # fmt: skip
