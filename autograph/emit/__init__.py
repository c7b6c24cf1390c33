"""Converted trees to code."""
