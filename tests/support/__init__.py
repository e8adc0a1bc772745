"""Support code that several tests share: servers, clients, editors, ledgers and generators."""
