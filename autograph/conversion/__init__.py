"""From a callable to its converted twin: the decision, the conversion, and what users see of it."""
