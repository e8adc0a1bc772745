"""The language server: speaks the Language Server Protocol and asks governance."""
