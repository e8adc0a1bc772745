"""Diagnostics: open documents judged, and what is published on them."""
