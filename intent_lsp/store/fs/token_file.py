"""The token file: the secret that a client must send to a server on a socket.

Invariant: a file is refused if it is a link, belongs to another user, or gives others any access.
Invariant: an existing file is never changed.
"""

import os
import re
import secrets
import stat
from pathlib import Path
from typing import Final

from intent_lsp.core.errors import IntentLspError, UnsafePathError
from intent_lsp.store.fs.files import open_plain
from intent_lsp.store.fs.write import create_file

_TOKEN: Final = re.compile(rb"\s*([!-~]{16,1024})\s*")
_FRESH_BYTES: Final = 32
_LONGEST: Final = 2048
_MODE: Final = 0o600
_OTHERS: Final = 0o077


class TokenFileError(IntentLspError):
    """A token file is not private, not valid, or cannot be used. `cure` says how to fix that."""

    def __init__(self, *, path: Path, problem: str, cure: str) -> None:
        super().__init__(f"the token file {path} {problem}")
        self.path, self.problem, self.cure = path, problem, cure


def token_of(path: Path) -> str:
    """Return the token in a file. If the file is missing, create it with a new random token.

    A token has 16 to 1,024 printable ASCII characters, and no space. White space around it in the
    file is ignored. Raise TokenFileError if the file is not private, holds no token, or cannot be
    read or created (protocol section 5).
    """
    fresh = secrets.token_urlsafe(_FRESH_BYTES)
    try:
        # Create a file only if there is none: the directory of an existing one may be read-only.
        made = not os.path.lexists(path) and create_file(path, f"{fresh}\n".encode(), mode=_MODE)
        return fresh if made else _read(path)
    except UnsafePathError as error:
        if path.is_symlink():
            cure = "give the file to which the link points"
            raise TokenFileError(path=path, problem="is a symbolic link", cure=cure) from error
        raise TokenFileError(path=path, problem=error.problem, cure="give another file") from error
    except OSError as error:
        said = f"cannot be used: {error.strerror}"
        cure = "give a file in a directory that exists and in which you can write"
        raise TokenFileError(path=path, problem=said, cure=cure) from error


def _read(path: Path) -> str:
    with os.fdopen(open_plain(path, os.O_RDONLY), "rb", buffering=0) as file:
        # Check the open file, not the path, which may name another file by now.
        _check(path, os.fstat(file.fileno()))
        found = _TOKEN.fullmatch(file.read(_LONGEST) or b"")
    if found is None:
        cure = "delete the file; it will be created again with a new token"
        said = "contains no token of 16 to 1024 printable ASCII characters without a space"
        raise TokenFileError(path=path, problem=said, cure=cure)
    return found[1].decode("ascii")


def _check(path: Path, found: os.stat_result) -> None:
    """Raise TokenFileError if another user owns the file or its mode gives others any access."""
    if found.st_uid != os.geteuid():
        cure = "give a file that belongs to you"
        raise TokenFileError(path=path, problem="belongs to another user", cure=cure)
    if stat.S_IMODE(found.st_mode) & _OTHERS:
        cure = (
            "run `chmod 600` on the file, and put another token into it: others may know this one"
        )
        raise TokenFileError(path=path, problem="gives other users access", cure=cure)
