"""What is true: pure values and functions; the standard library only."""
