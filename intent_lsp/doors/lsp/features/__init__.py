"""The features of the language service: saves, actions, provenance."""
