"""Checks of changes in git: each commit, the index or the work tree, judged by its own intent."""
