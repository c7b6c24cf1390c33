"""Holds nothing: the operators say that they come from here and one folder up.

    autograph/operators/importlib_bootstrap/../calls.py

That is the very file, so that debuggers, tracers and coverage find it; but `warnings` and `logging` do not count frames of
files whose name has both words in it. See `not_counted` in `autograph/operators/frames.py`.
"""
