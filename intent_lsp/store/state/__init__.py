"""The state of sessions in SQLite: selections, tickets, drafts, notes."""
