"""Shared parts of one connection: open roots, settings, client capabilities, threads and locks."""
