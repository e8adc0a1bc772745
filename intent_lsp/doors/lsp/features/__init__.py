"""The editor features, such as saves, code actions, hover, completion and symbols."""
