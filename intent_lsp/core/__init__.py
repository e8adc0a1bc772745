"""The innermost layer: pure values and functions that use the standard library only."""
