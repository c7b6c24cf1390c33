"""What writers of random programs share: the lines, and what chooses them."""

import random


class ProgramText:
    """The lines of one program, chosen by a seed."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines = []

    def pick(self, *choices):
        return self.random.choice(choices)

    def put(self, depth, text):
        self.lines.append("    " * depth + text)
