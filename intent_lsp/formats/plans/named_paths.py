"""Paths that the texts of a plan name, and the globs for them, as the scope of a proposed intent.

Specified in requirements section 3.10. Words that cannot be a path below the root are skipped.

Invariant: reading is linear in the length of a text.
Invariant: no glob begins with `**`, no glob is an exclusion, and no glob matches control files.
Invariant: no glob of the result is below a directory that is also in the result.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from intent_lsp.core.gate.grantable import ungrantable
from intent_lsp.core.paths import parse_relative
from intent_lsp.formats.plans.proposed_intent import MAX_NAMED, NamedPath

MAX_GLOBS: Final = 100
"""The most globs of one proposed intent."""

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
_BELOW: Final = "/**"
_WILD: Final = re.compile(r"[*?{}]")
_MAGIC: Final = re.compile(r"([\\*?\[\]{}])")

IsThere = Callable[[str], bool]
"""Returns whether a path relative to the root is there."""


class TreeNames(Struct, frozen=True):
    """What the work tree has, asked by paths relative to the root.

    `only_file_below` returns the only file whose path ends with `/<path>`, or None if there is no
    such file or more than one.
    """

    is_file: IsThere
    is_directory: IsThere
    only_file_below: Callable[[str], str | None]

    def has(self, path: str) -> bool:
        """Return whether the work tree has a file or a directory at this path."""
        return self.is_file(path) or self.is_directory(path)


class ScopeGlobs(Struct, frozen=True):
    """The globs for named paths, and the paths and globs that `globs_of` leaves out."""

    globs: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()


def paths_in(texts: Iterable[str]) -> tuple[NamedPath, ...]:
    """Return the paths that texts name, each once, MAX_NAMED at most.

    Those of an earlier text come first. A path that is `stated` (see NamedPath) at one of its
    places is `stated` in the result.
    """
    found: dict[str, NamedPath] = {}
    for text in texts:
        for path in _in_text(text):
            known = found.get(path.text)
            if (known is not None and path.stated) or (known is None and len(found) < MAX_NAMED):
                found[path.text] = path
    return tuple(found.values())


def globs_of(
    named: Sequence[NamedPath], tree: TreeNames, own: Callable[[str], bool] = lambda _: False
) -> ScopeGlobs:
    """Return the globs for the paths that a plan names, in order; MAX_GLOBS at most.

    A directory becomes `<directory>/**`, and a file itself. A `stated` path may also be a glob, or
    something that does not exist. A top directory, such as `src`, is dropped if another glob is
    below it.

    In `left_out` are the paths that no intent may own, the globs that begin with `**`, the globs
    beyond MAX_GLOBS, and the paths that only lack `stated` (see `_perhaps_new`). Other paths
    without a glob are dropped, and so are the plan's own documents, for which `own` returns True.
    """
    globs: dict[str, None] = {}
    left_out: list[str] = []
    for each in named:
        if own(each.text):
            continue
        glob = _glob(each, tree)
        if glob is None:
            left_out += [each.text] * _perhaps_new(each, tree)
        elif ungrantable(glob, tree.is_directory) is None and not glob.startswith("**"):
            globs[glob] = None
        else:
            left_out.append(each.text)
    tops = {glob.partition("/")[0] for glob in globs if not _of_root(glob)}
    kept = [
        glob
        for glob in globs
        if not (_of_root(glob) and glob.partition("/")[0] in tops) and not _covered(glob, globs)
    ]
    return ScopeGlobs(tuple(kept[:MAX_GLOBS]), (*left_out, *kept[MAX_GLOBS:]))


def _in_text(text: str) -> Iterator[NamedPath]:
    text = _URL.sub(" ", text)
    at = 0
    for span in _SPAN.finditer(text):
        yield from _in_prose(text[at : span.start()])
        path = _path(span["code"].strip())
        if path is not None and ("/" in path or _has_ending(path)):
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
        if path is not None and ("/" in path or _has_ending(path)):
            whole = path.endswith("/") or _has_ending(path.rpartition("/")[2])
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


def _has_ending(name: str) -> bool:
    """Return whether a text is a single name with an ending, such as `login.py`."""
    return _ENDING.fullmatch(name) is not None


def _of_root(glob: str) -> bool:
    """Return whether a glob is `<directory>/**` with a top directory, such as `src/**`."""
    return glob.endswith(_BELOW) and glob.count("/") == 1


def _glob(named: NamedPath, tree: TreeNames) -> str | None:
    """Return the glob for a named path.

    Return None for a path that is not there, unless it is `stated` (see NamedPath), and `_wild` or
    `_new` returns a glob for it.
    """
    path = parse_relative(named.text)
    if path is None:
        return None
    if tree.is_file(path):
        return _MAGIC.sub(r"\\\1", path)
    if tree.is_directory(path):
        return _MAGIC.sub(r"\\\1", path) + _BELOW
    # Brackets of a path that is not there yet may be a class of characters or a part of a name.
    if not named.stated or "/" not in path or "[" in path or "]" in path:
        return None
    return _wild(path, tree) if _WILD.search(path) else _new(named.text, path, tree)


def _wild(path: str, tree: TreeNames) -> str | None:
    """Return a glob that a plan names, as it is.

    Return None if it begins neither with `**` nor with an existing top directory, such as `src`.
    """
    return path if path.startswith("**") or tree.is_directory(path.partition("/")[0]) else None


def _new(text: str, path: str, tree: TreeNames) -> str | None:
    """Return the glob for a stated path that is not there, or None if it is most likely no path.

    The path may be the end of an existing file's path, or a file or directory that is still to be
    written.
    """
    first, last = path.partition("/")[0], path.rpartition("/")[2]
    known = tree.is_directory(first)
    ends = _has_ending(last) and not text.endswith("/")
    inner = None if known or not ends else tree.only_file_below(path)
    if inner is not None:
        return _MAGIC.sub(r"\\\1", inner)
    # What begins like a host's name is more likely an address, as in `example.com/page.html`.
    if not known and _has_ending(first):
        return None
    if ends:
        return path
    return path + _BELOW if known or text.endswith("/") else None


def _perhaps_new(named: NamedPath, tree: TreeNames) -> bool:
    """Return whether a path lacks only `stated` (see NamedPath) to count as a new file or a glob.

    Return False for a path that does not begin with an existing top directory, such as `src`.
    """
    path = parse_relative(named.text)
    if named.stated or path is None or not tree.is_directory(path.partition("/")[0]):
        return False
    return _glob(replace(named, stated=True), tree) == path


def _covered(glob: str, globs: dict[str, None]) -> bool:
    """Return whether `globs` has `<directory>/**` for a directory that the glob is below.

    A top directory does not count: `src/auth/**` covers `src/auth/a.py`, and `src/**` does not.
    """
    parts = glob.removesuffix(_BELOW).split("/")
    return any("/".join(parts[:length]) + _BELOW in globs for length in range(2, len(parts)))
