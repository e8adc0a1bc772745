"""What the whole server shares: open roots, settings, threads, queues."""
