"""Real agent hosts against a scripted model, in a network namespace with nothing but loopback."""
