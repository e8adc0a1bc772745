"""Terminal output: tables, progress bars, times, escaped text."""
