"""How fast it is, each figure as a ratio to a floor measured in the same run."""
