"""The ledger on disk: appended to, archived, merged, recovered."""
