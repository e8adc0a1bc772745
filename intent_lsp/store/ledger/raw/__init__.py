"""The ledger's files as bytes, read by one process or several."""
