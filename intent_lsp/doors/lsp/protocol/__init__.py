"""JSON-RPC and the base protocol: messages, requests in flight, documents."""
