"""A trial: inputs that strangers may send, mutated by a seed, to every reader. `python -m tests.hostile --help`."""
