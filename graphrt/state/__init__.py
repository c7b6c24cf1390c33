"""What outlives a call: variables, modules, tables, queues, generators of random numbers."""
