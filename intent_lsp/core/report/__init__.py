"""The figures of a report on the ledger."""
