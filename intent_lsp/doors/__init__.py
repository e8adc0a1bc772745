"""The doors, one for each protocol: language server, MCP server, hooks and command line."""
