"""NumPy's functions on tensors: `tf.experimental.numpy` and the Python array API standard."""
