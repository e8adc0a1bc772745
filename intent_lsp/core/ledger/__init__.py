"""The ledger's hash chain, and what verifying it proves (ledger section 2)."""
