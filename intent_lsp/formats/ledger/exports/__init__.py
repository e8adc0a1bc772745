"""The ledger in the forms of other tools."""
