"""Layout of a YAML text: its white space set in order, and nothing else changed."""
