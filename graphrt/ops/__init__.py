"""The ops by subject: each is declared once, with schema, shape rule, kernel, gradient and public function.

A module is imported when one of its names is asked for: `graphrt/ir/homes.py` says which has what.
"""

from graphrt.tensor import apply  # noqa: F401  # says how an op is run, or recorded
