"""The commands of `python -m autograph`, one a file; `__main__` is their front door."""
