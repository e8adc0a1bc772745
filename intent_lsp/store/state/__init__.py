"""SQLite state of a root's sessions (selections, tickets, notes), drafts and cached contents."""
