"""Violations of an open file: its changed lines, if changes of the file break a rule."""
