"""Git's ignore rules: finds files that changed rules hide, and lists directories not ignored.

Invariant: nothing is written, no link is followed, and nested repositories are left out.
Invariant: without an answer from git no file is reported as hidden.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Final

from intent_lsp.core.paths import WorkspacePath
from intent_lsp.store.fs.files import read_bytes
from intent_lsp.store.fs.tree_walk import entries_in, files_below
from intent_lsp.store.git.objects import outside_ignored
from intent_lsp.store.git.program import run_git
from intent_lsp.store.git.repository import Git

IGNORE_FILE: Final = ".gitignore"
HIDDEN_AT_MOST: Final = 1_000
"""The most files that one call reports: one new line may hide a directory of 100,000 files."""

_PATTERNS_AT_MOST: Final = 2_000
_IGNORED: Final = ("ls-files", "-z", "--others", "--ignored")
_FIELDS: Final = 4
"""The fields that `git check-ignore -v -z` prints for a path: source, line, pattern, path."""

_IGNORED_ROOMS: Final = ("--others", "--ignored", "--exclude-standard", "--directory")


def hidden_by(
    git: Git, root: Path, before: Mapping[str, bytes]
) -> Mapping[WorkspacePath, str] | None:
    """Return the untracked files in `root` that changed ignore files have hidden from git.

    Each file, relative to the root, is mapped to its ignore file. `before` maps each changed ignore
    file to its former content. Its keys are paths relative to the git top level, or absolute for
    ignore files outside the work tree. Return at most `HIDDEN_AT_MOST` files. A hidden directory
    with more than 100 times as many files is left out. Return None if git cannot list the ignored
    files.
    """
    top = git.top
    printed = run_git(top, *_IGNORED, "--exclude-standard", "--directory", "--", os.fspath(root))
    if printed is None:
        return None
    by = dict(_deciding(top, printed, before))
    files = {file: by[name] for name in by for file in _files_in(top, name)}
    if not files:
        return {}
    known = _ignored_by(top, before, tuple(by))
    if known is None:
        return None
    new = {name: source for name, source in files.items() if name not in known}
    found = ((git.below([os.fsencode(name)]), source) for name, source in sorted(new.items()))
    return dict([(path, source) for paths, source in found for path in paths][:HIDDEN_AT_MOST])


def not_ignored(git: Git, paths: Sequence[str]) -> Sequence[str]:
    """Return those of `paths` that git does not ignore, or that it tracks all the same.

    `paths` are relative to the root. A directory's path ends with `/`, and is tracked if a file
    below it is. If git does not answer, return all of them.
    """
    full = {git.full_path(WorkspacePath(path)): path for path in paths}
    every: Sequence[str] = tuple(full)
    shown = git.ask(every, partial(outside_ignored, paths=every))
    return [full[name] for name in shown]


def patterns_below(directory: str, text: str) -> Iterator[str]:
    """Yield the patterns of an ignore file, rewritten to be relative to the git top level.

    `directory` is where the ignore file is ("" for the top level), and `text` is its content. A
    pattern without a slash inside matches files at any depth below the directory. Any other pattern
    is anchored to the directory.
    """
    for line in text.split("\n"):
        pattern = _trimmed(line.removesuffix("\r"))
        if not pattern or pattern.startswith("#"):
            continue
        taken_out = pattern.startswith("!")
        body = pattern.removeprefix("!")
        if directory:
            anchored = "/" in body.rstrip("/")
            below = body.removeprefix("/") if anchored else f"**/{body}"
            body = f"/{_literal(directory)}/{below}"
        yield f"!{body}" if taken_out else body


def _deciding(top: Path, names: bytes, before: Mapping[str, bytes]) -> Iterator[tuple[str, str]]:
    """Yield (name, ignore file) for each of the ignored `names` that a changed file decides.

    Names that git ignored before the change are included. `names` are paths relative to the git top
    level, separated by null characters. Only the keys of `before` count: the ignore files that have
    changed. Yield nothing if git fails.
    """
    printed = run_git(top, "check-ignore", "-v", "-z", "--stdin", given=names) if names else b""
    fields = [os.fsdecode(each) for each in (printed or b"").split(b"\0")]
    for at in range(0, len(fields) - _FIELDS + 1, _FIELDS):
        source, name = fields[at], fields[at + _FIELDS - 1]
        if source in before:
            yield name, source


def _files_in(top: Path, name: str) -> Iterator[str]:
    """Yield all files below the directory `name` if it ends with `/`, else the file `name` itself.

    Names are relative to the git top level `top`. Git's own files, `.local/`, nested repositories
    and links are left out. If the directory has more than 100 times `HIDDEN_AT_MOST` files, yield
    none.
    """
    if not name.endswith("/"):
        yield name
        return
    found = files_below(top / name, at_most=100 * HIDDEN_AT_MOST)
    for path in found or ():
        yield name + path


def _ignored_by(
    top: Path, before: Mapping[str, bytes], names: tuple[str, ...]
) -> frozenset[str] | None:
    """Return the files at or below `names` that git ignored before the ignore files changed.

    `before` maps each changed ignore file to its former content. Of the ignore files that did not
    change, only those named `.gitignore` count. Only the first `_PATTERNS_AT_MOST` patterns of all
    files count. Return None if git fails.
    """
    held = {**_standing(top, names), **before}
    # The last matching pattern wins, so deeper ignore files come last, and those of the work tree
    # after all others.
    sources = sorted(held, key=lambda source: (_is_trees(source), source.count("/"), source))
    patterns = [
        pattern
        for source in sources
        for pattern in patterns_below(
            _directory(source), held[source].decode("utf-8", "surrogateescape")
        )
    ]
    if not patterns:
        return frozenset()
    excluded = (word for pattern in patterns[:_PATTERNS_AT_MOST] for word in ("-x", pattern))
    places = (f":(top,literal){name}" for name in names)
    printed = run_git(top, *_IGNORED, *excluded, "--", *places)
    if printed is None:
        return None
    return frozenset(map(os.fsdecode, printed.split(b"\0")))


def _standing(top: Path, names: tuple[str, ...]) -> Mapping[str, bytes]:
    """Return the present content of each `.gitignore` in the directories above `names`, by path.

    All paths are relative to the git top level `top`.
    """
    found: dict[str, bytes] = {}
    rooms = {room for name in names for room in _rooms(name)}
    for room in rooms:
        with suppress(OSError):
            data = read_bytes(top / room / IGNORE_FILE)
            found |= {} if data is None else {f"{room}{IGNORE_FILE}": data}
    return found


def _rooms(name: str) -> Iterator[str]:
    """Yield each directory above a path: "" for the top level, else a path that ends with `/`."""
    parts = name.rstrip("/").split("/")
    yield from ("".join(f"{part}/" for part in parts[:count]) for count in range(len(parts)))


def _is_trees(source: str) -> bool:
    """Return whether an ignore file is a `.gitignore` inside the work tree."""
    return source.rpartition("/")[2] == IGNORE_FILE and not source.startswith("/")


def _directory(source: str) -> str:
    """Return the directory to which an ignore file's patterns apply: "" for the top level."""
    return source.rpartition("/")[0] if _is_trees(source) else ""


def tree_rooms(root: Path, *, at_most: int) -> frozenset[Path] | None:
    """Return the full paths of `root` and all directories below it; None if more than `at_most`.

    `.git`, `.local/`, directories that git ignores as a whole, nested repositories and links are
    left out. If git fails, no directory counts as ignored.
    """
    printed = run_git(root, "ls-files", "-z", *_IGNORED_ROOMS, "--", ".") or b""
    ignored = frozenset(name.rstrip("/") for name in os.fsdecode(printed).split("\0"))
    found = [""]
    for room in found:
        _, inner = entries_in(root, room)
        found.extend(each for each in inner if each.rstrip("/") not in ignored)
        if len(found) > at_most:
            return None
    return frozenset(root / room for room in found)


def _trimmed(line: str) -> str:
    """Return a line of an ignore file without its trailing blanks. An escaped blank is kept."""
    bare = line.rstrip(" ")
    escaped = (len(bare) - len(bare.rstrip("\\"))) % 2 and bare != line
    return f"{bare} " if escaped else bare


def _literal(directory: str) -> str:
    """Return a directory's path with escapes for characters that are special in patterns."""
    return "".join(f"\\{sign}" if sign in "\\*?[" else sign for sign in directory)
