"""The editor features: saves, file operations, code actions, hover, lenses and symbols."""
