"""Violations of an open file: its changed lines, compared with what was allowed before."""
