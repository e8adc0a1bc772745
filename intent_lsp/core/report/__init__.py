"""The figures of a report on the ledger: counts, timelines and sparklines."""
