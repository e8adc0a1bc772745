"""Code actions on violations: ways out by a scope, an intent or another text, and quick fixes."""
