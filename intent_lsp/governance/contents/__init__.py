"""What files held: now, when a session first met them, and in the past."""
