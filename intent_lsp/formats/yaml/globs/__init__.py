"""Globs without quotes in a YAML text: found, masked and read as what they were meant to be."""
