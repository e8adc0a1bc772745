"""Exports of the ledger in the formats of other tools."""
