"""A version of a file as only the git program can spell it: by its filters and encodings.

Invariant: a filter that fails gives None, never half a file.
"""

from pathlib import Path

from intent_lsp.store.fs.files import read_bytes
from intent_lsp.store.git.conversion import Version
from intent_lsp.store.git.program import run_git


def filtered(top: Path, version: Version) -> bytes | None:
    """Give a version's bytes in the work tree at `top`; None: it cannot be spelled.

    What is on disk is taken for it, where git's filters make the blob of that.
    """
    if (disk := _clean(top, version)) is not None:
        return disk
    return run_git(top, "cat-file", "--filters", f"--path={version.path}", version.blob_id)


def _clean(top: Path, version: Version) -> bytes | None:
    try:
        disk = read_bytes(top / version.path)
    except OSError:
        return None
    if disk is None:
        return None
    made = run_git(top, "hash-object", "--stdin", f"--path={version.path}", given=disk)
    return disk if made is not None and made.strip() == version.blob_id.encode() else None
