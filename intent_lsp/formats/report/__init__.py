"""The ledger report as one self-contained HTML page."""
