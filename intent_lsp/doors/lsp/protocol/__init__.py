"""JSON-RPC and LSP basics: framing, messages, requests in flight, documents, shutdown."""
