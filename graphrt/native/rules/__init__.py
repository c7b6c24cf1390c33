"""How ops become steps: one module for each kind of op, which enters its rules when it is imported.

The two that are imported here are always there; `graphrt.native.lower.rule_of` imports the others as it needs them.
"""

from __future__ import annotations

from graphrt.native.rules import complex_numbers, elementwise

__all__ = ["complex_numbers", "elementwise"]
