"""intent-lsp: which intent does this edit serve, and may it happen."""

__version__ = "0.1.0"
