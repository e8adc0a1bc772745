"""Structure of the intents file: what stands where in its text, for editor features."""
