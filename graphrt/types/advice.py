"""What to do about a dtype that does not fit: the last sentence of such errors."""

from __future__ import annotations

from graphrt.types.dtype import DType, bool_, float32, int32

__all__ = ["agreement", "conversion", "for_the_tensor_beside", "towards"]


def conversion(found: DType, wanted: DType, what: str = "x") -> str:
    """The call that makes a tensor of one dtype one of another; '' where there is none.

    >>> import graphrt as tf
    >>> conversion(tf.int32, tf.float32), conversion(tf.string, tf.float32), conversion(tf.variant, tf.int32)
    ('tf.cast(x, tf.float32)', 'tf.strings.to_number(x, tf.float32)', '')
    """
    kinds = found.kind + wanted.kind
    if found is wanted or "O" in kinds or "q" in kinds:
        return ""
    if wanted.kind == "S":
        return f"tf.strings.as_string({what})"
    if found.kind == "S":
        return f"tf.strings.to_number({what}, tf.{wanted.name})"
    return f"tf.cast({what}, tf.{wanted.name})"


def agreement(found: DType, wanted: DType, is_fixed: bool) -> str:
    """What to do about a tensor that is not of the dtype of the one beside it, or of the one dtype that an op takes."""
    if not is_fixed and found.kind in _NUMBERS and wanted.kind in _NUMBERS:
        wanted, found = sorted((found, wanted), key=lambda t: (_NUMBERS[t.kind], t.size), reverse=True)  # loses least
    call = conversion(found, wanted)
    return call and f"\n  Make the dtypes agree, for instance with {call}."


_NUMBERS = {"b": 0, "i": 1, "u": 1, "f": 2, "c": 3}


def for_the_tensor_beside(natural: DType, wanted: DType) -> str:
    """What to do about a value that is of `natural` itself, which the dtype of a tensor beside it does not hold."""
    call = conversion(wanted, natural)
    return call and f"\n  Use {call} for the tensor beside it."


def towards(value: DType, allowed: tuple[DType, ...]) -> str:
    """What to do about a tensor of a dtype that an op does not take."""
    numbers = [t for t in (float32, int32, bool_, *allowed) if t in allowed and t.kind in _NUMBERS]
    texts = [t for t in allowed if t.kind == "S"]
    call = conversion(value, (numbers or texts or [value])[0])
    return call and f"\n  Convert it first: {call}."
