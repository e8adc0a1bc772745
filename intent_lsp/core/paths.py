"""A path as a root sees it: relative, `/`-separated, never leaving the root (scope section 4).

Invariant: a WorkspacePath has no empty, `.` or `..` segment and no leading or trailing `/`.
"""

from string import ascii_letters
from typing import NewType
from urllib.parse import unquote_to_bytes

WorkspacePath = NewType("WorkspacePath", str)

CONTROL_ROOM = ".orchestration"
INTENTS_FILE = WorkspacePath(f"{CONTROL_ROOM}/active_intents.yaml")
POLICY_FILE = WorkspacePath(f"{CONTROL_ROOM}/constraints.sidecar.yaml")
LEDGER_FILE = WorkspacePath(f"{CONTROL_ROOM}/agent_trace.jsonl")
INTENT_MAP = WorkspacePath(f"{CONTROL_ROOM}/intent_map.md")
GOVERNANCE_LEDGER = WorkspacePath(f"{CONTROL_ROOM}/governance_ledger.md")
LOCAL_ROOM = WorkspacePath(f"{CONTROL_ROOM}/.local")
IGNORE_FILE = WorkspacePath(".intentignore")


def fold(text: str) -> str | None:
    """Fold `.`, `..` and `//` of a `/`-separated path; None when it climbs out of the top.

    An absolute path stays absolute; the result has no trailing `/` (the root itself is `/`).
    """
    kept: list[str] = []
    for part in text.split("/"):
        if part in ("", "."):
            continue
        if part == "..":
            if not kept:
                return None
            kept.pop()
            continue
        kept.append(part)
    return ("/" if text.startswith("/") else "") + "/".join(kept)


def parse_relative(text: str, *, windows: bool = False) -> WorkspacePath | None:
    """Read a root-relative path; None when it is absolute, empty, or leaves the root.

    `path` on the wire is never percent-decoded (protocol, head).
    """
    spelled = text.replace("\\", "/") if windows else text
    if spelled.startswith("/") or "\0" in spelled or (windows and spelled[1:2] == ":"):
        return None
    folded = fold(spelled)
    return WorkspacePath(folded) if folded else None


def is_file_name(text: str) -> bool:
    """Whether a file can have this name, and the operating system would spell it so.

    Bytes that are not UTF-8 are surrogate escapes. Other lone surrogates stand for no bytes, and
    escapes that together are UTF-8 would be a second spelling of a name.
    """
    if text.isascii():
        return True
    try:
        spelled = text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return False
    return spelled.decode("utf-8", "surrogateescape") == text


def relative_to(path: str, root: str) -> WorkspacePath | None:
    """Give the folded absolute `path` as the folded absolute `root` sees it; None outside of it."""
    head = root if root.endswith("/") else root + "/"
    return WorkspacePath(path[len(head) :]) if path.startswith(head) and path != head else None


def path_of_uri(uri: str, *, windows: bool = False) -> str | None:
    """Give the absolute folded path of a `file:` URI; None for another scheme or a bad path.

    Percent-decoded once; `%2F` becomes a separator; bytes that are not UTF-8 become surrogate
    escapes, as the operating system's own file names do; a drive letter is lower-cased.
    """
    scheme, _, rest = uri.partition(":")
    if scheme.lower() != "file":
        return None
    host = ""
    if rest.startswith("//"):
        host, slash, below = rest[2:].partition("/")
        rest = slash + below
    # `?` and `#` belong to the name: editors encode them, and a file has neither query nor part.
    # Lone surrogates come from JSON; they name no file, and are no reason to fail.
    spelled = unquote_to_bytes(rest.encode("utf-8", "surrogatepass"))
    decoded = spelled.decode("utf-8", "surrogateescape")
    if "\0" in decoded or "\0" in host:
        return None
    host = "" if host.lower() == "localhost" else host
    if windows:
        return _windows_path(decoded, host)
    return fold(decoded) if not host and decoded.startswith("/") else None


def _windows_path(decoded: str, host: str) -> str | None:
    spelled = decoded.replace("\\", "/")
    if host:
        folded = fold("/" + spelled.lstrip("/"))
        return None if folded is None else f"//{host}{folded}"
    spelled = spelled.lstrip("/")
    if spelled[1:2] != ":" or spelled[0] not in ascii_letters:
        return None
    folded = fold("/" + spelled[2:].lstrip("/"))
    return None if folded is None else f"{spelled[0].lower()}:{folded}"
