"""Syntax trees of source files: definitions, renames, and the class of a change."""
