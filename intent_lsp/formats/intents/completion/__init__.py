"""Completion in the intents file and the policy: what may be written at a cursor."""
