"""Lists of tensors as values."""
