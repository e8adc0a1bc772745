"""The innermost layer: pure values and functions on the standard library and msgspec's structs."""
