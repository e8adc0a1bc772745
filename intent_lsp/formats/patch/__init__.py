"""Patches as agents write them, and the files that they change."""
