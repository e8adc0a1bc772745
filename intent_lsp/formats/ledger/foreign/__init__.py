"""Records that other tools wrote, read as ours."""
