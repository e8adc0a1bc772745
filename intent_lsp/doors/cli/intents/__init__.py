"""The commands `intents …`, which show, edit and select intents."""
