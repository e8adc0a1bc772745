"""The hook door: answers one event of an agent host on standard input, and ends."""
