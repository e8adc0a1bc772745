"""Imports of plans that other tools write: found, read, and compared with the intents file."""
