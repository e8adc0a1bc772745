"""The storage layer: the only modules that touch files, the clock, git and SQLite."""
