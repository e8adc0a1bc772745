"""Text as the bytes under which it is stored: any name a file system or a client has."""


def pack(text: str) -> bytes:
    """Spell a text, lone surrogates included."""
    return text.encode("utf-8", "surrogatepass")


def unpack(data: bytes) -> str:
    """Read what `pack` spelled."""
    return data.decode("utf-8", "surrogatepass")


def pack_perhaps(text: str | None) -> bytes | None:
    """Spell a text that may be missing, which stays missing."""
    return None if text is None else pack(text)
