"""The comment by which a YAML file names its JSON Schema for yaml-language-server.

Where it stands, that server explains keys and statuses, and ours leaves them to it.
"""

import re

_COMMENT = re.compile(r"(?:\A\ufeff?|[\r\n])[ \t]*#[ \t]*yaml-language-server[ \t]*:.*\$schema=\S")


def names_schema(text: str) -> bool:
    """Return whether a line of a text is a comment that names a schema for that server."""
    return "yaml-language-server" in text and _COMMENT.search(text) is not None
