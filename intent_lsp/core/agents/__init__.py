"""Agents' tool calls: their tickets, the files they change, and what agents are told and taught."""
