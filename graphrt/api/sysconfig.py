"""`tf.sysconfig`: how this package was built: it is Python only, so there is nothing to compile or to link against."""

from __future__ import annotations

import os

__all__ = [
    "CXX11_ABI_FLAG", "CXX_VERSION", "MONOLITHIC_BUILD", "get_build_info", "get_compile_flags", "get_include", "get_lib",
    "get_link_flags",
]  # fmt: skip

CXX11_ABI_FLAG = 0
CXX_VERSION = 0
MONOLITHIC_BUILD = 0


def get_build_info() -> dict[str, bool]:
    """What the package was built with.

    >>> import graphrt as tf
    >>> tf.sysconfig.get_build_info()["is_cuda_build"]
    False
    """
    return {"is_cuda_build": False, "is_rocm_build": False, "is_tensorrt_build": False}


def get_include() -> str:
    """The folder of C headers; there are none in it.

    >>> import graphrt as tf, os
    >>> os.path.isabs(tf.sysconfig.get_include())
    True
    """
    return os.path.join(get_lib(), "include")


def get_lib() -> str:
    """The folder of the package.

    >>> import graphrt as tf, os
    >>> os.path.isdir(tf.sysconfig.get_lib())
    True
    """
    return os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def get_compile_flags() -> list[str]:
    """The flags for compiling against the package: none.

    >>> import graphrt as tf
    >>> tf.sysconfig.get_compile_flags()
    []
    """
    return []


def get_link_flags() -> list[str]:
    """The flags for linking against the package: none.

    >>> import graphrt as tf
    >>> tf.sysconfig.get_link_flags()
    []
    """
    return []
