r"""Renaming of an intent in `.intentignore`: the edit of the lines that name its id literally.

Invariant: no other intent becomes excluded, or is excluded no longer, by an edit.
"""

import re
from collections.abc import Iterable, Iterator

from msgspec import Struct

from intent_lsp.core.content import line_body, split_lines
from intent_lsp.core.findings import Position, Span, TextChange
from intent_lsp.core.intents import Intents
from intent_lsp.core.paths import IGNORE_FILE
from intent_lsp.formats.intents.edit import FileEdit, apply_changes
from intent_lsp.formats.intents.ignore_file import IgnoredIntents, read_ignored

# Spaces can be matched in one way only, so that no line takes long.
_LITERAL = re.compile(r"!?/?(?P<name>(?: *(?:[^ \\*?\[]|\\.))+) *")
_ESCAPED = re.compile(r"\\(.)")
_SPECIAL = re.compile(r"[\\*?\[]|^[#!]| $")


class IgnoreEdit(Struct, frozen=True, kw_only=True):
    """The edit of `.intentignore` for a renamed intent.

    `changes` is empty if no line names the old id, or if the lines that do must stay. `excluded`:
    the file excludes the old id before the edit. `warning` is a message if only one is excluded of
    the old id before and the new id after the edit, else None.
    """

    changes: FileEdit
    excluded: bool
    warning: str | None


def rename_ignored(text: str, intents: Intents, old_id: str, new_id: str) -> IgnoreEdit:
    """Return the edit of the ignore file `text` for an intent that gets another id.

    `intents` are those of the intents file before. Lines that are exactly the old id, perhaps after
    `!` or `/`, get the new one. Patterns with wildcards stay, and so do all lines if changing them
    would exclude another intent or take it back in.
    """
    before = read_ignored(text)
    spans = (span for span, _ in ids_ignored(text, (old_id,)))
    changes = tuple(TextChange(span, excluding_line(new_id)) for span in spans)
    after = read_ignored(apply_changes(text, changes)) if changes else before
    others = (intent.id for intent in intents if intent.id != old_id)
    if changes and any(_excludes(before, each) != _excludes(after, each) for each in others):
        changes, after = (), before
    return IgnoreEdit(
        changes=changes,
        excluded=_excludes(before, old_id),
        warning=_warning(old_id, new_id, before, after),
    )


def excluding_line(intent_id: str) -> str:
    """Return the line of an ignore file, without line end, that names an id and nothing else."""
    return _SPECIAL.sub(lambda found: "\\" + found.group(), intent_id)


def ids_ignored(text: str, names: Iterable[str]) -> Iterator[tuple[Span, str]]:
    """Yield where a line of the ignore file `text` is exactly one of the ids `names`, and the id.

    The span is without `!`, a leading `/` and spaces at the end.
    """
    known = frozenset(names)
    for number, line in enumerate(split_lines(text)):
        found = _LITERAL.fullmatch(line_body(line))
        if found is None or line.startswith("#"):
            continue
        name = _ESCAPED.sub(r"\1", found["name"])
        if name in known:
            start, end = Position(number, found.start("name")), Position(number, found.end("name"))
            yield Span(start, end), name


def _excludes(ignored: IgnoredIntents, intent_id: str) -> bool:
    return bool(ignored.matching(intent_id))


def _warning(old_id: str, new_id: str, before: IgnoredIntents, after: IgnoredIntents) -> str | None:
    gone, now = before.matching(old_id), after.matching(new_id)
    if gone and not now:
        return (
            f"{IGNORE_FILE} excluded {old_id} by `{gone[-1]}`, and does not exclude {new_id}:"
            " add a line for it"
        )
    if now and not gone:
        return f"{new_id} is excluded by `{now[-1]}` in {IGNORE_FILE}, so it cannot be selected"
    return None
