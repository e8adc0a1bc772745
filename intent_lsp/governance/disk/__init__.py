"""Changes on disk: what changed since the last snapshot of a work tree, and who changed it."""
