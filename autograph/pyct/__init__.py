"""Python programs as trees: source -> gast -> ast -> code object, and the facts about them."""
