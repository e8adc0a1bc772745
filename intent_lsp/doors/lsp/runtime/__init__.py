"""What the features of a connection run on: open roots, settings, threads and queues."""
