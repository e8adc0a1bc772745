"""An ignore file's lines as patterns from the top of the work tree."""

from collections.abc import Iterator


def patterns_below(directory: str, text: str) -> Iterator[str]:
    """Give the patterns of an ignore file in a directory ("": the top), as the top would say them.

    A pattern without a slash inside names files at any depth below its directory, any other one
    is anchored there.
    """
    for line in text.split("\n"):
        pattern = _trimmed(line.removesuffix("\r"))
        if not pattern or pattern.startswith("#"):
            continue
        taken_out = pattern.startswith("!")
        body = pattern.removeprefix("!")
        if directory:
            anchored = "/" in body.rstrip("/")
            below = body.removeprefix("/") if anchored else f"**/{body}"
            body = f"/{_literal(directory)}/{below}"
        yield f"!{body}" if taken_out else body


def _trimmed(line: str) -> str:
    """Take the blanks off a line's end, unless the last one is escaped."""
    bare = line.rstrip(" ")
    escaped = (len(bare) - len(bare.rstrip("\\"))) % 2 and bare != line
    return f"{bare} " if escaped else bare


def _literal(directory: str) -> str:
    """Spell a directory so that no sign of it is a pattern's."""
    return "".join(f"\\{sign}" if sign in "\\*?[" else sign for sign in directory)
