"""Edits judged before they happen and after."""
