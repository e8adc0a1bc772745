"""Governance of one root: lock it, read the disk, let core judge, write, and unlock."""
