"""Registrations of our hooks and MCP server in the settings files of agent hosts, as text edits."""
