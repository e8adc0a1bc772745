"""Syntax trees of source files: definitions, renames, the class of a change."""
