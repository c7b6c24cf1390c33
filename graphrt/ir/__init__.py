"""Ops as declarations, graphs as data: how both are written, read back, checked and searched."""
