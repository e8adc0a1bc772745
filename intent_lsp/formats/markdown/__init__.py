"""The Markdown files: audit log, intent map and lessons."""
