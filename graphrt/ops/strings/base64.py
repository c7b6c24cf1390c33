"""Strings in base 64, in its form for the web."""

from __future__ import annotations

import base64

from graphrt.ir.op import PER_ELEMENT, define
from graphrt.ops.strings.text import each_element, no_gradient
from graphrt.ops.support.kernel_helpers import bad
from graphrt.ops.support.shape_rules import same_shape
from graphrt.tensor.tensor import Tensor, TensorLike

__all__ = ["decode_base64", "encode_base64"]


# --- encodings -------------------------------------------------------------------------------------------------------
EncodeBase64 = define(
    "EncodeBase64", "input: string -> output: string", attrs="pad: bool = False", infer=same_shape, vjp=no_gradient,
    kernel=lambda x, *, pad: each_element(
        lambda v: base64.urlsafe_b64encode(v) if pad else base64.urlsafe_b64encode(v).rstrip(b"="), x
    ),
    traits=(PER_ELEMENT,),
)  # fmt: skip


def _decode_base64(text: bytes) -> bytes:
    try:
        return base64.b64decode(text + b"=" * (-len(text) % 4), b"-_", validate=True)
    except ValueError:
        raise bad("Invalid character found in base64.") from None


DecodeBase64 = define(
    "DecodeBase64", "input: string -> output: string", infer=same_shape, kernel=lambda x: each_element(_decode_base64, x),
    vjp=no_gradient,
    traits=(PER_ELEMENT,),
)  # fmt: skip


def encode_base64(input: TensorLike, pad: bool = False, name: str | None = None) -> Tensor:
    """Each string in web-safe base64.

    >>> from graphrt import io
    >>> io.encode_base64("a").numpy()
    b'YQ'
    """
    return EncodeBase64(input, pad=pad, name=name)


def decode_base64(input: TensorLike, name: str | None = None) -> Tensor:
    """Each string decoded from web-safe base64.

    >>> from graphrt import io
    >>> io.decode_base64("YQ").numpy()
    b'a'

    Raises:
      InvalidArgumentError: a string is no base64.
    """
    return DecodeBase64(input, name=name)
