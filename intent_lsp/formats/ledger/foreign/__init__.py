"""Import of records that other tools wrote."""
