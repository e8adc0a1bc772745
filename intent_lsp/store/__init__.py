"""Where it lives: the only room that touches files, the clock, git and SQLite."""
