"""Changes on disk: what changed since a work tree was seen last, and who made it."""
