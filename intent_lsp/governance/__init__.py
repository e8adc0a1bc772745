"""The desk: every question passes here; it locks, reads, asks core, writes, unlocks."""
