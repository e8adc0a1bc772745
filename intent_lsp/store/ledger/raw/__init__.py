"""Raw bytes of the ledger's files: which files there are, and reading and appending to them."""
