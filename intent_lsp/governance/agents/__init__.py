"""Registrations of agent hosts in a governed root: planned, written and recorded."""
