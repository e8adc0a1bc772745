"""Formats of a check's report: text, JSON, SARIF, annotations of GitHub, and Markdown."""
