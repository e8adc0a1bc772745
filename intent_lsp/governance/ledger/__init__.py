"""The ledger read, verified, sealed, recovered and asked for blame."""
