"""The message of a violation as Markdown: what is wrong, the scope, the owners, the ways out.

Specified in protocol section 4.2.

Invariant: whatever a value holds, it never acts as markup and never adds a line.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from msgspec import Struct

from intent_lsp.core.codes import NO_USABLE_INTENT, GateCode, HostCode, ShownCode
from intent_lsp.core.text import some_of
from intent_lsp.formats.markdown.hover_text import code_span, escaped_line

GLOBS_SHOWN: Final = 10
"""The most globs of a scope that are shown."""

_WAYS: Final[Mapping[str, str]] = {
    GateCode.OUTSIDE_WORKSPACE: (
        "edit the target in its own workspace, or replace the link by a file"
    ),
    GateCode.STALE_FILE: "compare with the version on disk, and take it or save yours over it",
    GateCode.PATH_DENIED: "leave the file alone; a person may edit it",
    ShownCode.CONTROL_PLANE_EDIT: "revert the file",
    HostCode.REFUSAL_IGNORED: "run `intent-lsp doctor`, and revert the file if it was not meant",
}
"""The way out of each code that depends on nothing else, as Markdown."""


class LinkedText(Struct, frozen=True):
    """A text, such as the id and name of an intent, and the URI to which it leads."""

    text: str
    uri: str


class ViolationText(Struct, frozen=True, kw_only=True):
    """What a violation says: its code and its sentence, and what belongs to it.

    `intent_id` is the active intent, or None. `scope` are its globs, and `scope_uri` is where they
    are listed, or None. `owners` are the open intents that own the file, by id and name.
    """

    code: str
    message: str
    intent_id: str | None
    scope: Sequence[str]
    scope_uri: str | None
    owners: Sequence[LinkedText]


def violation_markdown(told: ViolationText) -> str:
    """Return the message of a violation as Markdown: a paragraph for each thing that it says."""
    return "\n\n".join(_paragraphs(told))


def _paragraphs(told: ViolationText) -> Iterator[str]:
    yield escaped_line(told.message)
    if told.code == GateCode.SCOPE_VIOLATION and told.intent_id is not None:
        label = escaped_line(f"Scope of {told.intent_id}")
        head = label if told.scope_uri is None else f"[{label}]({told.scope_uri})"
        globs = some_of(tuple(map(code_span, told.scope)), GLOBS_SHOWN)
        yield f"{head}: {globs or 'nothing'}"
    if told.owners:
        owners = ", ".join(f"[{escaped_line(each.text)}]({each.uri})" for each in told.owners)
        yield f"Owned by {owners}"
    way = _way_out(told)
    if way is not None:
        yield f"Way out: {way}."


def _way_out(told: ViolationText) -> str | None:
    """Return the ways out of a violation as a clause in Markdown, or None if it has none."""
    if told.code in NO_USABLE_INTENT:
        select = "select an owner" if told.owners else "select an intent"
        return f"{select}, create an intent for this file, or revert the lines"
    if told.code == GateCode.SCOPE_VIOLATION:
        active = "the active intent" if told.intent_id is None else escaped_line(told.intent_id)
        select = "select an owner, " if told.owners else ""
        return f"{select}expand the scope of {active}, or revert the lines"
    return _WAYS.get(told.code)
