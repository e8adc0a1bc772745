"""Rewrites the patterns of nested ignore files as patterns relative to the work tree's top."""

from collections.abc import Iterator


def patterns_below(directory: str, text: str) -> Iterator[str]:
    """Yield the patterns of an ignore file in `directory` ("" for the top), relative to the top.

    A pattern without a slash inside matches files at any depth below the directory. Any other
    pattern is anchored to the directory.
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
    """Return a line without its trailing blanks, except one that is escaped."""
    bare = line.rstrip(" ")
    escaped = (len(bare) - len(bare.rstrip("\\"))) % 2 and bare != line
    return f"{bare} " if escaped else bare


def _literal(directory: str) -> str:
    """Return a directory with its pattern characters escaped."""
    return "".join(f"\\{sign}" if sign in "\\*?[" else sign for sign in directory)
