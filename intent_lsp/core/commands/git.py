"""Git commands that remove `.orchestration/.local/`, or restore files (decision 0014).

Invariant: pure. A command with a word that is not known counts as removing nothing, since its
effects are detected afterwards.
"""

import posixpath
from collections.abc import Sequence
from typing import Final

from intent_lsp.core.commands.arguments import Word, all_arguments, leading_arguments
from intent_lsp.core.commands.reading import START, Effect, KnownPath, TouchedPath, entered
from intent_lsp.core.commands.rows import ProgramRow, RowKind
from intent_lsp.core.paths import CONTROL_ROOM, LOCAL_ROOM

LOCAL_ROOM_REASON: Final = (
    f"Agents may not delete or replace {LOCAL_ROOM}/: it has the state of this work tree and edits"
    f" that are not recorded yet. These spare it: `git clean -fdx -e {CONTROL_ROOM}`,"
    f" `git clean -fdX -e '!{CONTROL_ROOM}/.local'`, and `git stash -u` instead of `git stash -a`."
)
"""The reason for refusing a call that would delete or replace `.orchestration/.local/` itself."""

_ELSEWHERE: Final = frozenset(("-C", "--git-dir", "--work-tree"))
"""Options with which git works in another directory than the caller's."""

_GIT: Final = ProgramRow(kind=RowKind.READS, values=_ELSEWHERE | {"-c", "--namespace"})
_CLEAN: Final = ProgramRow(kind=RowKind.READS, values=frozenset(("-e", "--exclude")))
_STASH: Final = ProgramRow(
    kind=RowKind.READS, values=frozenset(("-m", "--message")), unless=frozenset(("-a", "--all"))
)
_RESTORE: Final = ProgramRow(kind=RowKind.READS, values=frozenset(("-s", "--source")))

_MAGIC: Final = frozenset("*?[:")
"""Characters that make a pathspec more than a plain path."""


def removed_by(words: Sequence[Word], place: KnownPath) -> tuple[TouchedPath, ...]:
    """Return the path of `.orchestration/.local/` if this git call, run in `place`, may remove it.

    The calls are `git clean` and `git stash`; `words` are those after `git`. Else, or if a word or
    the directory is not known, return an empty tuple. `.orchestration/.local/` may not exist or may
    belong to another work tree: the caller must check.
    """
    if any(word.unknown for word in words):
        return ()
    name, rest, place = _subcommand(words, place)
    removes = (name == "clean" and _cleans(rest)) or (name == "stash" and _stashes(rest))
    path = entered(place, LOCAL_ROOM) if removes else None
    return () if path is None else (TouchedPath(path, Effect.DELETE),)


def puts_back(words: Sequence[Word]) -> bool:
    """Whether a git call's known words set files back to their content in HEAD or the index.

    `words` are those after `git`; unknown ones are ignored. True for `checkout … --` if no operand
    or only `HEAD` is before the `--`, and for `restore` without a `--source` other than `HEAD`.
    """
    name, rest, _ = _subcommand(words, START)
    texts = [word.text for word in rest]
    if name == "checkout" and "--" in texts:
        named = [text for text in texts[: texts.index("--")] if not text.startswith("-")]
        return named in ([], ["HEAD"])
    sources = all_arguments(rest, _RESTORE).values(_RESTORE.values)
    return name == "restore" and all(source.text == "HEAD" for source in sources)


def _subcommand(words: Sequence[Word], place: KnownPath) -> tuple[str, Sequence[Word], KnownPath]:
    """Return git's subcommand, the words after it, and the directory in which git works.

    `words` are those after `git`, run in `place`. Unknown words, such as `$X`, are dropped first.
    The subcommand is "" if there is none. The directory is None if it is not known, as with
    `--git-dir DIR`; `-C DIR` enters DIR.
    """
    arguments = leading_arguments([word for word in words if not word.unknown], _GIT)
    for option in arguments.options:
        if option.name in _ELSEWHERE:
            value = option.value.text if option.name == "-C" and option.value is not None else ""
            place = entered(place, value) if value else None
    name, *rest = arguments.operands or (Word(""),)
    return name.text, rest, place


def _cleans(words: Sequence[Word]) -> bool:
    """Whether `git clean` with these words would remove `.orchestration/.local/`."""
    arguments = all_arguments(words, _CLEAN)
    names = {option.name for option in arguments.options}
    if names.isdisjoint(("-x", "-X")) or names & {"-n", "--dry-run"}:
        return False
    if "-d" not in names and not arguments.operands:
        # Only with a pathspec does git enter untracked directories also without `-d`.
        return False
    # With -X, git deletes only ignored files, and `-e` adds to what is ignored: it spares files
    # only if its pattern is negated.
    excluded = [word.text for word in arguments.values(_CLEAN.values)]
    spares = (each for each in excluded if "-x" in names or each.startswith("!"))
    if any(CONTROL_ROOM in each or ".local" in each for each in spares):
        return False
    return _reach(arguments.operands)


def _stashes(words: Sequence[Word]) -> bool:
    """Whether `git stash` with these words would put `.orchestration/.local/` away too.

    It would with `-a` or `--all`, unless pathspecs limit it to other places.
    """
    verb = "" if not words or words[0].text.startswith("-") else words[0].text
    if verb not in ("", "push", "save"):
        return False
    arguments = all_arguments(words[1:] if verb else words, _STASH)
    # The operands of `save` are words of its message.
    places = () if verb == "save" else arguments.operands
    return arguments.has(_STASH.unless) and _reach(places)


def _reach(places: Sequence[Word]) -> bool:
    """Whether one of the pathspecs `places` may match `.orchestration/`.

    True if there are no pathspecs, since git then takes all paths.
    """
    return not places or any(
        not _MAGIC.isdisjoint(place.text)
        or posixpath.normpath(place.text).strip("/") in ("", ".", "..")
        or posixpath.normpath(place.text).startswith(CONTROL_ROOM)
        for place in places
    )
