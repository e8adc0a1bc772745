"""Blame: which record, and so which intent, each line of a file comes from (ledger section 5)."""
