"""intent-lsp: decides whether an edit may happen, and records which intent the edit served."""

__version__ = "0.1.0"
