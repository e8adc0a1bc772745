"""What is derived from records: audit log, history, lessons, intent map."""
