"""Transports: standard input and output, TCP and WebSocket."""
