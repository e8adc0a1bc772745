"""The agent hosts, one module each: how it is installed, registered, started and scripted."""
