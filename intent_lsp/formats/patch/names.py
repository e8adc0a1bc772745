r"""Parses file names in the headers of diffs.

Invariant: a name is read as git and `patch` write it: C-quoted (`"na\303\257ve"`), or plain up to a
tab or a time stamp.
Invariant: of two names in one header, the last is that of the file that the patch writes.
"""

import re
from collections.abc import Sequence
from typing import Final

from msgspec import Struct

NO_FILE: Final = "/dev/null"

# git's own prefixes, with `diff.mnemonicPrefix` too: index, work tree, commit, object, and 1, 2.
_PREFIXES = frozenset("abiwco12")
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')
_ESCAPE = re.compile(r"((?:\\[0-3][0-7]{2})+)|\\(.?)", re.DOTALL)
_SINGLE = {"a": "\a", "b": "\b", "t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r"}
_KNOWN = {*_SINGLE, '"', "\\"}
_STAMP = re.compile(
    r"\t.*|(?<! ) +[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}[0-9. +-]*\Z"
)


class HeaderName(Struct, frozen=True):
    """The file that a patch's header most likely means, and other files that it could mean."""

    path: str
    others: tuple[str, ...] = ()


def read_name(text: str) -> str:
    """Return the file name in `text`, which follows `---`, `+++`, `rename from` or the like.

    Quotes and a time stamp are removed.
    """
    quoted = _QUOTED.match(text)
    name = unquote(quoted[1]) if quoted else None
    if name is not None:
        return name
    stamp = _STAMP.search(text)
    return text[: stamp.start()] if stamp else text


def unquote(text: str) -> str | None:
    """Undo git's C quoting of `text`, a name without its outer quotes.

    Return None if there is an escape that git does not know. Bytes that are not UTF-8 become
    surrogate escapes, as in the system's own file names.
    """
    if any(each[1] is None and each[2] not in _KNOWN for each in _ESCAPE.finditer(text)):
        return None
    return _ESCAPE.sub(_unescaped, text)


def read_pair(text: str) -> tuple[str, str] | None:
    """Return the two names after `diff --git`, with prefixes, or None if they cannot be separated.

    Names with spaces are not quoted. They can be separated if they differ only in their prefixes.
    """
    quoted = _QUOTED.match(text)
    if quoted and text[quoted.end() : quoted.end() + 1] == " ":
        return read_name(text), read_name(text[quoted.end() + 1 :])
    if text.endswith('"') and ' "' in text:
        old, _, new = text.partition(' "')
        return old, read_name('"' + new)
    half = len(text) // 2
    old, new = text[:half], text[half + 1 :]
    if text[half : half + 1] == " " and (old == new or _rest(old) == _rest(new) is not None):
        return old, new
    old, _, new = text.partition(" ")
    return (old, new) if new and " " not in new else None


def spelling(names: Sequence[str]) -> HeaderName:
    """Return the file that one or two names in a header most likely mean, without git's prefixes.

    `others` in the result are files that the header could also mean, such as the same names with
    or without their first directory.
    """
    prefixes = [name.partition("/")[0] for name in names]
    rests = [_rest(name) for name in names]
    apart = len(set(prefixes)) == len(names)
    gits = apart and None not in rests and _PREFIXES.issuperset(prefixes)
    alike = len(names) > 1 and len(set(rests)) == 1
    bare, written = rests[-1], names[-1]
    stripped = gits or (alike and (apart or _PREFIXES.issuperset(prefixes)))
    path = bare if bare is not None and stripped else written
    seconds = rests if gits else [*names, *rests]
    others = dict.fromkeys(name for name in seconds if name is not None and name != path)
    return HeaderName(path, tuple(others))


def candidates(name: str) -> tuple[str, ...]:
    """Return the files that a name could mean: without its first directory, and as written.

    A name without a directory means one file.
    """
    rest = _rest(name)
    return (name,) if rest is None else (rest, name)


def _rest(name: str) -> str | None:
    return name.partition("/")[2] or None


def _unescaped(escape: re.Match[str]) -> str:
    if escape[1] is None:
        return _SINGLE.get(escape[2], escape[2])
    octets = escape[1].split("\\")[1:]
    return bytes(int(octet, 8) for octet in octets).decode("utf-8", "surrogateescape")
