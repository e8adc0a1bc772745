"""Three contents of a file merged by git, outside of any repository.

Invariant: only temporary files are written, and they are gone in the end.
"""

import tempfile
from pathlib import Path

from intent_lsp.store.git.program import run_git


def merge_file(base: bytes, ours: bytes, theirs: bytes) -> bytes | None:
    """Merge what became of a content in two ways; None: they conflict, or git does not answer."""
    with tempfile.TemporaryDirectory(prefix="intent-lsp-merge-") as room:
        names = ("ours", "base", "theirs")
        for name, data in zip(names, (ours, base, theirs), strict=True):
            Path(room, name).write_bytes(data)
        return run_git(Path(room), "merge-file", "-p", "-q", *names)
