"""The commands `intents …`: list, show, add, select, complete, owners, coverage, import."""
