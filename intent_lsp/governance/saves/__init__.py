"""Saves and file operations of editors: the gate judges them, the ledger records them."""
