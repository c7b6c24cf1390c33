"""ONNX files, written and read. Neither needs the package `onnx`; the extra `[onnx]` brings what checks and runs them."""
