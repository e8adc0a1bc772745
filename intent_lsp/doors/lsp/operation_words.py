"""What a person is told of a file operation (requirements section 7).

Invariant: one sentence for all files of an operation, whatever their names hold.
"""

from collections.abc import Callable, Sequence
from typing import Final

from intent_lsp.core.codes import ShownCode
from intent_lsp.core.file_operations import FileOperation
from intent_lsp.core.findings import Severity
from intent_lsp.core.person_words import for_people
from intent_lsp.core.redaction import neutral
from intent_lsp.doors.lsp.problem import SEVERITIES
from intent_lsp.governance.judging import Judgement

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
_SERVER_ONLY: Final = "intent-lsp alone writes there; this will be recorded as out of bounds."


def warning(
    operation: FileOperation, refused: Sequence[Judgement], loudness: Loudness
) -> str | None:
    """Say what is wrong with an operation, and who owns its files; None: it is not to be shown."""
    shown = [each for each in refused if _severity(each, loudness) is not None]
    if not shown:
        return None
    why = _SERVER_ONLY if shown[0].denied is None else for_people(shown[0].denied, shown[0].intent)
    owners = dict.fromkeys(owner for each in shown for owner in each.owners)
    owned = f" Owned by {_listed(tuple(owners))}." if owners else ""
    named = _listed([each.path for each in shown])
    return f"intent-lsp: {_DOING[operation]} {named}: {neutral(why, _WORDS_AT_MOST)}{owned}"


def done(operation: FileOperation, paths: Sequence[str]) -> str:
    """Say what has happened to some files."""
    verb = "is" if len(paths) == 1 else "are"
    return f"{_listed(paths)} {verb} {_DONE[operation]}"


def _severity(judgement: Judgement, loudness: Loudness) -> Severity | None:
    denied = judgement.denied
    code = ShownCode.CONTROL_PLANE_EDIT.value if denied is None else denied.code.value
    return loudness(code, SEVERITIES.get(code, Severity.ERROR), judgement.path)


def _listed(names: Sequence[str]) -> str:
    """List names; bytes that are not UTF-8 are shown as one question mark each."""
    each = [neutral(name).encode("utf-8", "replace").decode() for name in names[:_SHOWN_AT_MOST]]
    more = len(names) - _SHOWN_AT_MOST
    return f"{', '.join(each)} and {more} more" if more > 0 else ", ".join(each)
