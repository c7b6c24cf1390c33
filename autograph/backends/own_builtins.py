"""Python's built-in functions by value, for modules that run between a program and its calls.

A program that replaces a built-in function (tests do: `builtins.len = lru_cache(len)`) must not find itself called from
there. What a module calls by such names it takes from its own `__builtins__`, if that is set ahead of its functions.
"""

from __future__ import annotations

import builtins

OWN = dict(vars(builtins))
