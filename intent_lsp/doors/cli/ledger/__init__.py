"""The commands `trace …`, which read and maintain the ledger."""
