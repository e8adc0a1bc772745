"""Intents planned: checked out, created, completed, their scope checked."""
