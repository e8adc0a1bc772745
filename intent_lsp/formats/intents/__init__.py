"""The files that a team writes: intents, policy and ignore file; reading and editing them."""
