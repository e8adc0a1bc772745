"""Names, results and errors of `intent/*` on the wire."""
