"""The index of the ledger in SQLite (ledger section 4)."""
