"""Saves and file operations of editors, judged and recorded."""
