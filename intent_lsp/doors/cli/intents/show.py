"""The command `intents show`: one intent with its grants, related files and newest records."""

from collections.abc import Iterator
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from intent_lsp.core.approvals import ApprovalChannel, Grant
from intent_lsp.core.content import ContentHash
from intent_lsp.core.intents import Intent
from intent_lsp.core.paths import parse_relative
from intent_lsp.core.records import Record
from intent_lsp.core.scope.scope import Scope
from intent_lsp.doors.cli.command import Call, argument, command
from intent_lsp.doors.cli.exits import WrongUsageError
from intent_lsp.doors.cli.intents.list_intents import status_cell
from intent_lsp.doors.cli.ledger.records import RECORD_COLUMNS, record_row
from intent_lsp.doors.cli.open import accepted, governing, identifier
from intent_lsp.doors.cli.terminal.output import Output
from intent_lsp.doors.cli.terminal.table import Cell, LabelledCell, TextTable, facts_table
from intent_lsp.doors.cli.terminal.times import local_with_offset
from intent_lsp.formats.intents.intent_json import intent_json
from intent_lsp.formats.ledger.jsonl import to_wire
from intent_lsp.governance.governance import Governance
from intent_lsp.governance.root.rules import Rules
from intent_lsp.store.ledger.index.queries import Query

NEWEST: Final = 10
"""The most records that are shown."""

_IGNORED: Final = "a line of .intentignore matches the id of this intent, so it cannot be selected"


class _Related(Struct, frozen=True):
    """A related file of an intent. `name` is its path as the intent states it.

    `hash` is the hash of its content, or None if the file is missing or not in the intent's scope.
    """

    name: str
    in_scope: bool
    hash: ContentHash | None

    @property
    def standing(self) -> str:
        if not self.in_scope:
            return "not in its scope"
        return "no such file" if self.hash is None else self.hash


class _Known(Struct, frozen=True, kw_only=True):
    """The data to show for one intent.

    Grants and records are newest first, and each record comes with its flags, such as
    INTENT_CHANGED.
    """

    intent: Intent
    flags: tuple[str, ...]
    grants: tuple[Grant, ...]
    related: tuple[_Related, ...]
    records: tuple[tuple[Record, tuple[str, ...]], ...]


@command(
    argument("id ID", "the intent's id, or an earlier one", type=identifier),
    examples=("intent-lsp intents show INT-001", "intent-lsp intents show INT-001 --json"),
    json="write {intent, aliases, grants, relatedFiles, records} as JSON",
)
def intents_show(call: Call) -> None:
    """Print all about the intent with the given id, which may be an earlier id of the intent.

    Show one intent: its globs, its live grants and when they expire, its constraints and
    criteria, its related files, its history and its newest records.
    """
    with Governance(call.root()) as governance:
        rules = governing(governance)
        intent = rules.active(call.options.id)
        if intent is None:
            accepted(governance.planning.refusal(call.options.id))
            raise WrongUsageError(
                f"{call.options.id} has been added only just now; run the command again"
            )
        known = _known(governance, rules, intent)
    if call.options.json:
        call.page.json(_told(known))
    else:
        _tell(call.page, known)


def _known(governance: Governance, rules: Rules, intent: Intent) -> _Known:
    scope = governance.grants.scope_of(rules, intent)
    page = governance.tracing.page(Query(intent_ids=(intent.id,)), limit=NEWEST)
    return _Known(
        intent=replace(intent, recent_history=governance.history.of(intent)),
        flags=rules.flags_of(intent),
        grants=governance.grants.live(intent, governance.stores.clock()),
        related=tuple(_related(governance, scope, name) for name in intent.related_files),
        records=tuple((record, governance.tracing.flags(record)) for record in page.records),
    )


def _related(governance: Governance, scope: Scope, name: str) -> _Related:
    path = parse_relative(name)
    if path is None or not scope.covers(path):
        return _Related(name, in_scope=False, hash=None)
    return _Related(name, in_scope=True, hash=governance.contents.hash_of(path))


def _told(known: _Known) -> dict[str, object]:
    return {
        "intent": intent_json(known.intent, known.flags),
        "aliases": list(known.intent.aliases),
        "grants": [
            {
                "patterns": list(grant.patterns),
                "reason": grant.reason,
                "grantedBy": grant.granted_by,
                "expiresAt": grant.expires_at,
            }
            for grant in known.grants
        ],
        "relatedFiles": [
            {"path": file.name, "inScope": file.in_scope, "hash": file.hash}
            for file in known.related
        ],
        "records": [to_wire(record) for record, _ in known.records],
    }


def _tell(page: Output, known: _Known) -> None:
    facts = [*_identity(known), *_scope(known), *_past(known)]
    page.table(facts_table(facts))
    if known.records:
        page.line()
        page.line(f"Its newest records ({NEWEST} at most):")
        records = [record_row(record, flags) for record, flags in known.records]
        page.table(TextTable(RECORD_COLUMNS, records))


def _identity(known: _Known) -> Iterator[LabelledCell]:
    intent = known.intent
    yield "intent", Cell(intent.id, "cyan")
    yield "name", Cell(intent.name or "none")
    yield "status", status_cell(intent)
    for flag in known.flags:
        yield "", Cell(f"{flag}: {_IGNORED}", "yellow")
    if intent.aliases:
        yield "earlier ids", Cell(", ".join(intent.aliases))
    if intent.specification:
        yield "specification", Cell(intent.specification)
    for name, date in (("created", intent.created_at), ("updated", intent.updated_at)):
        if date is not None:
            yield name, Cell(date)


def _scope(known: _Known) -> Iterator[LabelledCell]:
    yield from _listed("owns", known.intent.owned_scope or ("no file",))
    for grant in known.grants:
        until = "" if grant.expires_at is None else local_with_offset(grant.expires_at)
        patterns = ", ".join(grant.patterns)
        yield "granted", Cell(f"{patterns} until {until}", "green")
        through = "" if grant.channel is ApprovalChannel.EDITOR else " (through the agent's client)"
        reason = grant.reason or "no reason was given"
        yield "", Cell(f"by {grant.granted_by}{through}: {reason}")


def _past(known: _Known) -> Iterator[LabelledCell]:
    yield from _listed("constraints", known.intent.constraints)
    yield from _listed("criteria", known.intent.acceptance_criteria)
    yield from _listed("related", [f"{file.name} ({file.standing})" for file in known.related])
    yield from _listed("history", known.intent.recent_history)
    if not known.records:
        yield "records", Cell("none")


def _listed(name: str, texts: tuple[str, ...] | list[str]) -> Iterator[LabelledCell]:
    """Yield each text as a labelled cell.

    The first has the label `name`, the others an empty one.
    """
    for text in texts:
        yield name, Cell(text)
        name = ""
