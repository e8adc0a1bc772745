"""What a glob means and whose scope a path is in (scope sections 1 to 5)."""
