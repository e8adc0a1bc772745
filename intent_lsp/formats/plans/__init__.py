"""Plans that other tools and trackers write, read as proposed intents."""
