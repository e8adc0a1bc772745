"""Notification of changes on disk, from the operating system or by polling."""
