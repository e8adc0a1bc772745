"""Params and results of `intent/*` as JSON."""
