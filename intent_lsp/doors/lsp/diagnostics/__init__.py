"""Diagnostics: snapshots of tracked documents, their violations, and the publisher."""
