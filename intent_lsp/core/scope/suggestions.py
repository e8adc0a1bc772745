"""Suggests patterns for a scope: for a common mistake, a misspelled name, a glob used only in part.

Specified in scope section 3 and requirements section 3.3.
Invariant: nothing here changes what a pattern matches. A replacement is suggested, never applied.
Invariant: what is suggested for a pattern that matches no file matches at least one file of the
tree. Narrower globs match every file that was touched, and nothing that the glob does not.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from difflib import get_close_matches
from posixpath import commonpath
from typing import Final

from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.scope.file_tree import FileTree, TreeDirectory
from intent_lsp.core.scope.language import escape
from intent_lsp.core.scope.pattern import Pattern, compile_pattern
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
    """Return why a pattern is probably not a path in this root, and the pattern to write instead.

    Return None if nothing shows that. The reason is a clause for a message, such as "is a URI; …".
    The pattern to write instead is None if there is no suggestion. `is_directory` says whether a
    path relative to the root is a directory.
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


def impossible(pattern: Pattern) -> str:
    """Return why no path can match a pattern without `rows`, as a clause for a message."""
    # All that braces without a name in them leave is nothing, as `{,}` does.
    part = next(iter(pattern.dead_parts), "")
    return f"no file name fits `{part}`" if part else "no file name is empty"


def bare_directories(pattern: Pattern, is_directory: IsDirectory) -> tuple[str, ...]:
    """Return the existing directories that alternatives of a pattern name, such as `src`.

    Such an alternative has no wildcard. It owns no file, because it matches only the directory.
    `is_directory` looks a path up. Only the first 64 alternatives are looked up.
    """
    asked = map(literal_path, pattern.rows[:_MOST_ASKED])
    literal = [path for path in asked if path is not None]
    return tuple(path for path in literal if is_directory(path))


