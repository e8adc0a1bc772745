"""YAML reading with exact positions, and edits that keep the rest of the text."""
