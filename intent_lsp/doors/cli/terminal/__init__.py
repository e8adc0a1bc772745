"""What the command line prints: tables, bars, times, safe text."""
