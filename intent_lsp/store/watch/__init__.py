"""Changes on disk, as the system tells of them."""
