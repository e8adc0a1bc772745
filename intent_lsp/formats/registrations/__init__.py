"""Registrations of hooks and MCP servers in the settings files of agent hosts, as text edits."""
