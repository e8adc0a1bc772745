"""The commands `trace …`."""
