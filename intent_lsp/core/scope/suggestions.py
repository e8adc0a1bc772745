"""Common mistakes in patterns, and the pattern that was probably meant (scope section 3).

Invariant: nothing here changes what a pattern matches. A replacement is suggested, never applied.
"""

import re
from collections.abc import Callable

from intent_lsp.core.scope.pattern import Pattern
from intent_lsp.core.scope.rows import PatternRow, literal_path

IsDirectory = Callable[[str], bool]

# A pattern can have a thousand alternatives, and each would cost a call to the disk.
_MOST_ASKED = 64
_SYSTEM_ROOTS = re.compile(
    r"Applications|Library|System|Users|Volumes|bin|boot|dev|etc|home|media|mnt|opt|private|proc"
    r"|root|run|sbin|srv|sys|tmp|usr|var"
)
_DRIVE = re.compile(r"[A-Za-z]:[\\/]")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://|file:", re.IGNORECASE)
_VARIABLE = re.compile(r"(?<!\\)\$\{[^{}/]*\}|%[A-Za-z_]+%")
_LETTER_ESCAPED = re.compile(r"\\[\w.-]")
_NEGATED_MEMBER = re.compile(r"(?<!\\)[{,]!(?!\()")
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_MAGIC = re.compile(r"[*?{}]|[+@!]\(")
_INNER_GLOBSTAR = re.compile(r"(?<!\\)\*\*+")


def foreign(pattern: Pattern, is_directory: IsDirectory) -> tuple[str, str | None] | None:
    """Return why a pattern is probably no path of this root, and the pattern to write instead.

    The reason is a clause for a message, such as "is a URI; …". The second is None if there is no
    suggestion. Return None if there is no such reason. `is_directory` says whether a path relative
    to the root is a directory.
    """
    text = pattern.text.strip().lstrip("!")
    if _SCHEME.match(text):
        return "is a URI; write a path relative to the root", None
    if _DRIVE.match(text):
        return "begins with a drive letter; write a path relative to the root", None
    if text.startswith("~/"):
        return "begins in the home directory; write a path relative to the root", None
    if _VARIABLE.search(text):
        return "contains a variable, and variables are not expanded", None
    first = text.lstrip("/").split("/", 1)[0]
    if text.startswith("/") and _SYSTEM_ROOTS.fullmatch(first) and not is_directory(first):
        return "is an absolute path; write a path relative to the root", None
    return _back_slashes(pattern, is_directory)


def bare_directories(pattern: Pattern, is_directory: IsDirectory) -> tuple[str, ...]:
    """Return the existing directories that the pattern names without a wildcard, such as `src`.

    A pattern that matches only a directory owns no file. `is_directory` looks a path up. Only the
    first 64 alternatives of the pattern are looked up.
    """
    asked = map(literal_path, pattern.rows[:_MOST_ASKED])
    literal = [path for path in asked if path is not None]
    return tuple(path for path in literal if is_directory(path))


def escaped_brackets(glob: str, is_directory: IsDirectory) -> str | None:
    """Return the glob with the brackets escaped in each segment that names an existing directory.

    Such a name is `[slug]`, for example. From the first segment on that has a wildcard, braces or
    an extglob, or is empty, `.` or `..`, all segments are left as they are. Return None if nothing
    is escaped.
    """
    parts = glob.split("/")
    walked: list[str] = []
    changed = False
    for at, part in enumerate(parts):
        if part in ("", ".", "..") or _MAGIC.search(part):
            break
        walked.append(_ESCAPE.sub(r"\1", part))
        if re.search(r"(?<!\\)\[", part) and is_directory("/".join(walked)):
            parts[at] = re.sub(r"(?<!\\)([\[\]])", r"\\\1", part)
            changed = True
    return "/".join(parts) if changed else None


def split_globstar(glob: str) -> str | None:
    """Return the glob with a `**` inside a segment split off as its own: `**/*.ts` for `**.ts`.

    Of each segment, the first such `**` is split off; a segment with a bracket is left as it is.
    Return None if nothing is split. An inner `**` acts as a `*`.
    """
    parts = glob.split("/")
    split = [_split(part) for part in parts]
    return None if split == parts else "/".join(split)


def negated_member(pattern: Pattern) -> bool:
    """Whether an alternative in braces begins with `!` (not `!(`), which excludes nothing there."""
    return len(pattern.rows) > 1 and _NEGATED_MEMBER.search(pattern.spelling.glob) is not None


def everything_below(row: PatternRow) -> int | None:
    """Return how many directories a file must be in for an alternative to match every such file.

    It is 0 for `**`, which matches every file, and 1 for `*/**`. Return None if the alternative
    does not match all files from some depth on.
    """
    if None not in row or not all(segment is None or segment.anything for segment in row):
        return None
    return sum(segment is not None for segment in row) - (row[-1] is not None)


def without_dots(glob: str) -> str | None:
    """Return the glob without its `.` segments, which no path has.

    Return None if it has none, has no other segment, or has a `..`.
    """
    parts = glob.split("/")
    kept = [part for part in parts if part != "."]
    return "/".join(kept) if kept and len(kept) < len(parts) and ".." not in kept else None


def as_written(pattern: Pattern, glob: str) -> str:
    """Return the glob as a pattern like `pattern`: with a leading `!` if that is an exclusion."""
    return "!" + glob if pattern.exclusion else glob


def _back_slashes(pattern: Pattern, is_directory: IsDirectory) -> tuple[str, str | None] | None:
    """Return a reason and a replacement if back-slashes are used as separators, else None.

    They are if one stands before a letter, digit, `_`, `.` or `-`, or if the first one stands
    between an existing directory and a `*`.
    """
    glob = pattern.spelling.glob
    head, slash, rest = glob.partition("\\")
    letters = _LETTER_ESCAPED.search(glob) is not None
    if not letters and not (slash and rest.startswith("*") and head and is_directory(head)):
        return None
    return "uses back-slashes between directories", as_written(pattern, glob.replace("\\", "/"))


def _split(part: str) -> str:
    """Return a segment with the first inner `**` split off, such as `**/*.ts` for `**.ts`.

    A segment that is `**`, or has a bracket, is returned unchanged.
    """
    found = _INNER_GLOBSTAR.search(part) if part != "**" and "[" not in part else None
    if found is None:
        return part
    before, after = part[: found.start()], part[found.end() :]
    return "/".join(filter(None, (before and f"{before}*", "**", after and f"*{after}")))
