"""The ledger's chain and what verifying it proves (ledger section 2)."""
