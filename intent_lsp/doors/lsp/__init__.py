"""The editors door: the Language Server Protocol."""
