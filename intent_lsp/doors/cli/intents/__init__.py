"""The commands `intents …`: list, show, add, select, complete, owners, coverage, fix, import."""
