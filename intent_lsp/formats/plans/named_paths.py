"""Paths that a text names: in code spans, in links, after words such as "in", and as bare words.

Invariant: linear in the length of the text. What cannot be a path below the root is left out.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from intent_lsp.formats.plans.proposed_intent import MAX_NAMED, NamedPath

_SPAN: Final = re.compile(r"(?<!`)(?P<ticks>`{1,3})(?!`)(?P<code>[^`]+)(?P=ticks)(?!`)")
_LINK: Final = re.compile(r"\]\((?P<target>[^()\s<>]{1,512})\)")
_URL: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s`)>\]]+|\bwww\.[^\s`)>\]]+")
_WORD: Final = re.compile(r"[^\s`\"'\u2018\u2019\u201c\u201d,;<>()|]+")
_LEAD: Final = frozenset(
    ("in", "into", "to", "at", "from", "under", "inside", "within", "file", "files", "directory")
)
_SHAPE: Final = re.compile(r"[\w.@+\-\[\]{}*?!~#$%&=^ /\\]{1,512}")
_BACKSLASHES: Final = re.compile(r"[\w.\-]+(?:\\[\w.\-]+)+")
_LINES: Final = re.compile(r"(?::\d+(?:[-:]\d+)*|#L\d+(?:-L\d+)?)$")
_ENDING: Final = re.compile(r"[^/]*[^/.]\.[A-Za-z][A-Za-z0-9_+]{0,9}")
_PLACEHOLDER: Final = re.compile(r"\.\.\.|\u2026|[<>$%]|\{\w*\}|\[[^\[\]]*[#\s][^\[\]]*\]")
_WORD_AT_MOST: Final = 600
_STRAY: Final = ".:!?*_\u2026"


def paths_in(texts: Iterable[str]) -> tuple[NamedPath, ...]:
    """Return the paths that texts name, each once, MAX_NAMED at most.

    Those of an earlier text come first. A path that is `stated` at one place is so in the result.
    """
    found: dict[str, NamedPath] = {}
    for text in texts:
        for path in _in_text(text):
            known = found.get(path.text)
            if (known is not None and path.stated) or (known is None and len(found) < MAX_NAMED):
                found[path.text] = path
    return tuple(found.values())


def has_ending(name: str) -> bool:
    """Return whether a text is a single name with an ending, such as `login.py`."""
    return _ENDING.fullmatch(name) is not None


def _in_text(text: str) -> Iterator[NamedPath]:
    text = _URL.sub(" ", text)
    at = 0
    for span in _SPAN.finditer(text):
        yield from _in_prose(text[at : span.start()])
        path = _path(span["code"].strip())
        if path is not None and ("/" in path or has_ending(path)):
            yield NamedPath(path, stated="/" in path)
        at = span.end()
    yield from _in_prose(text[at:])


def _in_prose(text: str) -> Iterator[NamedPath]:
    for link in _LINK.finditer(text):
        path = _path(link["target"])
        if path is not None and "/" in path:
            yield NamedPath(path, stated=False)
    before = ""
    for word in _WORD.findall(_LINK.sub("]", text)):
        path = _path(word.lstrip("*_").rstrip(_STRAY)) if "/" in word or "." in word else None
        if path is not None and ("/" in path or has_ending(path)):
            whole = path.endswith("/") or has_ending(path.rpartition("/")[2])
            yield NamedPath(path, stated="/" in path and whole and before in _LEAD)
        before = word.casefold().rstrip(":")


def _path(word: str) -> str | None:
    """Return a word as a path relative to the root, or None if it cannot be one."""
    if len(word) > _WORD_AT_MOST:
        return None
    bare = _LINES.sub("", word).removeprefix("./")
    if _BACKSLASHES.fullmatch(bare):
        bare = bare.replace("\\", "/")
    if not bare.strip("/.*") or _SHAPE.fullmatch(bare) is None or _PLACEHOLDER.search(bare):
        return None
    if bare.count("[") != bare.count("]"):
        return None
    if bare[0] in "/~-#@" or " " in bare or "//" in bare or ".." in bare.split("/"):
        return None
    return bare
