"""Params of the `intent/*` requests: JSON objects read into typed values, for every door."""
