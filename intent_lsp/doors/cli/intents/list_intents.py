"""The command `intents list`: the intents in the order of the intents file."""

import argparse
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from intent_lsp.core.gate.words import listed
from intent_lsp.core.intents import Intent, Status
from intent_lsp.doors.cli.command import Call, command, repeated
from intent_lsp.doors.cli.open import ASKER, asking, governing
from intent_lsp.doors.cli.terminal.table import Cell, Column, TextTable
from intent_lsp.formats.intents.entry import status_meant
from intent_lsp.formats.intents.intent_json import intent_json
from intent_lsp.governance.governance import Governance
from intent_lsp.governance.root.rules import Rules

STATUS_STYLES: Final = {Status.IN_PROGRESS: "green", Status.BLOCKED: "yellow"}
"""The style of a status on a terminal. Closed ones are dim, the others plain."""

_NONE_YET: Final = "there is no intent yet; `intent-lsp intents add` adds one"


def status(text: str) -> Status:
    """Return the intent status with the name `text`, which may be an older name.

    This is a type function for argparse: raise argparse.ArgumentTypeError if there is no such
    status.
    """
    found = status_meant(text)
    if found is None:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a status; use one of {', '.join(Status)}"
        )
    return found


@command(
    repeated(
        "--status S",
        "with this status alone, in upper or lower case; may be given again",
        type=status,
    ),
    *ASKER,
    examples=(
        "intent-lsp intents list",
        "intent-lsp intents list --status IN_PROGRESS --status BLOCKED",
        "intent-lsp intents list --json | jq -r .intents[].id",
    ),
    json="write {enabled, activeIntentId, intents} as JSON, each with its records",
)
def intents_list(call: Call) -> None:
    """Print the intents of the intents file, or only those with a status given by --status.

    List the intents of the intents file in its order: id, status, number of records in the
    ledger, and globs. The intent that a session has selected is marked `active`: the session
    given with --session or in INTENT_LSP_SESSION, else that of your only open editor.
    INTENT_IGNORED marks an intent that .intentignore takes out of use.
    """
    options = call.options
    with Governance(call.root()) as governance:
        rules = governing(governance)
        asker = asking(governance, options, call.page)
        row = None if asker is None else asker.row
        active = None if row is None else rules.active(row.active_intent)
        counts = _counts(governance, rules)
    wanted = options.status or Status
    intents = [intent for intent in rules.file.intents if intent.status in wanted]
    if options.json:
        call.page.json(_told(intents, active, rules, counts))
        return
    rows = [_row(intent, active, rules, counts) for intent in intents]
    call.page.table(TextTable(_COLUMNS, rows))
    if not rows:
        none = "no intent has that status" if len(rules.file.intents) else _NONE_YET
        call.page.remark(f"intent-lsp: {none}")


def status_cell(intent: Intent) -> Cell:
    """Return an intent's status as a table cell, in the style for this status."""
    style = "dim" if intent.status.closed else STATUS_STYLES.get(intent.status, "")
    return Cell(intent.status.value, style)


def _counts(governance: Governance, rules: Rules) -> Mapping[str, int]:
    """Return how many records each intent has, by its id in the intents file.

    Records under its earlier ids count too.
    """
    found: Counter[str] = Counter()
    for name, count in governance.stores.past.counts().items():
        intent = rules.active(name)
        if intent is not None:
            found[intent.id] += count
    return found


def _told(
    intents: Sequence[Intent], active: Intent | None, rules: Rules, counts: Mapping[str, int]
) -> Mapping[str, object]:
    return {
        "enabled": rules.governed,
        "activeIntentId": None if active is None else active.id,
        "intents": [
            intent_json(intent, rules.flags_of(intent)) | {"records": counts[intent.id]}
            for intent in intents
        ],
    }


def _row(
    intent: Intent, active: Intent | None, rules: Rules, counts: Mapping[str, int]
) -> Sequence[Cell]:
    marks = [*(["active"] if intent == active else []), *rules.flags_of(intent)]
    return (
        Cell(intent.id, "cyan"),
        status_cell(intent),
        Cell(str(counts[intent.id])),
        Cell(" ".join(marks), "bold"),
        Cell(intent.name),
        Cell(listed(intent.owned_scope)),
    )


_COLUMNS: Final = (
    Column("Id"),
    Column("Status"),
    Column("Records", spare=True),
    Column("Marks"),
    Column("Name", fold=True),
    Column("Owns", fold=True),
)
