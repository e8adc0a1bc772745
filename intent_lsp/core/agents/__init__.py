"""Agents' tool calls: tickets, the files they change, checkout context and lessons."""
