"""Bytes in and out: files, sound, printed text."""
