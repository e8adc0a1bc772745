"""Connections: standard input and output, TCP, WebSocket."""
