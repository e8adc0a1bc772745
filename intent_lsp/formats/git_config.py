"""What a git configuration says beside its branches, which git itself writes at any time.

Invariant: nothing is left out but sections of a branch with plain values; what could be read in
two ways is kept as it is.
"""

import re
from collections.abc import Iterator
from typing import Final

_BRANCH: Final = re.compile(rb'[ \t]*\[branch "[^"\\]*"\][ \t]*\r?\n?', re.IGNORECASE)
_PLAIN: Final = re.compile(
    rb"[ \t]*(?:remote|merge|rebase|pushremote)[ \t]*=[ \t]*[\w./@:+-]*[ \t]*\r?\n?", re.IGNORECASE
)
_SECTION: Final = re.compile(rb"[ \t]*\[")


def without_branches(config: bytes) -> bytes:
    """Give a configuration without what it says of where branches are pulled from."""
    # A line that goes on in the next one could make a value of what looks like a section.
    if b"\\\n" in config or b"\\\r\n" in config:
        return config
    return b"".join(_kept(config))


def _kept(config: bytes) -> Iterator[bytes]:
    branch: bytes | None = None
    for line in config.splitlines(keepends=True):
        if _BRANCH.fullmatch(line):
            branch = line
            continue
        if branch is not None and _PLAIN.fullmatch(line):
            continue
        if branch is not None and not _SECTION.match(line):
            # It belongs to the branch, and to no section above it.
            yield branch
        branch = None
        yield line
