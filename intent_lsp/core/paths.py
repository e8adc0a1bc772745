"""Paths relative to a root, with `/` as separator, that never leave the root (scope section 4).

Invariant: a WorkspacePath has no empty, `.` or `..` segment and no leading or trailing `/`.
"""

from typing import NewType

from intent_lsp.core import control_names

WorkspacePath = NewType("WorkspacePath", str)

CONTROL_ROOM = control_names.CONTROL_ROOM
INTENTS_FILE = WorkspacePath(control_names.INTENTS_FILE)
POLICY_FILE = WorkspacePath(f"{CONTROL_ROOM}/constraints.sidecar.yaml")
LEDGER_FILE = WorkspacePath(control_names.LEDGER_FILE)
INTENT_MAP = WorkspacePath(f"{CONTROL_ROOM}/intent_map.md")
GOVERNANCE_LEDGER = WorkspacePath(f"{CONTROL_ROOM}/governance_ledger.md")
LOCAL_ROOM = WorkspacePath(f"{CONTROL_ROOM}/.local")
IGNORE_FILE = WorkspacePath(".intentignore")


def fold(text: str) -> str | None:
    """Resolve `.`, `..` and `//` in a `/`-separated path.

    Return None if a `..` leads above where the path begins, as in `a/../..` or `/..`. An absolute
    path stays absolute. The result has no trailing `/`, except that the file system's root is `/`.
    A relative path with nothing left, such as `.`, becomes "".
    """
    if text and text[0] not in "./" and text[-1] != "/" and "//" not in text and "/." not in text:
        # Most paths are such ones, and a listing of a large tree has a hundred thousand of them.
        return text
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


def parse_relative(text: str) -> WorkspacePath | None:
    """Parse a path relative to the root, and resolve `.`, `..` and `//` in it.

    Return None if it is absolute, contains NUL, leaves the root, or is the root itself. A `%` is
    part of the name: a client's `path` is never percent-decoded.
    """
    folded = None if text.startswith("/") or "\0" in text else fold(text)
    return WorkspacePath(folded) if folded else None


def is_file_name(text: str) -> bool:
    """Whether a file can have this name, spelled as Python's `os` functions return names.

    They return a byte that is not UTF-8 as a surrogate escape. False if the text has any other lone
    surrogate, or escapes whose bytes together are valid UTF-8. Nothing else is checked: any ASCII
    text gives True.
    """
    if text.isascii():
        return True
    try:
        spelled = text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return False
    return spelled.decode("utf-8", "surrogateescape") == text


def relative_to(path: str, root: str) -> WorkspacePath | None:
    """Return the absolute `path` relative to `root`, or None if it is `root` or outside of it.

    Both must have been resolved by `fold`.
    """
    head = root if root.endswith("/") else root + "/"
    return WorkspacePath(path[len(head) :]) if path.startswith(head) and path != head else None


def path_of_uri(uri: str) -> str | None:
    """Return the absolute path that a `file:` URI names, resolved by `fold`.

    Return None for another scheme or host, a relative path, or a path that is not valid. The URI is
    percent-decoded once, and `%2F` becomes a separator. Bytes that are not UTF-8 become surrogate
    escapes, as in file names from the operating system.
    """
    scheme, _, rest = uri.partition(":")
    if scheme.lower() != "file":
        return None
    host = ""
    if rest.startswith("//"):
        host, slash, below = rest[2:].partition("/")
        rest = slash + below
    # `?` and `#` belong to the name: editors encode them, and a `file:` URI has neither query nor
    # fragment. Lone surrogates can come from JSON. They name no file, but must not raise an error.
    # Loaded when it is needed: a hook that only asks the server has no URI.
    from urllib.parse import unquote_to_bytes  # noqa: PLC0415

    spelled = unquote_to_bytes(rest.encode("utf-8", "surrogatepass"))
    decoded = spelled.decode("utf-8", "surrogateescape")
    here = host.lower() in ("", "localhost") and decoded.startswith("/")
    return fold(decoded) if here and "\0" not in decoded else None


def file_uri(path: str) -> str:
    """Return the `file:` URI of an absolute path.

    Surrogate escapes become the percent-encoded bytes that they stand for.
    """
    from urllib.parse import quote_from_bytes  # noqa: PLC0415 - as above

    return "file://" + quote_from_bytes(path.encode("utf-8", "surrogateescape"), safe="/")
