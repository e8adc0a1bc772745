"""YAML read with places, and edited in place."""
