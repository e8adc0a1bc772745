"""Authoring of control files: what globs match, where parts lead, what they mean and may be."""
