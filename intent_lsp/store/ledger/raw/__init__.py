"""Raw bytes of the ledger's files, read by one process or several."""
