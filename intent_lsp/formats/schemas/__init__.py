"""The published schemas of the control files and of a record, as models of pydantic."""
