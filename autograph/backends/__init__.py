"""What a staging backend is, and which backend a value belongs to."""

from autograph.backends.protocol import StagingBackend
from autograph.backends.registry import backend_of, register_backend, registered_backends, unregister_backend

__all__ = ["StagingBackend", "backend_of", "register_backend", "registered_backends", "unregister_backend"]
