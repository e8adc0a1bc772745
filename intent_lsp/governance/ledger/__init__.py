"""Uses of a root's ledger: reading, verification, checkpoints, recovery and blame."""