def escaped_brackets(glob: str, is_directory: IsDirectory) -> str | None:
    """Return the glob with the brackets escaped in segments such as `[slug]` that name a directory.

    The directory must exist. Only the segments before the first one that has a wildcard, braces or
    an extglob, or is empty, `.` or `..`, are changed. Return None if nothing is escaped.
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
    """Return the glob with an inner `**` made a segment of its own: `**/*.ts` for `**.ts`.

    This is done for the first inner `**` of each segment. A segment with a bracket is left as it
    is. Return None if nothing changes. Without this, an inner `**` acts as a `*`.
    """
    parts = glob.split("/")
    split = [_split(part) for part in parts]
    return None if split == parts else "/".join(split)


def negated_member(pattern: Pattern) -> bool:
    """Whether an alternative in braces begins with a `!`, other than `!(`: it excludes nothing."""
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
    """Return the glob without its `.` segments, because no path has such a segment.

    Return None if the glob has no `.` segment, has only such segments, or has a `..`.
    """
    parts = glob.split("/")
    kept = [part for part in parts if part != "."]
    return "/".join(kept) if kept and len(kept) < len(parts) and ".." not in kept else None


def as_written(pattern: Pattern, glob: str) -> str:
    """Return the glob as a pattern like `pattern`: with a leading `!` if that is an exclusion."""
    return "!" + glob if pattern.exclusion else glob


_ANY_MAGIC: Final = re.compile(r"(?<!\\)[*?\[\]{}()!+@|]")
_NEAR: Final = 0.65
_NAMES_AT_MOST: Final = 500
"""In a directory with more names, none is looked for: comparing them would take too long."""


def near_glob(pattern: Pattern, tree: FileTree) -> str | None:
    """Return `pattern`, which matches no file, with its first wrong name spelled as in the tree.

    The first wrong name is the first that is no directory there; the last name may also be a file.
    Return None if no name is wrong, if the wrong name or one before it has a special character of
    globs such as `*` or `@`, or if the new pattern matches no file either. Return None also if the
    directory has no similar name, or more than _NAMES_AT_MOST names.
    """
    parts = pattern.spelling.glob.split("/")
    directory = tree.top
    for at, part in enumerate(parts):
        if not part or _ANY_MAGIC.search(part):
            return None
        name = pattern.reading.path(_ESCAPE.sub(r"\1", part))
        if name in directory.below:
            directory = directory.below[name]
            continue
        last = at == len(parts) - 1
        near = _nearest(name, directory.names if last else directory.below)
        if near is None:
            return None
        spelled = escape(_spelled(directory, near, at))
        made = as_written(pattern, "/".join((*parts[:at], spelled, *parts[at + 1 :])))
        found = compile_pattern(made, pattern.reading)
        return made if next(tree.matching(found), None) is not None else None
    return None


MOST_DIRECTORIES: Final = 3
"""The most narrower globs for one glob."""

FEWEST_TOUCHED: Final = 5
FEWEST_MATCHED: Final = 50
MOST_SHARE: Final = 4
"""The used part is small if it has at most one in this number of the matched files."""

# A directory without wildcards, `**`, and perhaps a pattern for the file's name.
_BELOW: Final = re.compile(
    r"(?P<base>(?:[^*?\[\]{}()!+@\\/]+/)*)\*\*(?P<tail>/(?!\*\*(?:/|\Z))[^/]+)?"
)


def used_part(
    glob: str, touched: Sequence[WorkspacePath], matched: Iterable[WorkspacePath]
) -> tuple[str, ...] | None:
    """Return narrower globs for the part of a glob that was used, or None if none is suggested.

    `touched` are the files that match the glob and that an intent changed. `matched` are all files
    of the tree that match it. Return None unless the glob has a form such as `src/**` or
    `src/**/*.ts`. Return None if either group has too few files to judge by. Return None also if
    the touched files are not all in a few directories below that of the glob, or if these
    directories hold more than a small part of the matched files.
    """
    found = _BELOW.fullmatch(glob)
    if found is None or len(touched) < FEWEST_TOUCHED:
        return None
    directories = _directories(found["base"].rstrip("/"), touched)
    if not directories:
        return None
    prefixes = tuple(f"{directory}/" for directory in directories)
    count = part = 0
    for path in matched:
        count += 1
        part += path.startswith(prefixes)
    if count < FEWEST_MATCHED or part * MOST_SHARE > count:
        return None
    return tuple(f"{escape(each)}/**{found['tail'] or ''}" for each in directories)


def _back_slashes(pattern: Pattern, is_directory: IsDirectory) -> tuple[str, str | None] | None:
    """Return a reason and a replacement if back-slashes are used as separators, else None.

    They are used as separators if one stands before a letter, digit, `_`, `.` or `-`, or if the
    first one stands between an existing directory and a `*`.
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


def _nearest(name: str, names: Iterable[str]) -> str | None:
    listed = list(names)
    if len(listed) > _NAMES_AT_MOST:
        return None
    return next(iter(get_close_matches(name, listed, n=1, cutoff=_NEAR)), None)


def _spelled(directory: TreeDirectory, name: str, depth: int) -> str:
    """Return the compared form of a name in a directory as the paths of the tree spell the name.

    The spelling may differ in case or Unicode form. `depth` is the number of directories above it.
    """
    if name not in directory.below:
        return directory.files[directory.names.index(name)].split("/")[depth]
    found = directory.below[name]
    while not found.files:
        found = next(iter(found.below.values()))
    return found.files[0].split("/")[depth]


def _directories(base: str, touched: Sequence[WorkspacePath]) -> tuple[str, ...]:
    """Return a few directories below `base` that together contain all touched files.

    They are at most MOST_DIRECTORIES, and each is as deep as it can be. Return () if there are no
    such directories.
    """
    parents = sorted({path.rpartition("/")[0] for path in touched})
    common = commonpath(parents)
    if common != base:
        return (common,) if _is_below(common, base) else ()
    groups: dict[str, list[str]] = {}
    start = len(base) + 1 if base else 0
    for parent in parents:
        child = parent[start:].partition("/")[0]
        if not child or not _is_below(parent, base):
            return ()
        groups.setdefault(child, []).append(parent)
    if len(groups) > MOST_DIRECTORIES:
        return ()
    return tuple(commonpath(group) for group in groups.values())


def _is_below(directory: str, base: str) -> bool:
    return not base or directory.startswith(f"{base}/")
