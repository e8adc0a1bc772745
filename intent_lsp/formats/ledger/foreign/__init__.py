"""Import of foreign records, which other tools wrote."""
