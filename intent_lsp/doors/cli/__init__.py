"""The command line: the `intent-lsp` commands for people and scripts."""
