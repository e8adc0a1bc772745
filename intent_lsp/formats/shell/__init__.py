"""Shell commands: parsing them, and finding out what they would do."""
