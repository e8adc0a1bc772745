"""The gate: may an edit or a tool call happen, and if not, why (requirements section 6)."""
