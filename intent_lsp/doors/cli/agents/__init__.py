"""The commands `agents …`, which register agent hosts: install, uninstall, status, instructions."""
