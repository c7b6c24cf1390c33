"""Earlier versions of ops, which graphs from elsewhere may hold."""
