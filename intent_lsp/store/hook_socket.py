"""The socket of a root at which a running server answers hooks: its place, and asking there.

Invariant: a directory or socket of another user is never used.
Invariant: paths are strings, and nothing is loaded that takes long, so that a hook begins quickly.
"""

import os
import socket
import stat
import zlib
from collections.abc import Callable

from intent_lsp.core.agents.hook_answer import HookAnswer
from intent_lsp.core.errors import IntentLspError
from intent_lsp.formats.hook_wire import LARGEST, HookRequest, read_reply, read_waiting
from intent_lsp.store.stopwatch import stopwatch

StrPath = str | os.PathLike[str]

ROOM = "intent-lsp"
"""The name of the directory of sockets in a runtime directory."""

REPLY_SECONDS = 1.0
"""How long a reply may take after the person's time is over."""

_LONGEST = 60
"""The most bytes of a runtime directory's path; the path of a socket has at most 107."""
_CHUNK = 1 << 20


class NoReplyError(IntentLspError):
    """A server has begun to ask a person about a call, and then gave no answer."""


def socket_places(root: StrPath) -> tuple[str, ...]:
    """Return the paths at which the socket of a root may be. A server makes it at the first one.

    They are in the directory that XDG_RUNTIME_DIR names, in the usual `/run/user/UID` if that
    exists, and in a directory of the user below `/tmp`. A host may start a program without the
    variable, so each process searches all of them. The variable is ignored if its path is relative
    or too long for a socket.
    """
    spelled = os.fsencode(os.path.realpath(root))
    # A hash that loads at once. If two roots had the same, a server would not answer for the other.
    name, user = f"{zlib.crc32(spelled):08x}{zlib.adler32(spelled):08x}.sock", os.geteuid()
    named, usual = os.environ.get("XDG_RUNTIME_DIR", ""), f"/run/user/{user}"
    rooms = [f"/tmp/{ROOM}-{user}"]  # noqa: S108 - checked by is_private
    if usual != named and os.path.isdir(usual):  # noqa: PTH112 - strings throughout
        rooms.insert(0, f"{usual}/{ROOM}")
    # A runtime directory whose path is too long for a socket is not used.
    if named.startswith("/") and len(os.fsencode(named)) <= _LONGEST:
        rooms.insert(0, f"{named}/{ROOM}")
    return tuple(f"{room}/{name}" for room in rooms)


def connect(root: StrPath, seconds: float) -> socket.socket | None:
    """Return a connection to the server of a root, or None if none listens.

    A socket in a directory to which others have access is ignored. `seconds` is the time limit for
    each place where the socket may be, and then the timeout of the connection.
    """
    for place in socket_places(root):
        if not is_private(place.rpartition("/")[0]):
            continue
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(seconds)
        try:
            connection.connect(place)
        except OSError:
            connection.close()
        else:
            return connection
    return None


def is_private(directory: StrPath) -> bool:
    """Return whether a path is a directory of this user to which nobody else has any access."""
    try:
        found = os.lstat(directory)
    except OSError:
        return False
    ours = found.st_uid == os.geteuid() and stat.S_ISDIR(found.st_mode)
    return ours and not found.st_mode & 0o077


def listening_place(root: StrPath) -> str | None:
    """Return the path of the socket at which a server of a root listens, or None if none does.

    A server that listens may still have no person to ask.
    """
    connection = connect(root, REPLY_SECONDS)
    if connection is None:
        return None
    with connection:
        return os.fsdecode(connection.getpeername())


def ask_server(root: StrPath, request: HookRequest, seconds: float) -> HookAnswer | None:
    """Return the answer of the server of a root to a request.

    Return None if no server listens there, or if it gives no valid answer within `seconds`. The
    server may first reply that it asks a person and for how long: then wait that long and
    `REPLY_SECONDS` more, and raise NoReplyError if no answer comes.
    """
    passed = stopwatch()
    asked = connect(root, seconds)
    if asked is None:
        return None
    waits: float | None = None
    try:
        with asked:
            asked.sendall(request.encode())
            while True:
                reply = read_line(asked, seconds, passed)
                # Both lines may have come at once.
                last = reply.splitlines()[-1] if reply else b""
                more = read_waiting(last)
                if more is None:
                    break
                waits, seconds = more, passed() + more + REPLY_SECONDS
    except (OSError, ValueError):
        last = b""
    answer = read_reply(last)
    if answer is None and waits is not None:
        raise NoReplyError(
            "the language server asked a person, but sent no answer here; make the call again"
        )
    return answer


def read_line(connection: socket.socket, seconds: float, passed: Callable[[], float]) -> bytes:
    """Return the bytes from a connection until they end with a line feed, or until it is closed.

    These may be several lines that come at once. If more bytes must come, raise OSError once
    `seconds` are over or more than LARGEST bytes have come. `passed` returns how many seconds have
    passed.
    """
    parts: list[bytes] = []
    size = 0
    while not parts or not parts[-1].endswith(b"\n"):
        left = seconds - passed()
        if left <= 0 or size > LARGEST:
            raise OSError("the other side of the socket was too slow, or sent too much")
        connection.settimeout(left)
        chunk = connection.recv(_CHUNK)
        if not chunk:
            break
        parts.append(chunk)
        size += len(chunk)
    return b"".join(parts)
