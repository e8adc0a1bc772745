"""The handlers of `intent/*` requests and of `intent.*` commands."""
