"""Agent hosts: the events that each host's hooks report, and the answers that it reads."""
