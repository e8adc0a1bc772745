"""Files of the work tree: reading, listing, resolving links, and writing safely."""
