"""Authoring of the intents file: what its globs match, where its parts lead and what they mean."""
