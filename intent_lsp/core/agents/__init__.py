"""Agents: tool calls and their tickets, hook events, refused edits, checkout context, lessons."""
