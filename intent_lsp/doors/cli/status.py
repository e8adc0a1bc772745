"""The command `status`: the root, its sessions, its violations and its ledger (protocol section 5).

Invariant: no session is opened.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import Struct

from intent_lsp.core.records import Record
from intent_lsp.core.text import counted
from intent_lsp.doors.cli.command import Call, command
from intent_lsp.doors.cli.ledger.records import SHORT_ID
from intent_lsp.doors.cli.open import ASKER, asking
from intent_lsp.doors.cli.terminal.table import Cell, LabelledCell, facts_table
from intent_lsp.doors.cli.terminal.times import local
from intent_lsp.governance.clean_tree import Lack, lacks
from intent_lsp.governance.governance import Governance
from intent_lsp.governance.ledger.open_violations import OpenViolation, open_violations
from intent_lsp.governance.root.rules import FileState, Rules
from intent_lsp.governance.root.sessions import session_name
from intent_lsp.store.ledger.index.queries import Query
from intent_lsp.store.state.session_row import SessionRow

SHOWN: Final = 20
"""The most violations that are shown; further ones are only counted."""


class _Known(Struct, frozen=True, kw_only=True):
    """The data that the command shows for a root.

    `own` is the id of the session for which the command acts, or None. `count` is the number of
    records in the ledger. `newest` is its newest record, or None. `offers` are missing git
    settings.
    """

    root: str
    rules: Rules
    sessions: Sequence[SessionRow]
    own: str | None
    violations: Sequence[OpenViolation]
    count: int
    newest: Record | None
    offers: Sequence[Lack]


@command(
    *ASKER,
    examples=("intent-lsp status", "intent-lsp status -C ~/work/shop", "intent-lsp status --json"),
    json="write {root, governed, reason?, enforcement, sessions, violations, ledger, offers}",
)
def status(call: Call) -> None:
    """Print the status of the root: its sessions, its violations and its ledger.

    Show the governed root and its enforcement, the live sessions of editors and agents with
    their selected intents, the files that were edited against the rules and are not
    corrected yet, and the ledger. Standard error says how git should still be configured
    for the files in .orchestration/, with the commands for it. Nothing is changed outside
    of .orchestration/.local/.
    """
    with Governance(call.root()) as governance:
        known = _known(governance, call)
    if call.options.json:
        call.page.json(_json(known))
        return
    call.page.table(facts_table(_facts(known)))
    for lack in known.offers:
        problem = lack.what
        call.page.remark(f"intent-lsp: {problem}; `{lack.command}` fixes that")


def _known(governance: Governance, call: Call) -> _Known:
    asker = asking(governance, call.options, call.page)
    newest = governance.tracing.page(Query(), limit=1).records
    return _Known(
        root=str(governance.root),
        rules=governance.rules.current(),
        sessions=governance.sessions.live(),
        own=None if asker is None else asker.session_id,
        violations=tuple(open_violations(governance.stores)),
        count=governance.stores.past.count(),
        newest=newest[0] if newest else None,
        offers=tuple(lacks(governance.root, governance.stores.git)),
    )


def _json(known: _Known) -> dict[str, object]:
    rules = known.rules
    reason = {} if rules.governed else {"reason": rules.reason}
    return {
        "root": known.root,
        "governed": rules.governed,
        **reason,
        "enforcement": rules.policy.enforcement.value,
        "sessions": [
            {
                "sessionId": row.session_id,
                "agentId": row.agent_id or None,
                "kind": row.kind,
                "activeIntentId": rules.present_id(row.active_intent),
                "lastUsedAt": row.last_used_at,
                "isAsking": row.session_id == known.own,
            }
            for row in known.sessions
        ],
        "violations": [
            {
                "path": each.path,
                "recordId": each.record.id,
                "intentId": each.record.intent_id,
                "timestamp": each.record.timestamp,
            }
            for each in known.violations
        ],
        "ledger": {
            "records": known.count,
            "newest": None if known.newest is None else known.newest.timestamp,
        },
        "offers": [{"what": each.what, "command": each.command} for each in known.offers],
    }


def _facts(known: _Known) -> Iterator[LabelledCell]:
    rules = known.rules
    yield "root", Cell(known.root)
    if rules.governed:
        yield "enforcement", Cell(rules.policy.enforcement.value)
    else:
        style = "" if rules.state is FileState.MISSING else "bold red"
        yield "governance", Cell(f"off: {rules.reason}", style)
    open_ = [intent for intent in rules.file.intents if not intent.status.closed]
    open_intents, intents = len(open_), len(rules.file.intents)
    yield "intents", Cell(f"{open_intents} open of {intents}")
    for number, row in enumerate(known.sessions):
        yield "" if number else "sessions", _session(row, known)
    if not known.sessions:
        yield "sessions", Cell("no live session", "dim")
    for number, each in enumerate(known.violations[:SHOWN]):
        yield "" if number else "violations", _violation(each)
    if len(known.violations) > SHOWN:
        more = counted(len(known.violations) - SHOWN, "more file")
        yield "", Cell(f"and {more} with violations")
    if not known.violations:
        yield "violations", Cell("none", "green")
    yield "ledger", Cell(_ledger(known))


def _session(row: SessionRow, known: _Known) -> Cell:
    subagent = f", subagent {row.agent_id}" if row.agent_id else ""
    is_own = row.session_id == known.own and not row.agent_id
    own = ", the session that this command uses" if is_own else ""
    session, when = session_name(row.session_id, row, known.rules), local(row.last_used_at)
    return Cell(f"{row.kind} {session}{subagent} (last used {when}){own}")


def _violation(each: OpenViolation) -> Cell:
    record = each.record
    intent = record.intent_id or "no intent"
    when, record_id = local(record.timestamp), record.id[:SHORT_ID]
    told = f"{each.path}: edited against the rules under {intent}, {when}, record {record_id}"
    return Cell(told, "bold red")


def _ledger(known: _Known) -> str:
    if known.newest is None:
        return "no record yet: the first save makes one"
    records, newest = counted(known.count, "record"), local(known.newest.timestamp)
    return f"{records}, the newest from {newest}; `intent-lsp trace verify` checks them"
