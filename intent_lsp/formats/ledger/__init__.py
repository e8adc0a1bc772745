"""Ledger lines, checkpoints and signed notes: parsing and encoding."""
