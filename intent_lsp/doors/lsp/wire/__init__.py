"""Parameters and results of `intent/*` as they are on the wire."""
