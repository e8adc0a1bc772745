"""The requests `intent/*`, and the commands that stand for them."""
