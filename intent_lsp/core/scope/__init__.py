"""Glob patterns of intents: what a glob matches and whose scope a path is in.

Specified in scope sections 1 to 5.
"""
