"""Git commands that remove `.orchestration/.local/`, or restore files (decision 0014).

Invariant: pure. A command with a word that is not known counts as removing nothing, since its
effects are detected afterwards.
"""

import posixpath
from collections.abc import Iterator, Sequence
from typing import Final

from intent_lsp.core.commands.arguments import Word
from intent_lsp.core.commands.reading import START, Effect, KnownPath, TouchedPath, entered
from intent_lsp.core.paths import CONTROL_ROOM, LOCAL_ROOM

LOCAL_ROOM_REASON: Final = (
    f"This would delete {LOCAL_ROOM}/, the state of this work tree and its open edits. Use "
    f"`git clean -fdx -e {CONTROL_ROOM}`, `git clean -fdX -e '!{CONTROL_ROOM}/.local'`, "
    "or `git stash -u` instead of `git stash -a`."
)
"""The reason for refusing a git command that would remove `.orchestration/.local/`."""

_VALUED: Final = frozenset(("-C", "-c", "--git-dir", "--work-tree", "--namespace"))
"""Options of git itself whose value is the next word, or follows a `=`."""
_ELSEWHERE: Final = frozenset(("-C", "--git-dir", "--work-tree"))
"""Options with which git works in another directory than the caller's."""

_MAGIC: Final = frozenset("*?[:")
"""Characters that make a pathspec more than a plain path."""


def removed_by(words: Sequence[Word], place: KnownPath) -> tuple[TouchedPath, ...]:
    """Return the path `.orchestration/.local/` if this git call, run in `place`, would remove it.

    `words` are those after `git`. Else, or if a word or the directory is not known, return an empty
    tuple. `.orchestration/.local/` may not exist or may belong to another work tree: the caller
    must check.
    """
    if any(word.unknown for word in words):
        return ()
    name, rest, place = _subcommand(words, place)
    removes = (name == "clean" and _cleans(rest)) or (name == "stash" and _stashes(rest))
    path = entered(place, LOCAL_ROOM) if removes else None
    return () if path is None else (TouchedPath(path, Effect.DELETE),)


def puts_back(words: Sequence[Word]) -> bool:
    """Whether a git call sets files back to their content in HEAD or the index.

    `words` are those after `git`; unknown ones are ignored. True for `checkout … --` if no operand
    or only `HEAD` is before the `--`, and for `restore` without a `--source` other than `HEAD`.
    """
    name, rest, _ = _subcommand(words, START)
    if name == "checkout" and "--" in rest:
        named = [word for word in rest[: rest.index("--")] if not word.startswith("-")]
        return named in ([], ["HEAD"])
    return name == "restore" and all(source == "HEAD" for source in _sources(rest))


def _sources(words: Sequence[str]) -> Iterator[str]:
    """Yield the trees from which `git restore` restores (its options `-s` and `--source`).

    `words` are those after `restore`.
    """
    for at, word in enumerate(words):
        if word == "--":
            return
        if word in ("-s", "--source"):
            yield words[at + 1] if at + 1 < len(words) else ""
        elif word.startswith("--so"):
            yield word.partition("=")[2]
        elif word.startswith("-") and not word.startswith("--") and "s" in word:
            yield word.partition("s")[2]


def _subcommand(words: Sequence[Word], place: KnownPath) -> tuple[str, Sequence[str], KnownPath]:
    """Return git's subcommand, the known words after it, and the directory in which git works.

    `words` are those after `git`, run in `place`. The subcommand is "" if there is none. The
    directory is None if it is not known, as with `--git-dir DIR`; `-C DIR` enters DIR.
    """
    known = [word.text for word in words if not word.unknown]
    at = 0
    while at < len(known) and known[at].startswith("-"):
        option, joined, _ = known[at].partition("=")
        value = known[at + 1] if at + 1 < len(known) else ""
        if option in _ELSEWHERE:
            place = entered(place, value) if option == "-C" and value else None
        at += 2 if option in _VALUED and not joined else 1
    return (known[at], known[at + 1 :], place) if at < len(known) else ("", (), place)


def _cleans(words: Sequence[str]) -> bool:
    """Whether `git clean` with these words would remove `.orchestration/.local/`."""
    letters, excluded, places = _read_clean(words)
    if not {"d"} <= letters or letters.isdisjoint("xX") or "n" in letters:
        return False
    # With -X, git deletes only ignored files, and `-e` adds to what is ignored: it spares files
    # only if its pattern is negated.
    spares = (each for each in excluded if "x" in letters or each.startswith("!"))
    if any(CONTROL_ROOM in each or ".local" in each for each in spares):
        return False
    return _reach(places)


def _read_clean(words: Sequence[str]) -> tuple[set[str], list[str], list[str]]:
    """Return the option letters, the excluded patterns, and the operands of `git clean`.

    `words` are those after `clean`. `--dry-run` counts as the letter `n`; other long options have
    no letter.
    """
    letters, excluded, places = set[str](), list[str](), list[str]()
    rest = iter(words)
    for word in rest:
        if word == "--":
            places += rest
        elif word.startswith("--exclude="):
            excluded.append(word.partition("=")[2])
        elif word in ("-e", "--exclude"):
            excluded.append(next(rest, ""))
        elif word == "--dry-run":
            letters.add("n")
        elif word.startswith("-") and not word.startswith("--"):
            flags, valued, pattern = word[1:].partition("e")
            letters.update(flags)
            excluded += [pattern or next(rest, "")] if valued else []
        elif not word.startswith("-"):
            places.append(word)
    return letters, excluded, places


def _stashes(words: Sequence[str]) -> bool:
    """Whether `git stash` with these words would put `.orchestration/.local/` away too."""
    if words and words[0] in ("push", "save"):
        words = words[1:]
    elif words and not words[0].startswith("-"):
        return False
    options = [word for word in words if word.startswith("-")]
    every = any(
        (word.startswith("--a") and "--all".startswith(word))
        or (not word.startswith("--") and "a" in word)
        for word in options
    )
    places = words[words.index("--") + 1 :] if "--" in words else ()
    return every and _reach(places)


def _reach(places: Sequence[str]) -> bool:
    """Whether one of the pathspecs `places` may match `.orchestration/`.

    True if there are no pathspecs, since git then takes all paths.
    """
    if not places:
        return True
    return any(
        not _MAGIC.isdisjoint(place)
        or posixpath.normpath(place).strip("/") in ("", ".", "..")
        or posixpath.normpath(place).startswith(CONTROL_ROOM)
        for place in places
    )
