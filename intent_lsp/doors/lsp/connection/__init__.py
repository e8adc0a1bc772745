"""The state of one client's connection, and what follows from events on it."""
