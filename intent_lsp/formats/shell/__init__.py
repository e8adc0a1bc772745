"""Shell text as commands and their words."""
