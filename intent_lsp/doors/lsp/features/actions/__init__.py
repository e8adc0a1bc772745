"""Code actions, which resolve a violation or fix a control file."""
