"""SQLite index of a ledger's records (ledger section 4)."""
