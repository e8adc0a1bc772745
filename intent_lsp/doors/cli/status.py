"""The command `status`: the root, its sessions, its violations and its ledger (protocol section 5).

Invariant: no session is opened.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from intent_lsp.core.records import Record
from intent_lsp.core.text import counted
from intent_lsp.doors.cli.command import Call, command
from intent_lsp.doors.cli.ledger.records import SHORT_ID
from intent_lsp.doors.cli.open import ASKER, asking
from intent_lsp.doors.cli.terminal.table import Cell, LabelledCell, facts_table
from intent_lsp.doors.cli.terminal.times import local
from intent_lsp.governance.governance import Governance
from intent_lsp.governance.ledger.intent_lines import OpenViolation, open_violations
from intent_lsp.governance.root.rules import FileState, Rules
from intent_lsp.governance.root.sessions import session_name
from intent_lsp.governance.setup import Lack, lacks
from intent_lsp.store.ledger.index.queries import Query
from intent_lsp.store.state.session_row import SessionRow

SHOWN: Final = 20
"""The most violations that are shown; further ones are only counted."""


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
    page = call.page
    with Governance(call.root()) as governance:
        asker = asking(governance, call.options, page)
        own = None if asker is None else asker.session_id
        git = governance.stores.git
        offers = () if git is None else tuple(lacks(governance.root, git.tracked))
        if call.options.json:
            page.json(_json(governance, own, offers))
            return
        facts = facts_table(_facts(governance, own))
    page.table(facts)
    for lack in offers:
        problem = lack.what
        page.remark(f"intent-lsp: {problem}; `{lack.command}` fixes that")


def _json(governance: Governance, own: str | None, offers: Sequence[Lack]) -> dict[str, object]:
    """Return the status as JSON. `own` is the session for which the command acts, or None.

    `offers` are the git settings that the root lacks.
    """
    rules, newest = governance.rules.current(), _newest(governance)
    reason = {} if rules.governed else {"reason": rules.reason}
    return {
        "root": str(governance.root),
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
                "isAsking": row.session_id == own,
            }
            for row in governance.sessions.live()
        ],
        "violations": [
            {
                "path": each.path,
                "recordId": each.record.id,
                "intentId": each.record.intent_id,
                "timestamp": each.record.timestamp,
            }
            for each in open_violations(governance.stores)
        ],
        "ledger": {
            "records": governance.stores.past.count(),
            "newest": None if newest is None else newest.timestamp,
        },
        "offers": [{"what": each.what, "command": each.command} for each in offers],
    }


def _facts(governance: Governance, own: str | None) -> Iterator[LabelledCell]:
    rules, sessions = governance.rules.current(), governance.sessions.live()
    violations = tuple(open_violations(governance.stores))
    yield "root", Cell(str(governance.root))
    if rules.governed:
        yield "enforcement", Cell(rules.policy.enforcement.value)
    else:
        style = "" if rules.state is FileState.MISSING else "bold red"
        yield "governance", Cell(f"off: {rules.reason}", style)
    open_ = [intent for intent in rules.file.intents if not intent.status.closed]
    open_intents, intents = len(open_), len(rules.file.intents)
    yield "intents", Cell(f"{open_intents} open of {intents}")
    for number, row in enumerate(sessions):
        yield "" if number else "sessions", _session(row, rules, own)
    if not sessions:
        yield "sessions", Cell("no live session", "dim")
    for number, each in enumerate(violations[:SHOWN]):
        yield "" if number else "violations", _violation(each)
    if len(violations) > SHOWN:
        more = counted(len(violations) - SHOWN, "more file")
        yield "", Cell(f"and {more} with violations")
    if not violations:
        yield "violations", Cell("none", "green")
    yield "ledger", Cell(_ledger(governance))


def _session(row: SessionRow, rules: Rules, own: str | None) -> Cell:
    subagent = f", subagent {row.agent_id}" if row.agent_id else ""
    is_own = row.session_id == own and not row.agent_id
    used = ", the session that this command uses" if is_own else ""
    session, when = session_name(row.session_id, row, rules), local(row.last_used_at)
    return Cell(f"{row.kind} {session}{subagent} (last used {when}){used}")


def _violation(each: OpenViolation) -> Cell:
    record = each.record
    intent = record.intent_id or "no intent"
    when, record_id = local(record.timestamp), record.id[:SHORT_ID]
    told = f"{each.path}: edited under {intent} against the rules, {when}, record {record_id}"
    return Cell(told, "bold red")


def _ledger(governance: Governance) -> str:
    newest = _newest(governance)
    if newest is None:
        return "no record yet: the first edit makes one"
    records, when = counted(governance.stores.past.count(), "record"), local(newest.timestamp)
    return f"{records}, the newest from {when}; `intent-lsp trace verify` checks them"


def _newest(governance: Governance) -> Record | None:
    return next(iter(governance.tracing.page(Query(), limit=1).records), None)
