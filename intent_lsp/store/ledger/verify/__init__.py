"""The ledger verified: each line's hash, each link, each anchor."""
