"""What the keys of the control files and of a record mean, as short texts for people."""
