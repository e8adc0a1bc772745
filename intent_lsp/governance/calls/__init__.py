"""Tool calls of agents: authorized, carried out and recorded."""
