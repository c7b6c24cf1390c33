"""From arguments to the key under which a trace is kept: what each argument is, as far as a trace depends on it.

A key has two parts. The *trace types* say everything that must agree exactly: structure, dtypes, Python values; the
shapes of the tensors stand beside them, one a tensor, because there a trace may be more general than an argument:

    (tensor of shape [2] and float32, 3)   ->   Sequence(tuple, (Tensor(float32), Literal(int, 3))), ((2,),)

Tensors and arrays count by dtype and shape, Python values by type and value, variables and other objects by identity
(held weakly), containers by their type and parts. `arguments.py` chooses the class for a value; what can be done with a
trace type (compared, told, fitted, tested by generated code) is a method of its class.
"""
