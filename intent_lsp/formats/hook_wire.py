"""What a hook sends to its root's server, and the reply: a line of JSON each (hooks section 5).

Invariant: it imports nothing that takes long to load, so that a hook begins quickly.
"""

import json
from collections import namedtuple
from collections.abc import Mapping

from intent_lsp.core.agents.hook_answer import HookAnswer

VERSION = 1
"""The version of this protocol. A line of another version is no valid request or reply."""

LARGEST = 64 * 1024 * 1024
"""The most bytes of one line."""

_DAY = 86_400
_CWD = ("cwd", "directory", "workspaceRoot")


class HookRequest(
    namedtuple("HookRequest", ("host", "event", "environment", "cwd", "payload"))  # noqa: PYI024
):
    """One event of an agent host's hook, for the server of its root.

    `event` is the event's name from the command line, or None. `payload` is what the host wrote to
    the hook's standard input, `cwd` the working directory of the hook, and `environment` the
    variables that change an answer.
    """

    __slots__ = ()
    host: str
    event: str | None
    environment: Mapping[str, str]
    cwd: str
    payload: bytes

    def place(self) -> str:
        """Return the working directory that the payload names, else that of the hook.

        A payload that is not a JSON object names none.
        """
        try:
            fields = json.loads(self.payload.decode("utf-8", "replace"), strict=False)
        except (ValueError, RecursionError):
            return self.cwd
        named = (fields.get(name) for name in _CWD) if isinstance(fields, dict) else ()
        return next((each for each in named if isinstance(each, str) and each), self.cwd)

    def encode(self) -> bytes:
        """Return the request as a line of JSON, with its line feed."""
        told = self._asdict() | {
            "version": VERSION,
            "payload": self.payload.decode("utf-8", "surrogateescape"),
        }
        return json.dumps(told).encode("ascii") + b"\n"


def read_request(line: bytes) -> HookRequest | None:
    """Return the request in a line, or None if the line is no valid request of this version."""
    told = json_object(line)
    given = told.get("environment")
    if told.get("version") != VERSION or not isinstance(given, dict):
        return None
    try:
        host, cwd = str(told["host"]), str(told["cwd"])
        payload = str(told["payload"]).encode("utf-8", "surrogateescape")
    except (KeyError, ValueError):
        return None
    environment = {str(key): str(value) for key, value in given.items()}
    event = told.get("event")
    named = event if isinstance(event, str) else None
    return HookRequest(host, named, environment, cwd, payload)


def encode_reply(reply: HookAnswer | None) -> bytes:
    """Return a reply as a line of JSON, with its line feed.

    For None, the line says that the server cannot answer; the hook then judges by itself.
    """
    told = {"version": VERSION, "answered": reply is not None}
    return json.dumps(told | ({} if reply is None else reply._asdict())).encode("ascii") + b"\n"


def encode_waiting(seconds: float) -> bytes:
    """Return the line of JSON that says that a person has up to `seconds` to answer a question."""
    return json.dumps({"version": VERSION, "waits": seconds}).encode("ascii") + b"\n"


def read_waiting(line: bytes) -> float | None:
    """Return how many seconds the reply may take, or None if the line does not say so.

    None also stands for a line of another version, and for seconds that `finite_seconds` rejects.
    """
    told = json_object(line)
    return finite_seconds(told.get("waits")) if told.get("version") == VERSION else None


def finite_seconds(given: object) -> float | None:
    """Return `given` if it is a number of seconds above 0 and up to a day, else None."""
    if isinstance(given, bool) or not isinstance(given, int | float):
        return None
    return float(given) if 0 < given <= _DAY else None


def read_reply(line: bytes) -> HookAnswer | None:
    """Return the reply in a line, or None if the line is no valid reply of this version.

    None also stands for a server that has no answer.
    """
    told = json_object(line)
    if told.get("version") != VERSION or told.get("answered") is not True:
        return None
    stdout, stderr, status = (told.get(name) for name in HookAnswer._fields)
    if not isinstance(stdout, str) or not isinstance(stderr, str) or not isinstance(status, int):
        return None
    return HookAnswer(stdout, stderr, status)


def json_object(line: bytes) -> dict[str, object]:
    """Return the JSON object in a line, or an empty one if there is none."""
    try:
        told = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return told if isinstance(told, dict) else {}
