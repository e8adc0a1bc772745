"""Checks of changes in git: commits, who made them, the intents they name, and the findings."""
