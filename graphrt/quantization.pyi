# Written by tests/stubs.py from graphrt/api/exports.py.
"""Numbers rounded to what few bits hold."""
from graphrt.ops.quantization import (
    fake_quant_with_min_max_args as fake_quant_with_min_max_args,
    fake_quant_with_min_max_args_gradient as fake_quant_with_min_max_args_gradient,
    fake_quant_with_min_max_vars as fake_quant_with_min_max_vars,
    fake_quant_with_min_max_vars_gradient as fake_quant_with_min_max_vars_gradient,
    fake_quant_with_min_max_vars_per_channel as fake_quant_with_min_max_vars_per_channel,
    fake_quant_with_min_max_vars_per_channel_gradient as fake_quant_with_min_max_vars_per_channel_gradient,
    quantize_and_dequantize as quantize_and_dequantize, quantize_and_dequantize_v2 as quantize_and_dequantize_v2
)
from graphrt.ops.quantized import (
    dequantize as dequantize, quantize as quantize, quantized_concat as quantized_concat
)
