"""Images as files."""
