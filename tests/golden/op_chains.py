"""All chains of raw ops that are recorded, by name, in the order in which they are numbered."""

from tests.golden import op_chain_files, op_chain_functions, op_chain_numbers, op_chain_random
from tests.golden.op_chain_cases import CHAINS

PARTS = (op_chain_files, op_chain_functions, op_chain_random, op_chain_numbers)  # each adds its own names

__all__ = ["CHAINS"]
