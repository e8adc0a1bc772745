"""What a shell command would do, as far as its words tell (commands section 1)."""
