"""What outlives a call: variables, modules, generators of random numbers."""
