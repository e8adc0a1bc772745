"""The commands `intents …`."""
