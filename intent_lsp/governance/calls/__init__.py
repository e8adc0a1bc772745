"""Tool calls of agents: authorized, carried out, recorded."""
