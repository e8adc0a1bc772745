"""Verification of a ledger: each line's hash, each link, each anchor."""
