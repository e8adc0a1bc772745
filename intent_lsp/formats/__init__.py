"""Formats: text parsed into core values, and core values encoded, without file access."""
