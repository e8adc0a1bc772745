"""The MCP server: speaks the Model Context Protocol with agents' hosts and asks governance."""
