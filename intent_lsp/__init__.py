"""intent-lsp: decides whether an edit may happen, and records which intent it served."""

__version__ = "0.1.0"
