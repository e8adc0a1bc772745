"""The state of one client's connection."""
