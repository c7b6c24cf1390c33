"""The ops that hold graphs: conditionals, loops and calls, with their gradients."""
