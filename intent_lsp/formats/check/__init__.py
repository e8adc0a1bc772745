"""Formats of a check's report: text, JSON, SARIF, annotations for GitHub, and Markdown."""
