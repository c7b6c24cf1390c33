"""What converted code calls: each operator is Python first, and asks a backend when a value is staged."""
