"""Glob patterns of intents: which paths a glob matches, and which intents' scopes cover a path.

Specified in scope sections 1 to 5.
"""
