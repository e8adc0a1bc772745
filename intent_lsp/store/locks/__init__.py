"""Locks between processes: of a file, a root, a session."""
