"""The entry points, the language server and the command line, one for each protocol."""
