"""Blame: the record, and so the intent, that each line of a file comes from (ledger section 5)."""
