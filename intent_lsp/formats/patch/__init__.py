"""Patches that agents write: the files that they change."""
