"""Planning: intents are selected, created and completed, and their scopes checked."""
