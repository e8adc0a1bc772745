"""Ledger lines, checkpoints and signed notes as text."""
