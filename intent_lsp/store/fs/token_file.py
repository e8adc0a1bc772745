"""The file with the word that a client has to know.

Invariant: a token that anybody but its owner can read, or that stands behind a link, is refused.
Invariant: a file that is there is never changed.
"""

import errno
import os
import re
import secrets
import stat
from pathlib import Path
from typing import Final

from intent_lsp.core.errors import IntentLspError

_TOKEN: Final = re.compile(rb"\s*([!-~]{16,1024})\s*")
_FRESH_BYTES: Final = 32
_LONGEST: Final = 2048
_MODE: Final = 0o600
_OTHERS: Final = 0o077
_NO_LINK: Final = getattr(os, "O_NOFOLLOW", 0)
_READ: Final = os.O_RDONLY | _NO_LINK | getattr(os, "O_NONBLOCK", 0)
_CREATE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_LINK


class TokenFileError(IntentLspError):
    """A token file that cannot be trusted, read or made; `cure` says what to do."""

    def __init__(self, *, path: Path, problem: str, cure: str) -> None:
        super().__init__(f"the token file {path} {problem}")
        self.path, self.problem, self.cure = path, problem, cure


def token_of(path: Path) -> str:
    """Read a token, 16 to 1,024 printable ASCII characters; a fresh one where there is no file.

    Raises TokenFileError (protocol section 5).
    """
    try:
        try:
            return _fresh(path)
        except FileExistsError:
            return _read(path)
    except OSError as error:
        if error.errno == errno.ELOOP:
            cure = "give the file itself"
            raise TokenFileError(path=path, problem="is a link", cure=cure) from error
        said = f"cannot be used: {error.strerror}"
        cure = "give a file in a directory of your own"
        raise TokenFileError(path=path, problem=said, cure=cure) from error


def _fresh(path: Path) -> str:
    token = secrets.token_urlsafe(_FRESH_BYTES)
    with os.fdopen(os.open(path, _CREATE, _MODE), "wb") as file:
        file.write(token.encode() + b"\n")
    return token


def _read(path: Path) -> str:
    with os.fdopen(os.open(path, _READ), "rb", buffering=0, opener=None) as file:
        # Of the file that is open: its name may lead to another one by now.
        _check(path, os.fstat(file.fileno()))
        found = _TOKEN.fullmatch(file.read(_LONGEST) or b"")
    if found is None:
        cure = "delete the file, and a fresh token is put into it"
        raise TokenFileError(
            path=path, problem="holds no token of 16 to 1024 printable characters", cure=cure
        )
    return found[1].decode("ascii")


def _check(path: Path, found: os.stat_result) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise TokenFileError(path=path, problem="is not a regular file", cure="give another one")
    if found.st_uid != os.geteuid():
        cure = "give a file of your own"
        raise TokenFileError(path=path, problem="belongs to another user", cure=cure)
    if stat.S_IMODE(found.st_mode) & _OTHERS:
        cure = "`chmod 600` it, and change the token: others may know it"
        raise TokenFileError(path=path, problem="can be read by others", cure=cure)
