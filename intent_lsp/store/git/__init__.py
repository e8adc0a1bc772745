"""What git knows: objects, status, attributes, history."""
