"""The gate: whether an edit or a tool call is allowed, and if not, why (requirements section 6)."""
