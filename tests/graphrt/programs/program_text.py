"""What writers of random programs share: the lines, and what chooses them."""

import random


class ProgramText:
    """The lines of one program, chosen by a seed.

    Those with loops have `loops`, how many are around, `names` of numbers, and `statement(depth, inside)`.
    """

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines = []

    def pick(self, *choices):
        return self.random.choice(choices)

    def put(self, depth, text):
        self.lines.append("    " * depth + text)

    def block(self, depth, inside):
        """One or two statements; `inside` if they are in a loop."""
        for _ in range(self.random.randint(1, 2)):
            self.statement(depth, inside)

    def branches(self, depth, inside):
        """What is in an `if`, and in its `else` if there is one."""
        self.block(depth + 1, inside)
        if self.random.random() < 0.5:
            self.put(depth, "else:")
            self.block(depth + 1, inside)

    def in_loop(self, depth, name):
        """What is in a loop whose variable is `name`."""
        self.loops += 1
        self.names.append(name)
        self.block(depth + 1, True)
        self.names.pop()
        self.loops -= 1
