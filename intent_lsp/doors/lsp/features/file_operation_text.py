"""What a person is told of a file operation (requirements section 7).

Invariant: one sentence for all files of an operation, whatever their names hold.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from intent_lsp.core.codes import ShownCode
from intent_lsp.core.file_operations import Ends, FileOperation
from intent_lsp.core.findings import Severity
from intent_lsp.core.gate.messages_for_people import for_people
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.redaction import neutral
from intent_lsp.doors.lsp.diagnostics.violation import SEVERITIES
from intent_lsp.governance.judging.save_judge import Judgement

Loudness = Callable[[str, Severity, str], Severity | None]
"""Tells how loud a code is on a file by the settings, where they say otherwise; None: not shown."""

_DOING: Final = {
    FileOperation.CREATE: "creating",
    FileOperation.RENAME: "renaming",
    FileOperation.DELETE: "deleting",
}
_DONE: Final = {
    FileOperation.CREATE: "created",
    FileOperation.RENAME: "renamed",
    FileOperation.DELETE: "deleted",
}
_SHOWN_AT_MOST: Final = 3
_WORDS_AT_MOST: Final = 300
_SERVER_ONLY: Final = "Only intent-lsp writes there; this will be recorded as out of scope."


def warning(
    operation: FileOperation,
    named: Sequence[Ends],
    files: int,
    refused: Sequence[Judgement],
    loudness: Loudness,
) -> str | None:
    """Say what is wrong with an operation, and who owns its files; None: it is not to be shown.

    `named` is what was renamed, say, and `files` how many files are behind these names.
    """
    shown = [each for each in refused if _severity(each, loudness) is not None]
    if not shown:
        return None
    why = _SERVER_ONLY if shown[0].denied is None else for_people(shown[0].denied, shown[0].intent)
    owners = dict.fromkeys(owner for each in shown for owner in each.owners)
    owned = f" Owned by {_listed(tuple(owners))}." if owners else ""
    of = f", {files:,} files" if files > len(named) else ""
    others = _files_of((each.path for each in shown), named) - 1
    alike = f" The same goes for {others:,} more." if others else ""
    what = f"{_DOING[operation]} {_named(named)}{of}"
    return f"intent-lsp: {what}: {neutral(why, _WORDS_AT_MOST)}{alike}{owned}"


def done(operation: FileOperation, named: Sequence[Ends]) -> str:
    """Say what has happened to some names."""
    verb = "is" if len(named) == 1 else "are"
    return f"{_named(named)} {verb} {_DONE[operation]}"


def _files_of(paths: Iterable[WorkspacePath], named: Sequence[Ends]) -> int:
    """Count the files of an operation to which some paths belong: a renamed one has two."""
    return len({_name_before(path, named) for path in paths})


def _name_before(path: WorkspacePath, named: Sequence[Ends]) -> str:
    """Give the name that a file had before it was renamed."""
    for ends in named:
        if ends.old is not None and ends.new is not None:
            rest = path.removeprefix(ends.new)
            if rest != path and rest[:1] in ("", "/"):
                return f"{ends.old}{rest}"
    return path


def _severity(judgement: Judgement, loudness: Loudness) -> Severity | None:
    denied = judgement.denied
    code = ShownCode.CONTROL_PLANE_EDIT.value if denied is None else denied.code.value
    return loudness(code, SEVERITIES.get(code, Severity.ERROR), judgement.path)


def _named(named: Sequence[Ends]) -> str:
    return _listed([" → ".join(map(_spelled, ends.paths)) for ends in named])


def _listed(names: Sequence[str]) -> str:
    more = len(names) - _SHOWN_AT_MOST
    listed = ", ".join(names[:_SHOWN_AT_MOST])
    return f"{listed} and {more:,} more" if more > 0 else listed


def _spelled(name: str) -> str:
    """Spell a name; bytes that are not UTF-8 are shown as one question mark each."""
    return neutral(name).encode("utf-8", "replace").decode()
