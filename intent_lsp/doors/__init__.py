"""Who may ask: one protocol each, translated, nothing more."""
