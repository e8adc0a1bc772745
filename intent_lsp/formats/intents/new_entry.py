"""YAML lines of a new intent's entry in the intents file.

Invariant: every value reads back as text in any YAML reader (requirements section 3).
"""

from dataclasses import dataclass

from intent_lsp.core.intents import Intent, IntentId, Status
from intent_lsp.formats.yaml.list_edit import list_lines, text_spelled
from intent_lsp.formats.yaml.scalars import spelled_like


@dataclass(frozen=True, slots=True, kw_only=True)
class NewIntent:
    """An intent to be written. White space around its constraints and criteria is removed.

    `created_at` is written as it is; `updated_at` is not written.
    """

    id: str
    name: str
    status: Status
    owned_scope: tuple[str, ...]
    constraints: tuple[str, ...]
    acceptance_criteria: tuple[str, ...]
    created_at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryForm:
    """The form of an entry. `inline`: on one line. `quote`: around its keys, or "".

    `lists` is the indent of its block lists below their keys, or None for lists on one line.
    """

    inline: bool = False
    quote: str = ""
    lists: int | None = None


def entry_lines(intent: NewIntent, form: EntryForm) -> tuple[str, ...]:
    """Return the pairs of an entry, the id first. Empty constraints and criteria are left out."""
    listed = {"constraints": intent.constraints, "acceptance_criteria": intent.acceptance_criteria}
    sentences = {key: tuple(map(str.strip, told)) for key, told in listed.items() if told}
    lists = {"owned_scope": intent.owned_scope, **sentences}
    quoted = form.quote or '"'
    return (
        _line(form, "id", text_spelled(form.quote, intent.id)),
        _line(form, "name", text_spelled(form.quote, intent.name)),
        _line(form, "status", text_spelled(form.quote, intent.status.value)),
        *(
            line
            for key, values in lists.items()
            for line in list_lines(spelled_like(form.quote, key), values, quoted, form.lists)
        ),
        _line(form, "created_at", text_spelled(quoted, intent.created_at)),
    )


def entry_inline(intent: NewIntent, form: EntryForm) -> str:
    """Return an entry on one line, as a flow mapping."""
    return "{" + ", ".join(entry_lines(intent, form)) + "}"


def intent_meant(intent: NewIntent) -> Intent:
    """Return the intent that the written entry must read as."""
    return Intent(
        id=IntentId(intent.id),
        name=intent.name,
        status=intent.status,
        owned_scope=intent.owned_scope,
        constraints=tuple(map(str.strip, intent.constraints)),
        acceptance_criteria=tuple(map(str.strip, intent.acceptance_criteria)),
        created_at=intent.created_at,
    )


def _line(form: EntryForm, key: str, value: str) -> str:
    return f"{spelled_like(form.quote, key)}: {value}"
