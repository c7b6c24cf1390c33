"""`tf.math`: functions of numbers."""


__all__ = [name for name in dir() if not name.startswith("_")]
