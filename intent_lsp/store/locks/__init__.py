"""Locks between processes: of a file, a root, or a session."""
