"""How it is written: text from and to core values; still no file is touched."""
