"""Parses the headers of unified and context diffs, and finds where hunks of unified diffs end.

Invariant: the lines of a hunk are counted as its `@@` line says. Counted lines are taken for a
header only if they are a `---`, a `+++` and a `@@` line in a row.
Invariant: a file that is named after `---` or `+++` is returned even if other lines of the header
contradict it.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import Struct

from intent_lsp.core.commands.reading import Effect
from intent_lsp.formats.patch.names import NO_FILE, candidates, read_name, read_pair, spelling

_KEY = re.compile(
    r"([ \t]*)(diff --git|---|\+\+\+|\*\*\*|Index:|={20,}|rename (?:from|to|old|new)"
    r"|copy (?:from|to)|new file mode|deleted file mode|old mode|new mode"
    r"|(?:dis)?similarity index|index)(?: (.*))?",
    re.DOTALL,
)
_HUNK = re.compile(
    r"([ \t]*)@@ -[0-9]{1,18}(?:,([0-9]{1,18}))? \+[0-9]{1,18}(?:,([0-9]{1,18}))? @@"
)
_CONTEXT_LINES = re.compile(r"[0-9,]+ (?:\*{4}|-{4})")
_CONTEXT_HUNK = "***************"
_BODY = ("", " ", "+", "-", "\\")
_GIT: Final = "diff --git"
_RULER = "="


class PatchedFile(Struct, frozen=True, kw_only=True):
    """One file that a patch names. `previous` is the old path of a moved file, or None.

    `doubtful` says that the program that applies the patch may or may not change this file.
    """

    path: str
    effect: Effect
    previous: str | None = None
    doubtful: bool = False


class Header(Struct, frozen=True, kw_only=True):
    """The files that a header, or another part of a patch, names.

    `end` is the index of the line after the part. `problem` says why a file may be missing, as a
    clause without the line number, or is None.
    """

    files: tuple[PatchedFile, ...]
    end: int
    problem: str | None = None


def read_header(lines: Sequence[str], at: int) -> Header | None:
    """Parse the header of a patch that begins at line index `at`, or return None if none does.

    Like `patch`, accept the header lines in any order and with a common indentation.
    """
    block, end = _block(lines, at)
    following = lines[end].lstrip() if end < len(lines) else ""
    if not _is_context(block, following):
        block.pop("***", None)
    if not _is_header(block, following):
        return None
    return _header(block, end)


def read_sure_header(lines: Sequence[str], at: int) -> Header | None:
    """Parse the header at line index `at`. Return None if there is none, or it may be edited text.

    An indented line may be edited text. So may a line that begins with `-` or `+`, unless a hunk
    with line numbers follows the header.
    """
    if lines[at].startswith((" ", "\t")):
        return None
    header = read_header(lines, at)
    if header is None or not lines[at].startswith(("-", "+")):
        return header
    numbered = header.end < len(lines) and _HUNK.match(lines[header.end])
    return header if numbered else None


def stray_names(line: str) -> tuple[str, ...]:
    """Return the file names that a `---`, `+++`, `***` or `Index:` line on its own could mean.

    The result is empty for any other line. Such lines can stand alone because `patch` allows other
    lines between them. One line may mean two names: without and with its first directory.
    `/dev/null` means none.
    """
    found = _KEY.fullmatch(line)
    if found is None or found[2] not in ("---", "+++", "***", "Index:") or not found[3]:
        return ()
    name = read_name(found[3])
    known = name in ("", NO_FILE) or _CONTEXT_LINES.fullmatch(found[3])
    return () if known else candidates(name)


def begins_hunk(line: str) -> bool:
    """Return whether a line begins a hunk of a unified or a context diff."""
    return _HUNK.match(line) is not None or line.lstrip(" \t").startswith(_CONTEXT_HUNK)


def hunk_end(lines: Sequence[str], at: int) -> int:
    """Return the index of the line after the unified hunk that begins at line index `at`.

    Return `at` if no unified hunk begins there, and the number of lines if the hunk does not end.
    The hunk ends after the lines that its `@@` line counts; a line with a backslash after them is
    not included. It ends earlier at a line that no hunk can have, or at the lines `---`, `+++` and
    `@@` of a header. But if `---` and `+++` are the last two lines counted, they belong to the
    hunk.
    """
    found = _HUNK.match(lines[at])
    if found is None:
        return at
    old, new = int(found[2] or 1), int(found[3] or 1)
    for index in range(at + 1, len(lines)):
        line = lines[index].removeprefix(found[1])
        # If the count ends exactly with `---` and `+++`, they belong to the hunk, and `@@` begins
        # the next.
        swallowed = (old, new) != (1, 1) and _stacked(lines, index)
        if (old <= 0 and new <= 0) or line[:1] not in _BODY or swallowed:
            return index
        old -= line[:1] in ("", " ", "-")
        new -= line[:1] in ("", " ", "+")
    return len(lines)


def _stacked(lines: Sequence[str], at: int) -> bool:
    """Return whether a `---`, a `+++` and a `@@` line, equally indented, begin at index `at`."""
    first = lines[at].lstrip(" \t")
    if not first.startswith("--- "):
        return False
    indent = lines[at][: len(lines[at]) - len(first)]
    following = [line.removeprefix(indent)[:4] for line in lines[at + 1 : at + 3]]
    return len(following) > 1 and following[0] == "+++ " and following[1].startswith("@@")


def _block(lines: Sequence[str], at: int) -> tuple[dict[str, str], int]:
    """Return the header lines from index `at`, by keyword, and the index of the line after them.

    They end at a line that is no header line, has another indentation, or names another file.
    """
    block: dict[str, str] = {}
    indent: str | None = None
    end = at
    while end < len(lines):
        found = _KEY.fullmatch(lines[end])
        if found is None or indent not in (None, found[1]):
            break
        key = _RULER if found[2].startswith(_RULER) else found[2]
        # Another file begins.
        if key in block or (block and key in (_GIT, "Index:")):
            break
        indent = found[1]
        block[key] = found[3] or ""
        end += 1
    return block, end


def _is_header(block: Mapping[str, str], following: str) -> bool:
    named = [key for key in ("---", "+++", "Index:") if block.get(key)]
    return (
        _GIT in block
        or {"rename from", "rename to"} <= block.keys()
        or {"copy from", "copy to"} <= block.keys()
        or {"---", "+++"} <= set(named)
        or {"Index:", _RULER} <= block.keys()
        or bool(named and following.startswith("@@"))
        or "***" in block
    )


def _is_context(block: Mapping[str, str], following: str) -> bool:
    old, new = block.get("***"), block.get("---")
    if not old or not new or not following.startswith(_CONTEXT_HUNK):
        return False
    return _CONTEXT_LINES.fullmatch(old) is None


def _header(block: Mapping[str, str], end: int) -> Header:
    pair = read_pair(block[_GIT]) if _GIT in block else None
    sides = tuple(read_name(block.get(key, "")) for key in ("***", "---", "+++", "Index:"))
    named = tuple(name for name in (*sides[:3], *(pair or ())) if name)
    files = _renamed(block) or _edited(block, sides, pair)
    known = {file.path for file in files} | {file.previous for file in files}
    known.add(read_name(block.get("copy from", "")))
    contradicting = [
        PatchedFile(path=candidates(name)[0], effect=Effect.WRITE, doubtful=True)
        for name in dict.fromkeys((*named, sides[3]))
        if name not in ("", NO_FILE) and known.isdisjoint(candidates(name))
    ]
    told = bool(files or contradicting)
    problem = (
        None
        if told
        else "the header names no file, or names with spaces that are not in double quotes"
    )
    return Header(files=(*files, *contradicting), end=end, problem=problem)


def _renamed(block: Mapping[str, str]) -> tuple[PatchedFile, ...]:
    """Return the file that git's `rename` or `copy` lines make, a renamed one with its old name.

    The result is empty if there are no such lines. `block` are the header lines by keyword. Names
    in these lines have no prefix.
    """
    for old, new in (("rename from", "rename to"), ("rename old", "rename new")):
        if block.get(old) and block.get(new):
            path, previous = read_name(block[new]), read_name(block[old])
            return (PatchedFile(path=path, effect=Effect.MOVE, previous=previous),)
    if block.get("copy to"):
        return (PatchedFile(path=read_name(block["copy to"]), effect=Effect.CREATE),)
    return ()


def _ends(sides: tuple[str, ...], pair: tuple[str, str] | None) -> tuple[str, ...]:
    """Return the names of the old and the new file; fewer if a name is missing.

    `sides` are the names after `***`, `---`, `+++` and `Index:`, "" for none. `pair` are the two
    names after `diff --git`, or None. They count only if no name follows `***`, `---` or `+++`.
    """
    context, old, new, index = sides
    if context:
        return context, old
    ends = tuple(name for name in (old, new) if name)
    return ends or pair or ((index,) if index else ())


def _edited(
    block: Mapping[str, str], sides: tuple[str, ...], pair: tuple[str, str] | None
) -> tuple[PatchedFile, ...]:
    ends = _ends(sides, pair)
    names = [name for name in ends if name != NO_FILE]
    if not names:
        return ()
    if "deleted file mode" in block or ends[-1] == NO_FILE:
        effect = Effect.DELETE
    elif "new file mode" in block or ends[0] == NO_FILE:
        effect = Effect.CREATE
    else:
        effect = Effect.WRITE
    # `b/x` alone may be a file in a directory `b`. git's two names show whether `b` is a prefix.
    meant = spelling(pair if pair and len(names) == 1 and names[0] in pair else names)
    others = (PatchedFile(path=name, effect=effect, doubtful=True) for name in meant.others)
    return (PatchedFile(path=meant.path, effect=effect), *others)
