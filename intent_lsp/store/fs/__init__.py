"""The work tree's files: read, walked, resolved, replaced."""
