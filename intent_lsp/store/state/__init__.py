"""SQLite state of a root's sessions: selections, tickets, notes; and drafts and cached contents."""
