"""Ledger storage: appending, archiving, merging and recovering records on disk."""
