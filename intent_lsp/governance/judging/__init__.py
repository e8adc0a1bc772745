"""Judging: the facts of a save or a call, as the gate gets them, and its decision."""
