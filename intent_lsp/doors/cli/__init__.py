"""The shell's door: commands that people and scripts type."""
