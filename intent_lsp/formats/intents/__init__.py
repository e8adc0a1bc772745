"""The files that a team writes: intents, policy, ignore lines, and edits of them."""
