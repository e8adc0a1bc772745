"""SQLite state of a root's sessions: selections, tickets, notes. Also drafts and cached contents."""
