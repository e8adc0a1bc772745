"""Read access to git: objects, status, attributes, refs and reflog."""
