"""When a file was touched, as the file system noted it.

Invariant: what is asked is the system's own moment, too, which no program can set back.
"""

from pathlib import Path


def last_touched(path: Path) -> float | None:
    """Tell when a file was written, or changed in any other way, in seconds since 1970.

    Of a file that is not there, that of its directory, out of which it may have been taken. None:
    neither is there, or it cannot be asked.
    """
    for place in (path, path.parent):
        try:
            found = place.stat()
        except (OSError, ValueError):
            continue
        return max(found.st_mtime, found.st_ctime)
    return None
