"""Views derived from records: audit log, history, lessons and intent map."""
