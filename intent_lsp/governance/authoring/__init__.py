"""Help with writing control files: matches of globs, links, explanations and completion."""
